#include "CByteClubTLS.h"

#include <arpa/inet.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// How the handshake is paused. libcurl (up to at least 7.88) fails with OpenSSL's own way to suspend
// a verification, SSL_ERROR_WANT_RETRY_VERIFY, and asynchronous jobs would run our code on a small
// stack. So the verification succeeds, and at that moment a filter is put in front of the
// connection's output that accepts no bytes until it is opened: the server learns nothing, and
// libcurl waits as for any slow socket.

enum { most_certificates = 32, most_authorities = 256 };

typedef struct {
    unsigned char *bytes;
    size_t count;
} der;

typedef struct {
    // Held by the handshake, the filter, and the SSL_CTX, which lives as long as the connection: it
    // can ask for a client certificate long after the handshake.
    int references;
    bool is_closed;
    // How often output was blocked. After the first time, the server has sent its whole first
    // flight.
    unsigned blocked_count;
    byteclub_handshake *handshake; // NULL after release
} gate;

struct byteclub_handshake {
    char *host;
    gate *gate; // NULL before a connection
    void (*on_pause)(void *context);
    void *context;
    int verification_result;
    der certificates[most_certificates];
    size_t certificate_count;
    bool wants_client_certificate;
    der authorities[most_authorities];
    size_t authority_count;
};

// MARK: - The gate

static void leave_gate(gate *gate) {
    if (gate && --gate->references == 0) free(gate);
}

static int gate_write(BIO *bio, const char *bytes, size_t count, size_t *written) {
    gate *gate = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    *written = 0;
    if (gate && gate->is_closed) {
        const byteclub_handshake *handshake = gate->handshake;
        if (gate->blocked_count++ == 0 && handshake && handshake->on_pause) handshake->on_pause(handshake->context);
        BIO_set_retry_write(bio);
        return 0;
    }
    int result = BIO_write_ex(BIO_next(bio), bytes, count, written);
    BIO_copy_next_retry(bio);
    return result;
}

static int gate_read(BIO *bio, char *bytes, size_t count, size_t *read) {
    BIO_clear_retry_flags(bio);
    int result = BIO_read_ex(BIO_next(bio), bytes, count, read);
    BIO_copy_next_retry(bio);
    return result;
}

static long gate_control(BIO *bio, int command, long number, void *pointer) {
    BIO *next = BIO_next(bio);
    return next ? BIO_ctrl(next, command, number, pointer) : 0;
}

static int gate_create(BIO *bio) {
    BIO_set_init(bio, 1);
    return 1;
}

static int gate_destroy(BIO *bio) {
    leave_gate(BIO_get_data(bio));
    BIO_set_data(bio, NULL);
    return 1;
}

static BIO_METHOD *gate_method;
static int gate_index = -1;

static void leave_context(
    void *context, void *gate, CRYPTO_EX_DATA *data, int index, long number, void *pointer) {
    (void)context, (void)data, (void)index, (void)number, (void)pointer;
    leave_gate(gate);
}

static void make_gate_method(void) {
    gate_index = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, leave_context);
    BIO_METHOD *method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_FILTER, "byteclub gate");
    if (method && BIO_meth_set_write_ex(method, gate_write) && BIO_meth_set_read_ex(method, gate_read)
        && BIO_meth_set_ctrl(method, gate_control) && BIO_meth_set_create(method, gate_create)
        && BIO_meth_set_destroy(method, gate_destroy)) {
        gate_method = method;
    } else {
        BIO_meth_free(method);
    }
}

static bool close_gate(byteclub_handshake *handshake, SSL *ssl) {
    BIO *output = ssl ? SSL_get_wbio(ssl) : NULL;
    BIO *filter = output && gate_method ? BIO_new(gate_method) : NULL;
    if (!filter || !BIO_up_ref(output)) {
        BIO_free(filter);
        return false;
    }
    handshake->gate->is_closed = true;
    handshake->gate->references++;
    BIO_set_data(filter, handshake->gate);
    SSL_set0_wbio(ssl, BIO_push(filter, output));
    return true;
}

// MARK: - What is noted

