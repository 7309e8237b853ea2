#define _GNU_SOURCE
#include "CByteClubPictureWorker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

// What `ps` shows, and what tells a worker from the program. Two words, so that nobody types them.
static char name[] = "byteclub:";
static char purpose[] = "decoding pictures";
// The third, of a worker that loads a library first, by its `byteclub_picture_kind`.
static char kinds[][8] = {"", "WebP", "HEIF", "TIFF", "simple"};

// In Swift; does not return.
extern void byteclub_picture_worker_main(byteclub_picture_kind kind);

// Runs before `main`; why that is sound is told at the constructor in CByteClubBackgroundHelper.
__attribute__((constructor)) static void turn_into_worker(
    int count, char **words, char **environment) {
    (void)environment;
    if (count < 2 || count > 3 || strcmp(words[0], name) != 0 || strcmp(words[1], purpose) != 0) {
        return;
    }
    unsigned kind = 0;
    if (count == 3) {
        const unsigned kind_count = sizeof kinds / sizeof *kinds;
        while (++kind < kind_count && strcmp(words[2], kinds[kind]) != 0) continue;
        if (kind == kind_count) return;
    }
    // A set-user-ID program must not follow its caller's arguments.
    if (getauxval(AT_SECURE)) return;
    prctl(PR_SET_NAME, "pictures", 0, 0, 0);
    umask(077);
    byteclub_picture_worker_main((byteclub_picture_kind)kind);
    _exit(70);
}

int byteclub_picture_worker_start(
    const char *const *environment, byteclub_picture_kind kind, pid_t *process, int *channel) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return errno;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t traits;
    int code = posix_spawn_file_actions_init(&actions);
    if (!code) {
        code = posix_spawnattr_init(&traits);
        if (code) posix_spawn_file_actions_destroy(&actions);
    }
    if (!code) {
        const int last = BYTECLUB_PICTURE_SOCKET;
        code = posix_spawn_file_actions_adddup2(&actions, ends[1], last);
        if (!code) code = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
        if (!code) code = posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
        if (!code) code = posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
        if (!code) code = posix_spawn_file_actions_addclosefrom_np(&actions, last + 1);
        if (!code) code = posix_spawn_file_actions_addchdir_np(&actions, "/");
        sigset_t signals;
        sigemptyset(&signals);
        if (!code) code = posix_spawnattr_setsigmask(&traits, &signals);
        sigfillset(&signals);
        if (!code) code = posix_spawnattr_setsigdefault(&traits, &signals);
        // A session of its own: ^C is for the program, which then ends the worker.
        const short flags =
            POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
        if (!code) code = posix_spawnattr_setflags(&traits, flags);
        char *words[] = {name, purpose, kind ? kinds[kind] : NULL, NULL};
        if (!code) {
            code = posix_spawn(
                process, "/proc/self/exe", &actions, &traits, words, (char *const *)environment);
        }
        posix_spawnattr_destroy(&traits);
        posix_spawn_file_actions_destroy(&actions);
    }
    close(ends[1]);
    if (code) {
        close(ends[0]);
    } else {
        *channel = ends[0];
    }
    return code;
}
