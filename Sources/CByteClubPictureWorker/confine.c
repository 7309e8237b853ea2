#define _GNU_SOURCE
#include "CByteClubPictureWorker.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
// They take terabytes of addresses, threads and files of their own.
#define IS_SANITIZED 1
#endif
#endif

// MARK: - Limits

static bool limit(__rlimit_resource_t resource, rlim_t soft, rlim_t hard) {
    struct rlimit now;
    if (getrlimit(resource, &now) != 0) return false;
    if (hard > now.rlim_max) hard = now.rlim_max;
    if (soft > hard) soft = hard;
    now.rlim_cur = soft;
    now.rlim_max = hard;
    return setrlimit(resource, &now) == 0;
}

// The program moves the soft ones for each picture. The hard ones are far above what any picture gets.
static bool take_limits(void) {
    const rlim_t gigabyte = (rlim_t)1 << 30;
    bool holds = limit(RLIMIT_CORE, 0, 0);
    holds &= limit(RLIMIT_NOFILE, 16, 16);
    holds &= limit(RLIMIT_FSIZE, 0, 8 * gigabyte);
#ifndef IS_SANITIZED
    holds &= limit(RLIMIT_DATA, gigabyte, gigabyte);
#endif
    holds &= limit(RLIMIT_CPU, 600, 1200);
    return holds;
}

uint64_t byteclub_picture_private_byte_count(void) {
    // The sixth number, in pages.
    FILE *file = fopen("/proc/self/statm", "re");
    unsigned long long pages = 0;
    if (file) {
        if (fscanf(file, "%*u %*u %*u %*u %*u %llu", &pages) != 1) pages = 0;
        fclose(file);
    }
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

// MARK: - Landlock

// Newer than the headers of many systems, which is why they are written here.
// Source: linux/landlock.h
struct landlock_ruleset {
    uint64_t files, network, scopes;
};
enum { LANDLOCK_CREATE = 444, LANDLOCK_RESTRICT = 446, LANDLOCK_VERSION = 1 };

// No path leads anywhere any more, no port, no abstract socket, no other process.
static bool enter_landlock(void) {
    long version = syscall(LANDLOCK_CREATE, NULL, 0, LANDLOCK_VERSION);
    if (version < 1) return false;
    struct landlock_ruleset rules = {
        .files = version >= 5 ? 0xFFFF : version >= 3 ? 0x7FFF : version == 2 ? 0x3FFF : 0x1FFF,
        .network = version >= 4 ? 3 : 0,
        .scopes = version >= 6 ? 3 : 0,
    };
    size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    int ruleset = (int)syscall(LANDLOCK_CREATE, &rules, size, 0);
    if (ruleset < 0) return false;
    bool holds = syscall(LANDLOCK_RESTRICT, ruleset, 0) == 0;
    close(ruleset);
    return holds;
}

// MARK: - seccomp

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#if defined(ARCHITECTURE) && !defined(IS_SANITIZED)

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define LOAD_ARGUMENT(number) \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + 8 * (number))
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define REFUSE BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
#define REFUSE_AS_UNKNOWN BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS)
#define ALLOW_CALL(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), ALLOW
// Of a call with a condition on the low word of an argument; each is five instructions.
#define WHEN(call, number, test, value, if_true, if_false)                             \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 4), LOAD_ARGUMENT(number),        \
        BPF_JUMP(BPF_JMP | (test) | BPF_K, value, 0, 1), if_true, if_false
#define ALLOW_IF_EQUAL(call, number, value) WHEN(call, number, BPF_JEQ, value, ALLOW, REFUSE)
#define ALLOW_IF_NO_BIT(call, number, bits) WHEN(call, number, BPF_JSET, bits, REFUSE, ALLOW)

