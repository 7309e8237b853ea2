#ifndef BYTECLUB_CTLS_H
#define BYTECLUB_CTLS_H

// OpenSSL for Swift: hashes, what a certificate says, and a TLS handshake that can be held while
// somebody is asked. No type of OpenSSL's shows here.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// MARK: - Hashes

typedef struct byteclub_hash byteclub_hash;

// OpenSSL's name: "MD5", "SHA256", "SHA512-256". NULL when this machine's OpenSSL refuses it (MD5 in
// FIPS mode) or memory is out.
byteclub_hash *_Nullable byteclub_hash_start(const char *_Nonnull algorithm);
bool byteclub_hash_update(
    byteclub_hash *_Nonnull hash, const void *_Nullable bytes, size_t count);
// Writes the hash and returns its length; 0 when it failed.
size_t byteclub_hash_finish(byteclub_hash *_Nonnull hash, unsigned char result[_Nonnull 64]);
void byteclub_hash_free(byteclub_hash *_Nullable hash);

// Whether both hold the same bytes, in a time that does not depend on them.
bool byteclub_same_bytes(const void *_Nonnull one, const void *_Nonnull other, size_t count);

// MARK: - Certificates

typedef struct byteclub_certificate byteclub_certificate;

// NULL unless the bytes are one DER certificate and nothing else.
byteclub_certificate *_Nullable byteclub_certificate_read(
    const unsigned char *_Nonnull der, size_t count);
void byteclub_certificate_free(byteclub_certificate *_Nullable certificate);

// Texts are UTF-8 and freed by byteclub_text_free(). Control characters are escaped as RFC 2253 has it.
char *_Nullable byteclub_certificate_subject(const byteclub_certificate *_Nonnull certificate);
char *_Nullable byteclub_certificate_issuer(const byteclub_certificate *_Nonnull certificate);
char *_Nullable byteclub_certificate_serial(const byteclub_certificate *_Nonnull certificate);
// The same for the DER of a distinguished name.
char *_Nullable byteclub_name_text(const unsigned char *_Nonnull der, size_t count);
void byteclub_text_free(char *_Nullable text);

// Seconds since 1970. False when a date makes no sense.
bool byteclub_certificate_dates(
    const byteclub_certificate *_Nonnull certificate, int64_t *_Nonnull from,
    int64_t *_Nonnull until);

// The host names and addresses it is for, one by one; NULL behind the last.
char *_Nullable byteclub_certificate_host(
    const byteclub_certificate *_Nonnull certificate, int index);

// DER of the SubjectPublicKeyInfo; NULL when it cannot be had.
unsigned char *_Nullable byteclub_certificate_public_key(
    const byteclub_certificate *_Nonnull certificate, size_t *_Nonnull count);
void byteclub_bytes_free(unsigned char *_Nullable bytes);

bool byteclub_certificate_is_for(
    const byteclub_certificate *_Nonnull certificate, const char *_Nonnull host);
bool byteclub_certificate_is_self_issued(const byteclub_certificate *_Nonnull certificate);

// MARK: - A connection

// The numbers on the wire of what was agreed on: 0x0304 is TLS 1.3. 0 before there is an agreement.
uint16_t byteclub_tls_version(const void *_Nonnull ssl);
uint16_t byteclub_tls_cipher_suite(const void *_Nonnull ssl);

// MARK: - A handshake that can be held

// Watches one client handshake. When the server's certificates have come, the handshake is held:
// everything the client would send is kept back, so that neither a request nor a client certificate
// leaves before byteclub_handshake_open(). To libcurl it looks like a socket that cannot take more
// bytes; whoever watches that socket has to stop until then, or it spins.
//
// It is held from the moment when the server has said all that it says first: then it is known, too,
// whether it wants a client certificate, and it has shown that it owns its own.
//
// Used by one thread at a time.
typedef struct byteclub_handshake byteclub_handshake;

// - host: Name or address the server has to prove.
byteclub_handshake *_Nullable byteclub_handshake_make(const char *_Nonnull host);
// The connection keeps what it still needs of it.
void byteclub_handshake_release(byteclub_handshake *_Nullable handshake);

// To be called with the SSL_CTX * of CURLOPT_SSL_CTX_FUNCTION. CURLOPT_SSL_VERIFYHOST has to be 0: the
// host is checked here along with the chain. Refuses renegotiation, which could come when nobody
// watches any more.
bool byteclub_handshake_attach(byteclub_handshake *_Nonnull handshake, void *_Nonnull ssl_ctx);

// Have a function called at the moment when the handshake is held, inside whatever libcurl does then.
void byteclub_handshake_when_held(
    byteclub_handshake *_Nonnull handshake, void (*_Nonnull function)(void *_Nullable context),
    void *_Nullable context);
// How often the connection was refused a write: it grows without end when somebody spins.
unsigned byteclub_handshake_held_count(const byteclub_handshake *_Nonnull handshake);
bool byteclub_handshake_is_held(const byteclub_handshake *_Nonnull handshake);
// Lets a held handshake go on. To refuse, take the transfer off libcurl instead.
void byteclub_handshake_open(byteclub_handshake *_Nonnull handshake);

// What OpenSSL thinks of the certificates: an X509_V_ERR number, 0 when all is well.
int byteclub_handshake_verdict(const byteclub_handshake *_Nonnull handshake);
const char *_Nonnull byteclub_verdict_text(int verdict);

// The server's certificates as DER, its own first; valid as long as the handshake.
size_t byteclub_handshake_certificate_count(const byteclub_handshake *_Nonnull handshake);
const unsigned char *_Nonnull byteclub_handshake_certificate(
    const byteclub_handshake *_Nonnull handshake, size_t index, size_t *_Nonnull count);

// Whether the server wants a client certificate and none was set, and whose certificates it takes
// (DER of names).
bool byteclub_handshake_wants_client_certificate(const byteclub_handshake *_Nonnull handshake);
size_t byteclub_handshake_authority_count(const byteclub_handshake *_Nonnull handshake);
const unsigned char *_Nonnull byteclub_handshake_authority(
    const byteclub_handshake *_Nonnull handshake, size_t index, size_t *_Nonnull count);

#endif
