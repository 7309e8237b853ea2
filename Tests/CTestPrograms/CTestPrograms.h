#ifndef BYTECLUB_CTESTPROGRAMS_H
#define BYTECLUB_CTESTPROGRAMS_H

// Programs that tests start, without a terminal.

#include <signal.h>
#include <spawn.h>
#include <sys/types.h>

extern int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *, const char *);
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int);

/// Starts a program with `input`, `output` and `error` as its descriptors 0, 1 and 2, no other one, no
/// signal ignored or blocked, and in a process group of its own.
///
/// Returns the process, which is to be waited for, or minus an errno.
static inline int byteclub_spawn_alone(
    int input, int output, int error, const char *directory, const char *program,
    char *const arguments[], char *const environment[]
) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t signals;
    pid_t child = -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    // All three are above 2 here, so that none overwrites another.
    posix_spawn_file_actions_adddup2(&actions, input, 0);
    posix_spawn_file_actions_adddup2(&actions, output, 1);
    posix_spawn_file_actions_adddup2(&actions, error, 2);
    posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    posix_spawn_file_actions_addchdir_np(&actions, directory);
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes, &signals);
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attributes, &signals);
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    int code = posix_spawn(&child, program, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return code == 0 ? child : -code;
}

#endif
