#include "CByteClubTLS.h"

#include <openssl/ssl.h>
#include <string.h>

uint16_t byteclub_tls_version(const void *ssl) {
    int version = SSL_version(ssl);
    return version > 0 && version <= UINT16_MAX ? (uint16_t)version : 0;
}

uint16_t byteclub_tls_cipher_suite(const void *ssl) {
    const SSL_CIPHER *cipher = SSL_get_current_cipher(ssl);
    return cipher ? SSL_CIPHER_get_protocol_id(cipher) : 0;
}

bool byteclub_tls_speaks(const void *ssl, const char *protocol) {
    const unsigned char *chosen = NULL;
    unsigned int count = 0;
    SSL_get0_alpn_selected(ssl, &chosen, &count);
    return count == strlen(protocol) && memcmp(chosen, protocol, count) == 0;
}
