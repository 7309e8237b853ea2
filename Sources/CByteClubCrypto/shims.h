#ifndef BYTECLUB_CCRYPTO_SHIMS_H
#define BYTECLUB_CCRYPTO_SHIMS_H

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <stdbool.h>
#include <stddef.h>

// SHA-256 through libcrypto, which libcurl loads into the process anyway: it uses the processor's
// own instructions, so hashing keeps up with a disk even in a debug build.

typedef struct evp_md_ctx_st byteclub_digest;

// Starts a SHA-256. NULL only when memory is exhausted. Without NO_ATEXIT, OpenSSL would free its
// tables at exit while Dispatch threads may still be using them.
static inline byteclub_digest *_Nullable byteclub_sha256_start(void) {
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
    EVP_MD_CTX *digest = EVP_MD_CTX_new();
    if (digest != NULL && EVP_DigestInit_ex(digest, EVP_sha256(), NULL) != 1) {
        EVP_MD_CTX_free(digest);
        return NULL;
    }
    return digest;
}

static inline bool byteclub_sha256_restart(byteclub_digest *_Nonnull digest) {
    return EVP_DigestInit_ex(digest, EVP_sha256(), NULL) == 1;
}

static inline bool byteclub_sha256_update(
    byteclub_digest *_Nonnull digest, const void *_Nullable bytes, size_t count) {
    return count == 0 || EVP_DigestUpdate(digest, bytes, count) == 1;
}

// Writes 32 bytes.
static inline bool byteclub_sha256_finish(
    byteclub_digest *_Nonnull digest, unsigned char *_Nonnull result) {
    return EVP_DigestFinal_ex(digest, result, NULL) == 1;
}

static inline bool byteclub_sha256_copy(
    byteclub_digest *_Nonnull destination, const byteclub_digest *_Nonnull source) {
    return EVP_MD_CTX_copy_ex(destination, source) == 1;
}

static inline void byteclub_sha256_free(byteclub_digest *_Nullable digest) {
    EVP_MD_CTX_free(digest);
}

// Whether both ranges hold the same bytes, in a time that does not depend on them.
static inline bool byteclub_equal_in_constant_time(
    const void *_Nonnull a, const void *_Nonnull b, size_t count) {
    return CRYPTO_memcmp(a, b, count) == 0;
}

#endif
