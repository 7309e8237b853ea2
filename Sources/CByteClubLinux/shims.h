#ifndef BYTECLUB_CLINUX_SHIMS_H
#define BYTECLUB_CLINUX_SHIMS_H

// Calls of Linux that Swift's Glibc module does not show: readiness of many descriptors, renames
// that never clobber, copies that share their blocks, write-back that starts early, programs that
// are started in a session of their own.

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

extern int sync_file_range(int, int64_t, int64_t, unsigned int);
extern long syscall(long, ...);

// Flags of <linux/fs.h> and <fcntl.h>, under our own names because the latter hides them.
enum { BYTECLUB_RENAME_NOREPLACE = 1, BYTECLUB_RENAME_EXCHANGE = 2 };
enum { BYTECLUB_SYNC_FILE_RANGE_WRITE = 2 };

// Ready to read includes the other side having closed.
static const uint32_t byteclub_readable = EPOLLIN | EPOLLRDHUP;
static const uint32_t byteclub_writable = EPOLLOUT;

static inline int byteclub_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

// Asks for one report about a descriptor; returns 0 or an error number. Nothing is remembered here
// or by the caller: a closed descriptor leaves the set automatically.
static inline int byteclub_epoll_arm(int set, int descriptor, uint32_t events) {
    struct epoll_event event = {.events = events | EPOLLONESHOT, .data.fd = descriptor};
    if (epoll_ctl(set, EPOLL_CTL_MOD, descriptor, &event) == 0) return 0;
    if (errno != ENOENT) return errno;
    return epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event) == 0 ? 0 : errno;
}

// Asks for a report whenever a descriptor can be read, for as long as it is open.
static inline int byteclub_epoll_watch(int set, int descriptor) {
    struct epoll_event event = {.events = byteclub_readable, .data.fd = descriptor};
    return epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event) == 0 ? 0 : errno;
}

// Waits for descriptors to become ready and collects up to `limit` of them. Returns -1 when it was
// interrupted.
static inline int byteclub_epoll_collect(
    int set, int *_Nonnull descriptors, int limit, int milliseconds) {
    struct epoll_event events[64];
    int count = epoll_wait(set, events, limit < 64 ? limit : 64, milliseconds);
    for (int i = 0; i < count; i++) descriptors[i] = events[i].data.fd;
    return count;
}

// A descriptor that can be read from the time it is rung until it is hushed.
static inline int byteclub_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
static inline void byteclub_eventfd_ring(int descriptor) { (void)eventfd_write(descriptor, 1); }
static inline void byteclub_eventfd_hush(int descriptor) {
    eventfd_t count;
    (void)eventfd_read(descriptor, &count);
}

static inline int byteclub_rename(
    int from, const char *_Nonnull from_name, int to, const char *_Nonnull to_name,
    unsigned int flags) {
    return (int)syscall(SYS_renameat2, from, from_name, to, to_name, flags);
}

// Starts a thread that nobody will join; 0 or an error number. Signals are left to the threads that
// were there before: one that reaches a thread Dispatch does not know is lost to its signal sources. Those
// of a fault are not blocked: the program would end without its handler.
static inline int byteclub_start_thread(
    void *_Nullable (*_Nonnull body)(void *_Nullable), void *_Nullable argument) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, 1 << 20);
    static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS};
    sigset_t all, before;
    sigfillset(&all);
    for (size_t index = 0; index < sizeof faults / sizeof *faults; index++) sigdelset(&all, faults[index]);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int code = pthread_create(&thread, &attributes, body, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return code;
}

// Gives the calling thread a name of up to 15 bytes, for debuggers and top.
static inline void byteclub_name_thread(const char *_Nonnull name) {
    (void)prctl(PR_SET_NAME, name, 0, 0, 0);
}

// No core dump of this process from now on, and no other program may attach to it or read its memory.
static inline void byteclub_forbid_dumps(void) { (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

// The nice value of this process group's processes, all threads of them; never raises their priority. The
// constants are of an enumeration in glibc's declarations, and of none in others.
static inline void byteclub_lower_group_priority(int niceness) {
    if (getpriority(PRIO_PGRP, 0) < niceness) (void)setpriority(PRIO_PGRP, 0, niceness);
}

// Makes `destination` share the blocks of `source` (Btrfs, XFS); false where that cannot be.
static inline bool byteclub_clone(int destination, int source) {
    return ioctl(destination, FICLONE, source) == 0;
}

// Starts writing dirty pages to the disk and does not wait for it.
static inline void byteclub_start_write_back(int descriptor, int64_t offset, int64_t count) {
    (void)sync_file_range(descriptor, offset, count, BYTECLUB_SYNC_FILE_RANGE_WRITE);
}

extern int pipe2(int[2], int);
extern int posix_spawn_file_actions_addchdir_np(
    posix_spawn_file_actions_t *_Nonnull, const char *_Nonnull);
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *_Nonnull, int);

// POSIX_SPAWN_SETSID: the program leads a session of its own.
static const short byteclub_spawn_setsid = 0x80;

// A pipe that no other program inherits; 0, or -1 with errno.
static inline int byteclub_pipe(int *_Nonnull read_end, int *_Nonnull write_end) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return -1;
    *read_end = ends[0];
    *write_end = ends[1];
    return 0;
}

extern int accept4(int, struct sockaddr *_Nullable, socklen_t *_Nullable, int);

// A connection that waits at a listening socket; no other program inherits it. -1 with errno.
static inline int byteclub_accept(int listener) {
    return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

// The user at the other end of a connected unix socket; 0, or -1 with errno. The struct is `ucred`, which
// only _GNU_SOURCE shows.
static inline int byteclub_peer_user(int descriptor, uint32_t *_Nonnull user) {
    struct {
        int32_t process;
        uint32_t user, group;
    } credentials;
    socklen_t length = sizeof credentials;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) return -1;
    *user = credentials.user;
    return 0;
}

static inline int byteclub_spawn_change_folder(
    posix_spawn_file_actions_t *_Nonnull actions, const char *_Nonnull folder) {
    return posix_spawn_file_actions_addchdir_np(actions, folder);
}

static inline int byteclub_spawn_close_from(
    posix_spawn_file_actions_t *_Nonnull actions, int descriptor) {
    return posix_spawn_file_actions_addclosefrom_np(actions, descriptor);
}

// Takes room on the disk for what will be written to a file later; its size stays. Without effect where a file system
// cannot.
static inline void byteclub_reserve(int descriptor, int64_t start, int64_t byte_count) {
    enum { KEEP_SIZE = 1 };
    syscall(SYS_fallocate, descriptor, KEEP_SIZE, (off_t)start, (off_t)byte_count);
}

#endif
