#ifndef BYTECLUB_CSECRET_H
#define BYTECLUB_CSECRET_H

// The desktop's keyring (org.freedesktop.secrets) through libsecret, which is loaded on first use: a
// program without secrets pays neither its memory nor its start.
//
// Calls block, for as long as a person takes to unlock the keyring: they belong on a thread of their
// own. One at a time.

#include <stdbool.h>

typedef enum {
    BYTECLUB_SECRET_DONE,
    // There is no such secret.
    BYTECLUB_SECRET_ABSENT,
    // No libsecret here, or nobody who keeps secrets.
    BYTECLUB_SECRET_UNAVAILABLE,
    // The keyring would not: locked, and nobody unlocked it.
    BYTECLUB_SECRET_REFUSED,
    // byteclub_secret_cancel ended it.
    BYTECLUB_SECRET_CANCELLED,
} byteclub_secret_result;

// Keeps a secret under an account's name in the default keyring, in place of an older one. `label` is
// what the keyring's own program shows.
byteclub_secret_result byteclub_secret_store(
    const char *_Nonnull account, const char *_Nonnull label, const char *_Nonnull secret);

// Fetches a secret. It must be given back to byteclub_secret_free, which wipes it.
byteclub_secret_result byteclub_secret_lookup(
    const char *_Nonnull account, char *_Nullable *_Nonnull secret);
void byteclub_secret_free(char *_Nullable secret);

byteclub_secret_result byteclub_secret_remove(const char *_Nonnull account);

// Ends the call under way, if there is one, from any thread.
void byteclub_secret_cancel(void);

#endif