static void note_certificate(byteclub_handshake *handshake, X509 *certificate) {
    if (handshake->certificate_count == most_certificates) return;
    der *note = &handshake->certificates[handshake->certificate_count];
    int count = i2d_X509(certificate, &note->bytes);
    if (count <= 0) return;
    note->count = (size_t)count;
    handshake->certificate_count++;
}

static void note_chain(byteclub_handshake *handshake, X509_STORE_CTX *context) {
    // The verified chain includes the root authority; the chain as sent is used only when none was
    // built.
    STACK_OF(X509) *chain = X509_STORE_CTX_get0_chain(context);
    if (sk_X509_num(chain) <= 0) chain = X509_STORE_CTX_get0_untrusted(context);
    X509 *own = X509_STORE_CTX_get0_cert(context);
    if (own) note_certificate(handshake, own);
    for (int i = 0; i < sk_X509_num(chain); i++) {
        X509 *certificate = sk_X509_value(chain, i);
        if (own && X509_cmp(own, certificate) == 0) continue;
        note_certificate(handshake, certificate);
    }
}

// A resumed handshake has no certificates. So the TLS session itself carries the host for which the system has
// verified the server: as application data of the session, which OpenSSL copies into each session that follows
// from it (in TLS 1.3, one per ticket), and which libcurl keeps along with it, in serialized form too. Only
// servers use this data otherwise; a server cannot set it here.

static void mark_verified(SSL *ssl, const char *host) {
    SSL_SESSION *session = ssl ? SSL_get0_session(ssl) : NULL;
    // Without memory there is no mark, and a resumed handshake counts as unverified.
    if (session) SSL_SESSION_set1_ticket_appdata(session, host, strlen(host));
}

bool byteclub_tls_resumes_verified(const void *ssl, const char *host) {
    void *mark = NULL;
    size_t count = 0;
    if (!SSL_session_reused(ssl)) return false;
    SSL_SESSION *session = SSL_get0_session(ssl);
    return session && SSL_SESSION_get0_ticket_appdata(session, &mark, &count) == 1 && mark
        && count == strlen(host) && memcmp(mark, host, count) == 0;
}

static int verify(X509_STORE_CTX *context, void *pointer) {
    byteclub_handshake *handshake = ((gate *)pointer)->handshake;
    if (!handshake) {
        X509_STORE_CTX_set_error(context, X509_V_ERR_UNSPECIFIED);
        return 0;
    }
    X509_VERIFY_PARAM *wanted = X509_STORE_CTX_get0_param(context);
    unsigned char address[16];
    bool is_address = inet_pton(AF_INET, handshake->host, address) == 1
        || inet_pton(AF_INET6, handshake->host, address) == 1;
    // With a delegate and without one, the same names count.
    X509_VERIFY_PARAM_set_hostflags(
        wanted, byteclub_host_flags(X509_STORE_CTX_get0_cert(context)));
    int is_set = is_address ? X509_VERIFY_PARAM_set1_ip_asc(wanted, handshake->host)
                            : X509_VERIFY_PARAM_set1_host(wanted, handshake->host, 0);
    bool is_fine = is_set == 1 && X509_verify_cert(context) == 1;
    handshake->verification_result = X509_STORE_CTX_get_error(context);
    if (!is_fine && handshake->verification_result == X509_V_OK) handshake->verification_result = X509_V_ERR_UNSPECIFIED;
    ERR_clear_error();
    note_chain(handshake, context);
    SSL *ssl = X509_STORE_CTX_get_ex_data(context, SSL_get_ex_data_X509_STORE_CTX_idx());
    if (is_fine && handshake->verification_result == X509_V_OK) mark_verified(ssl, handshake->host);
    if (!close_gate(handshake, ssl)) {
        X509_STORE_CTX_set_error(context, X509_V_ERR_OUT_OF_MEM);
        return 0;
    }
    X509_STORE_CTX_set_error(context, X509_V_OK);
    return 1;
}

