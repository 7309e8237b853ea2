#ifndef BYTECLUB_CTLS_H
#define BYTECLUB_CTLS_H

// OpenSSL for Swift: hashes, certificate fields, and a TLS handshake that can be paused for a trust
// decision. No OpenSSL type is exposed here.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// MARK: - Hashes

typedef struct byteclub_hash byteclub_hash;

// OpenSSL's name: "MD5", "SHA256", "SHA512-256". NULL when this machine's OpenSSL does not allow it
// (MD5 in FIPS mode) or when out of memory.
byteclub_hash *_Nullable byteclub_hash_start(const char *_Nonnull algorithm);
bool byteclub_hash_update(
    byteclub_hash *_Nonnull hash, const void *_Nullable bytes, size_t count);
// Writes the hash and returns its length; 0 on failure.
size_t byteclub_hash_finish(byteclub_hash *_Nonnull hash, unsigned char result[_Nonnull 64]);
void byteclub_hash_free(byteclub_hash *_Nullable hash);

// Whether both hold the same bytes, compared in constant time.
bool byteclub_same_bytes(const void *_Nonnull one, const void *_Nonnull other, size_t count);

// MARK: - Certificates

typedef struct byteclub_certificate byteclub_certificate;

// NULL unless the bytes are one DER certificate and nothing else.
byteclub_certificate *_Nullable byteclub_certificate_read(
    const unsigned char *_Nonnull der, size_t count);
void byteclub_certificate_free(byteclub_certificate *_Nullable certificate);

// Texts are UTF-8 and freed by byteclub_text_free(). Control characters are escaped according to RFC
// 2253.
char *_Nullable byteclub_certificate_subject(const byteclub_certificate *_Nonnull certificate);
char *_Nullable byteclub_certificate_issuer(const byteclub_certificate *_Nonnull certificate);
char *_Nullable byteclub_certificate_serial(const byteclub_certificate *_Nonnull certificate);
// The same for the DER of a distinguished name.
char *_Nullable byteclub_name_text(const unsigned char *_Nonnull der, size_t count);
void byteclub_text_free(char *_Nullable text);

// Seconds since 1970. False when a date is invalid.
bool byteclub_certificate_dates(
    const byteclub_certificate *_Nonnull certificate, int64_t *_Nonnull from,
    int64_t *_Nonnull until);

// The certificate's host names and addresses, by index; NULL after the last.
char *_Nullable byteclub_certificate_host(
    const byteclub_certificate *_Nonnull certificate, int index);

// DER of the SubjectPublicKeyInfo; NULL on failure.
unsigned char *_Nullable byteclub_certificate_public_key(
    const byteclub_certificate *_Nonnull certificate, size_t *_Nonnull count);
void byteclub_bytes_free(unsigned char *_Nullable bytes);

bool byteclub_certificate_is_for(
    const byteclub_certificate *_Nonnull certificate, const char *_Nonnull host);
// How OpenSSL is to compare an X509's names with a host, so that it agrees with libcurl: a wildcard stands
// for a whole label, and the subject counts only when there are no other names.
unsigned byteclub_host_flags(void *_Nullable certificate);
bool byteclub_certificate_is_self_issued(const byteclub_certificate *_Nonnull certificate);

// MARK: - A connection

// The negotiated protocol and cipher numbers: 0x0304 is TLS 1.3. 0 before negotiation.
uint16_t byteclub_tls_version(const void *_Nonnull ssl);
uint16_t byteclub_tls_cipher_suite(const void *_Nonnull ssl);

// Whether the server has chosen a protocol, by the name it is registered with for ALPN: "h2".
bool byteclub_tls_speaks(const void *_Nonnull ssl, const char *_Nonnull protocol);

// Whether the handshake has resumed a TLS session that began with a handshake observed as below, in which the
// system has verified the server for this host. False for a full handshake, and for a session that began with
// a certificate that only the caller has accepted.
bool byteclub_tls_resumes_verified(const void *_Nonnull ssl, const char *_Nonnull host);

// MARK: - A handshake that can be paused

// Observes one client handshake. When the server's certificates have arrived, the handshake is
// paused: all client output is blocked, so that neither a request nor a client certificate is sent
// before byteclub_handshake_open(). To libcurl it looks like a socket that is not writable; stop
// monitoring that socket until then, or the loop spins.
//
// It pauses once the server has sent its whole first flight: by then it is known whether the server
// wants a client certificate, and the server has proven that it owns its own.
//
// Use it on one thread at a time.
typedef struct byteclub_handshake byteclub_handshake;

// - host: The name or address to verify.
byteclub_handshake *_Nullable byteclub_handshake_make(const char *_Nonnull host);
// The connection keeps what it still needs.
void byteclub_handshake_release(byteclub_handshake *_Nullable handshake);

// Call it with the SSL_CTX * of CURLOPT_SSL_CTX_FUNCTION. CURLOPT_SSL_VERIFYHOST must be 0: the host
// is verified here together with the chain. Rejects renegotiation, which could happen when the
// connection is no longer observed.
bool byteclub_handshake_attach(byteclub_handshake *_Nonnull handshake, void *_Nonnull ssl_ctx);

// Sets a callback for the moment when the handshake pauses, called from inside libcurl.
void byteclub_handshake_on_pause(
    byteclub_handshake *_Nonnull handshake, void (*_Nonnull function)(void *_Nullable context),
    void *_Nullable context);
// How often a write was blocked: it grows without limit if the caller spins.
unsigned byteclub_handshake_blocked_count(const byteclub_handshake *_Nonnull handshake);
bool byteclub_handshake_is_paused(const byteclub_handshake *_Nonnull handshake);
// Lets a paused handshake continue. To reject the server, remove the transfer from libcurl instead.
void byteclub_handshake_open(byteclub_handshake *_Nonnull handshake);

// The verification result: an X509_V_ERR number, 0 for success.
int byteclub_handshake_verification_result(const byteclub_handshake *_Nonnull handshake);
const char *_Nonnull byteclub_verification_text(int verification_result);

// The server's certificates as DER, leaf first; valid as long as the handshake.
size_t byteclub_handshake_certificate_count(const byteclub_handshake *_Nonnull handshake);
const unsigned char *_Nonnull byteclub_handshake_certificate(
    const byteclub_handshake *_Nonnull handshake, size_t index, size_t *_Nonnull count);

// Whether the server wants a client certificate and none was set, with the names of the issuers it
// accepts (DER).
bool byteclub_handshake_wants_client_certificate(const byteclub_handshake *_Nonnull handshake);
size_t byteclub_handshake_authority_count(const byteclub_handshake *_Nonnull handshake);
const unsigned char *_Nonnull byteclub_handshake_authority(
    const byteclub_handshake *_Nonnull handshake, size_t index, size_t *_Nonnull count);

#endif