// What decoding needs of the kernel: memory, and the descriptors it was given. Everything else fails as
// if it were not permitted, so that a library that only tries something goes on without it.
static bool enter_seccomp(bool has_threads) {
    const uint32_t self = (uint32_t)getpid();
    // Threads of this process, and no other process; glibc starts them with clone where there is no clone3, whose
    // flags are in memory, where a filter does not see them. Each is as many instructions as it has elements.
    const struct sock_filter threads[] = {
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1), REFUSE_AS_UNKNOWN,
        WHEN(clone, 0, BPF_JSET, CLONE_THREAD, ALLOW, REFUSE),
        ALLOW_CALL(set_robust_list),
        ALLOW_CALL(rseq),
    };
    const struct sock_filter beginning[] = {
        LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        LOAD(nr),
    };
    const struct sock_filter usual[] = {
        ALLOW_CALL(read),
        ALLOW_CALL(write),
        ALLOW_CALL(pread64),
        ALLOW_CALL(pwrite64),
        ALLOW_CALL(lseek),
        ALLOW_CALL(recvmsg),
        ALLOW_CALL(sendmsg),
        ALLOW_CALL(close),
        ALLOW_CALL(fstat),
        ALLOW_CALL(brk),
        ALLOW_CALL(munmap),
        ALLOW_CALL(mremap),
        ALLOW_CALL(madvise),
        ALLOW_CALL(futex),
        ALLOW_CALL(getrandom),
        ALLOW_CALL(clock_gettime),
        ALLOW_CALL(sched_yield),
        ALLOW_CALL(getpid),
        ALLOW_CALL(gettid),
        ALLOW_CALL(rt_sigprocmask),
        ALLOW_CALL(rt_sigreturn),
        ALLOW_CALL(restart_syscall),
        ALLOW_CALL(exit),
        ALLOW_CALL(exit_group),
        // No code that was not there before.
        ALLOW_IF_NO_BIT(mmap, 2, PROT_EXEC),
        ALLOW_IF_NO_BIT(mprotect, 2, PROT_EXEC),
        // As glibc calls fstat.
        ALLOW_IF_EQUAL(newfstatat, 3, AT_EMPTY_PATH),
        ALLOW_IF_EQUAL(fcntl, 1, F_DUPFD_CLOEXEC),
        // abort() is how it ends when it has to.
        ALLOW_IF_EQUAL(tgkill, 0, self),
        REFUSE,
    };
    struct sock_filter instructions[
        (sizeof beginning + sizeof threads + sizeof usual) / sizeof *usual];
    unsigned short count = 0;
#define APPEND(part)                                        \
    memcpy(instructions + count, part, sizeof part), count += sizeof part / sizeof *part
    APPEND(beginning);
    if (has_threads) APPEND(threads);
    APPEND(usual);
#undef APPEND
    struct sock_fprog program = {.len = count, .filter = instructions};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

#else

static bool enter_seccomp(bool has_threads) {
    (void)has_threads;
    return false;
}

#endif

// MARK: -

void byteclub_picture_return_memory(void) { malloc_trim(0); }

unsigned byteclub_picture_confine(bool has_threads) {
    unsigned held = 0;
    // A fault ends it. Swift's runtime would have it tell a story first, for which it has no rights.
    for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
    // What is large goes back as soon as it is freed. (glibc would raise this with use.)
    mallopt(M_MMAP_THRESHOLD, 256 << 10);
    if (has_threads) {
        // What the threads take counts as the picture's.
        mallopt(M_ARENA_MAX, 1);
        pthread_attr_t attributes;
        if (pthread_attr_init(&attributes) == 0) {
            pthread_attr_setstacksize(&attributes, 1 << 20);
            pthread_setattr_default_np(&attributes);
            pthread_attr_destroy(&attributes);
        }
    }
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0) {
        held |= BYTECLUB_PICTURE_DIES_WITH_PROGRAM;
    }
    // The user interface and the server come first.
    setpriority(PRIO_PROCESS, 0, 5);
    // Nobody reads the picture out of its memory, or leaves it on the disk as a core.
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    if (take_limits()) held |= BYTECLUB_PICTURE_LIMITS;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) held |= BYTECLUB_PICTURE_NO_NEW_PRIVILEGES;
#ifndef IS_SANITIZED
    if (enter_landlock()) held |= BYTECLUB_PICTURE_LANDLOCK;
#endif
    if (enter_seccomp(has_threads)) held |= BYTECLUB_PICTURE_SECCOMP;
    return held;
}

__attribute__((weak)) extern int byteclub_picture_probe(int number);

int byteclub_picture_run_probe(int number) {
    return byteclub_picture_probe ? byteclub_picture_probe(number) : -1;
}