static int choose_client_certificate(SSL *ssl, X509 **certificate, EVP_PKEY **key) {
    (void)certificate, (void)key;
    const gate *gate = SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), gate_index);
    byteclub_handshake *handshake = gate ? gate->handshake : NULL;
    if (!handshake || handshake->wants_client_certificate) return 0;
    handshake->wants_client_certificate = true;
    const STACK_OF(X509_NAME) *names = SSL_get0_peer_CA_list(ssl);
    for (int i = 0; i < sk_X509_NAME_num(names) && i < most_authorities; i++) {
        der *note = &handshake->authorities[handshake->authority_count];
        int count = i2d_X509_NAME(sk_X509_NAME_value(names, i), &note->bytes);
        if (count <= 0) continue;
        note->count = (size_t)count;
        handshake->authority_count++;
    }
    return 0; // continues without one, behind the gate
}

// MARK: - For Swift

byteclub_handshake *byteclub_handshake_make(const char *host) {
    byteclub_handshake *handshake = calloc(1, sizeof *handshake);
    if (!handshake) return NULL;
    handshake->host = strdup(host);
    if (!handshake->host) {
        free(handshake);
        return NULL;
    }
    return handshake;
}

void byteclub_handshake_on_pause(
    byteclub_handshake *handshake, void (*function)(void *context), void *context) {
    handshake->on_pause = function;
    handshake->context = context;
}

static void forget(byteclub_handshake *handshake) {
    for (size_t i = 0; i < handshake->certificate_count; i++)
        OPENSSL_free(handshake->certificates[i].bytes);
    for (size_t i = 0; i < handshake->authority_count; i++)
        OPENSSL_free(handshake->authorities[i].bytes);
    memset(handshake->certificates, 0, sizeof handshake->certificates);
    memset(handshake->authorities, 0, sizeof handshake->authorities);
    handshake->certificate_count = 0;
    handshake->authority_count = 0;
    handshake->wants_client_certificate = false;
    handshake->verification_result = X509_V_OK;
    if (handshake->gate) handshake->gate->handshake = NULL;
    leave_gate(handshake->gate);
    handshake->gate = NULL;
}

void byteclub_handshake_release(byteclub_handshake *handshake) {
    if (!handshake) return;
    forget(handshake);
    free(handshake->host);
    free(handshake);
}

bool byteclub_handshake_attach(byteclub_handshake *handshake, void *ssl_ctx) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_gate_method);
    forget(handshake); // a transfer may open a second connection
    gate *gate = calloc(1, sizeof *gate);
    if (!gate) return false;
    gate->references = 1;
    gate->handshake = handshake;
    handshake->gate = gate;
    SSL_CTX *context = ssl_ctx;
    if (!gate_method || gate_index < 0 || SSL_CTX_set_ex_data(context, gate_index, gate) != 1)
        return false;
    gate->references++;
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_cert_verify_callback(context, verify, gate);
    SSL_CTX_set_client_cert_cb(context, choose_client_certificate);
    return true;
}

bool byteclub_handshake_is_paused(const byteclub_handshake *handshake) {
    return handshake->gate && handshake->gate->is_closed && handshake->gate->blocked_count > 0;
}

unsigned byteclub_handshake_blocked_count(const byteclub_handshake *handshake) {
    return handshake->gate ? handshake->gate->blocked_count : 0;
}

void byteclub_handshake_open(byteclub_handshake *handshake) {
    if (handshake->gate) handshake->gate->is_closed = false;
}

int byteclub_handshake_verification_result(const byteclub_handshake *handshake) { return handshake->verification_result; }

const char *byteclub_verification_text(int verification_result) { return X509_verify_cert_error_string(verification_result); }

size_t byteclub_handshake_certificate_count(const byteclub_handshake *handshake) {
    return handshake->certificate_count;
}

const unsigned char *byteclub_handshake_certificate(
    const byteclub_handshake *handshake, size_t index, size_t *count) {
    *count = handshake->certificates[index].count;
    return handshake->certificates[index].bytes;
}

bool byteclub_handshake_wants_client_certificate(const byteclub_handshake *handshake) {
    return handshake->wants_client_certificate;
}

size_t byteclub_handshake_authority_count(const byteclub_handshake *handshake) {
    return handshake->authority_count;
}

const unsigned char *byteclub_handshake_authority(
    const byteclub_handshake *handshake, size_t index, size_t *count) {
    *count = handshake->authorities[index].count;
    return handshake->authorities[index].bytes;
}
