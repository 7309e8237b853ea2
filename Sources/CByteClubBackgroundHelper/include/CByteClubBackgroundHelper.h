#ifndef BYTECLUB_CBACKGROUNDHELPER_H
#define BYTECLUB_CBACKGROUNDHELPER_H

// How the helper of background sessions comes to be: a program that links CurlNetworking starts
// itself once more, and what is started turns off into the helper before the program's own `main`.
// Nothing has to be installed, and the helper is always of the same build as the library.

#include <stdbool.h>
#include <sys/types.h>

// Whether this program, started again, would become a helper: not when the library was loaded later
// as a part of a plug-in.
bool byteclub_helper_is_part_of_program(void);

// Starts the helper: in a session of its own, at `/`, without any of our descriptors but one, with
// the signals as a program expects them.
//
// - environment: `NAME=value`, NULL behind the last. All it gets.
// - ready_descriptor: A descriptor the helper writes one byte to when it can be reached, and closes.
//   Its end without a byte: another helper is there already, or it could not start.
//
// Returns 0 or an error number. The helper is not our child: nobody has to wait for it.
int byteclub_helper_start(
    const char *_Nullable const *_Nonnull environment, int ready_descriptor);

// The descriptor above, in the helper.
enum { BYTECLUB_HELPER_READY_DESCRIPTOR = 3 };

// Who is at the other end of a unix socket. False when the system does not say.
bool byteclub_peer(int socket, uid_t *_Nonnull user, pid_t *_Nonnull process);

#endif
