#define _GNU_SOURCE
#include "CByteClubBackgroundHelper.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// What `ps` shows, and what tells a helper from the program. Two arguments, so that nobody types them.
static char name[] = "CurlNetworking:";
static char role[] = "background transfers";

// In Swift; does not return.
extern void byteclub_helper_main(void);

// MARK: - In the helper

static void reset_signals(void) {
    // Both are inherited: what the starting thread had blocked, and what the program ignores.
    for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
    // A peer that hangs up and a file that may not grow are errors, and no reason to die.
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

// Runs before `main`, with its arguments (as glibc does it). Without a priority it comes behind all
// constructors that have one and, since the linker keeps the order of its inputs, behind the one by
// which Swift's runtime learns of this program's types: that object is the first on the command line.
__attribute__((constructor)) static void become_helper(int count, char **arguments, char **environment) {
    (void)environment;
    if (count != 2 || strcmp(arguments[0], name) != 0 || strcmp(arguments[1], role) != 0) return;
    // A set-user-ID program ignores its caller's arguments.
    if (getauxval(AT_SECURE)) return;
    reset_signals();
    // The parent waits for this process alone; the helper is detached.
    pid_t child = fork();
    if (child != 0) _exit(child < 0 ? 71 : 0);
    prctl(PR_SET_NAME, "curl-background", 0, 0, 0);
    umask(077);
    byteclub_helper_main();
    _exit(70);
}

// MARK: - In the program

static int record_first_object(struct dl_phdr_info *object, size_t size, void *address) {
    (void)size;
    *(uintptr_t *)address = object->dlpi_addr;
    return 1; // the program itself comes first
}

bool byteclub_helper_is_part_of_program(void) {
    uintptr_t program = 0;
    dl_iterate_phdr(record_first_object, &program);
    struct link_map *object = NULL;
    Dl_info facts;
    if (!dladdr1((const void *)become_helper, &facts, (void **)&object, RTLD_DL_LINKMAP) || !object) {
        return true; // a program without shared parts
    }
    if (object->l_addr == program) return true;
    // In a shared library: one that came with the program is where everybody looks.
    return dlsym(RTLD_DEFAULT, "byteclub_helper_start") == (const void *)byteclub_helper_start;
}

int byteclub_helper_start(const char *const *environment, int ready_descriptor) {
    posix_spawn_file_actions_t actions;
    int code = posix_spawn_file_actions_init(&actions);
    if (code) return code;
    posix_spawnattr_t attributes;
    code = posix_spawnattr_init(&attributes);
    if (code) {
        posix_spawn_file_actions_destroy(&actions);
        return code;
    }
    const int last = BYTECLUB_HELPER_READY_DESCRIPTOR;
    if (!code) code = posix_spawn_file_actions_adddup2(&actions, ready_descriptor, last);
    if (!code) code = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (!code) code = posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    if (!code) code = posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    if (!code) code = posix_spawn_file_actions_addclosefrom_np(&actions, last + 1);
    if (!code) code = posix_spawn_file_actions_addchdir_np(&actions, "/");
    if (!code) code = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
    char *arguments[] = {name, role, NULL};
    pid_t process = 0;
    if (!code) {
        code = posix_spawn(
            &process, "/proc/self/exe", &actions, &attributes, arguments, (char *const *)environment);
    }
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (code) return code;
    int status = 0;
    pid_t waited;
    do waited = waitpid(process, &status, 0);
    while (waited < 0 && errno == EINTR);
    // A program that ignores its children, or waits for all of them, has taken it: then it is gone.
    if (waited == process && !(WIFEXITED(status) && WEXITSTATUS(status) == 0)) return EAGAIN;
    return 0;
}

bool byteclub_peer(int socket, uid_t *user, pid_t *process) {
    struct ucred facts;
    socklen_t size = sizeof facts;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &facts, &size) != 0) return false;
    *user = facts.uid;
    *process = facts.pid;
    return true;
}
