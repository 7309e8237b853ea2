#include "CByteClubTLS.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

// EVP_MD_CTX under another name, so that the header does not need OpenSSL's headers.

byteclub_hash *byteclub_hash_start(const char *algorithm) {
    // Without this OpenSSL would free its tables at exit while other threads still use them.
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
#ifdef OPENSSL_IS_BORINGSSL
    const EVP_MD *kind = EVP_get_digestbyname(algorithm);
#else
    EVP_MD *kind = EVP_MD_fetch(NULL, algorithm, NULL);
#endif
    EVP_MD_CTX *hash = kind ? EVP_MD_CTX_new() : NULL;
    if (hash && EVP_DigestInit_ex(hash, kind, NULL) != 1) {
        EVP_MD_CTX_free(hash);
        hash = NULL;
    }
#ifndef OPENSSL_IS_BORINGSSL
    EVP_MD_free(kind);
#endif
    return (byteclub_hash *)hash;
}

bool byteclub_hash_update(byteclub_hash *hash, const void *bytes, size_t count) {
    return count == 0 || EVP_DigestUpdate((EVP_MD_CTX *)hash, bytes, count) == 1;
}

size_t byteclub_hash_finish(byteclub_hash *hash, unsigned char result[64]) {
    unsigned int count = 0;
    return EVP_DigestFinal_ex((EVP_MD_CTX *)hash, result, &count) == 1 ? count : 0;
}

void byteclub_hash_free(byteclub_hash *hash) { EVP_MD_CTX_free((EVP_MD_CTX *)hash); }

bool byteclub_same_bytes(const void *one, const void *other, size_t count) {
    return CRYPTO_memcmp(one, other, count) == 0;
}
