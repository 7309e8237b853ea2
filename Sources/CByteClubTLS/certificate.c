#include "CByteClubTLS.h"

#include <arpa/inet.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// X509 under another name. Functions report errors by their result; OpenSSL's error queue is left
// empty, because libcurl reads it.

static X509 *x509(const byteclub_certificate *certificate) { return (X509 *)certificate; }

byteclub_certificate *byteclub_certificate_read(const unsigned char *der, size_t count) {
    if (count == 0 || count > 1 << 20) return NULL;
    const unsigned char *end = der;
    X509 *certificate = d2i_X509(NULL, &end, (long)count);
    if (certificate && end != der + count) {
        X509_free(certificate);
        certificate = NULL;
    }
    ERR_clear_error();
    return (byteclub_certificate *)certificate;
}

void byteclub_certificate_free(byteclub_certificate *certificate) { X509_free(x509(certificate)); }

// MARK: - Texts

static char *copy(const char *bytes, size_t count) {
    char *text = malloc(count + 1);
    if (!text) return NULL;
    memcpy(text, bytes, count);
    text[count] = 0;
    return text;
}

static char *name_text(const X509_NAME *name) {
    BIO *bio = BIO_new(BIO_s_mem());
    if (!bio) return NULL;
    char *text = NULL;
    // UTF-8 unchanged, control characters escaped, the most specific part first.
    if (X509_NAME_print_ex(bio, name, 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB) >= 0) {
        char *bytes = NULL;
        long count = BIO_get_mem_data(bio, &bytes);
        text = copy(bytes, count > 0 ? (size_t)count : 0);
    }
    BIO_free(bio);
    ERR_clear_error();
    return text;
}

char *byteclub_certificate_subject(const byteclub_certificate *certificate) {
    return name_text(X509_get_subject_name(x509(certificate)));
}

char *byteclub_certificate_issuer(const byteclub_certificate *certificate) {
    return name_text(X509_get_issuer_name(x509(certificate)));
}

char *byteclub_certificate_serial(const byteclub_certificate *certificate) {
    BIGNUM *number = ASN1_INTEGER_to_BN(X509_get0_serialNumber(x509(certificate)), NULL);
    char *digits = number ? BN_bn2hex(number) : NULL;
    char *text = digits ? copy(digits, strlen(digits)) : NULL;
    OPENSSL_free(digits);
    BN_free(number);
    ERR_clear_error();
    return text;
}

char *byteclub_name_text(const unsigned char *der, size_t count) {
    if (count == 0 || count > 1 << 20) return NULL;
    X509_NAME *name = d2i_X509_NAME(NULL, &der, (long)count);
    ERR_clear_error();
    if (!name) return NULL;
    char *text = name_text(name);
    X509_NAME_free(name);
    return text;
}

void byteclub_text_free(char *text) { free(text); }

// MARK: - Facts

static bool seconds(const ASN1_TIME *date, int64_t *result) {
    struct tm parts = {0};
    if (ASN1_TIME_to_tm(date, &parts) != 1) return false;
    *result = timegm(&parts);
    return true;
}

bool byteclub_certificate_dates(
    const byteclub_certificate *certificate, int64_t *from, int64_t *until) {
    bool makes_sense = seconds(X509_get0_notBefore(x509(certificate)), from)
        && seconds(X509_get0_notAfter(x509(certificate)), until);
    ERR_clear_error();
    return makes_sense;
}

static bool is_plain(const unsigned char *bytes, int count) {
    for (int i = 0; i < count; i++)
        if (bytes[i] <= 0x20 || bytes[i] >= 0x7F) return false;
    return count > 0;
}

static char *host_text(const GENERAL_NAME *name) {
    if (name->type == GEN_DNS) {
        const unsigned char *bytes = ASN1_STRING_get0_data(name->d.dNSName);
        int count = ASN1_STRING_length(name->d.dNSName);
        return is_plain(bytes, count) ? copy((const char *)bytes, (size_t)count) : NULL;
    }
    if (name->type == GEN_IPADD) {
        const unsigned char *bytes = ASN1_STRING_get0_data(name->d.iPAddress);
        int count = ASN1_STRING_length(name->d.iPAddress);
        char text[INET6_ADDRSTRLEN];
        int family = count == 4 ? AF_INET : AF_INET6;
        if ((count != 4 && count != 16) || !inet_ntop(family, bytes, text, sizeof text)) return NULL;
        return copy(text, strlen(text));
    }
    return NULL;
}

char *byteclub_certificate_host(const byteclub_certificate *certificate, int index) {
    GENERAL_NAMES *names =
        X509_get_ext_d2i(x509(certificate), NID_subject_alt_name, NULL, NULL);
    char *text = NULL;
    for (int i = 0; i < sk_GENERAL_NAME_num(names) && i < 1000; i++) {
        text = host_text(sk_GENERAL_NAME_value(names, i));
        if (!text) continue;
        if (index-- == 0) break;
        free(text);
        text = NULL;
    }
    GENERAL_NAMES_free(names);
    ERR_clear_error();
    return text;
}

unsigned char *byteclub_certificate_public_key(
    const byteclub_certificate *certificate, size_t *count) {
    unsigned char *bytes = NULL;
    int length = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(x509(certificate)), &bytes);
    ERR_clear_error();
    *count = length > 0 ? (size_t)length : 0;
    return length > 0 ? bytes : NULL;
}

void byteclub_bytes_free(unsigned char *bytes) { OPENSSL_free(bytes); }

unsigned byteclub_host_flags(void *certificate) {
    unsigned flags = X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS;
    GENERAL_NAMES *names = X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
    for (int i = 0; i < sk_GENERAL_NAME_num(names); i++) {
        int type = sk_GENERAL_NAME_value(names, i)->type;
        if (type == GEN_DNS || type == GEN_IPADD) flags |= X509_CHECK_FLAG_NEVER_CHECK_SUBJECT;
    }
    GENERAL_NAMES_free(names);
    ERR_clear_error();
    return flags;
}

bool byteclub_certificate_is_for(const byteclub_certificate *certificate, const char *host) {
    unsigned char address[16];
    bool is_address =
        inet_pton(AF_INET, host, address) == 1 || inet_pton(AF_INET6, host, address) == 1;
    int answer = is_address ? X509_check_ip_asc(x509(certificate), host, 0)
                            : X509_check_host(
                                  x509(certificate), host, 0,
                                  byteclub_host_flags(x509(certificate)), NULL);
    ERR_clear_error();
    return answer == 1;
}

bool byteclub_certificate_is_self_issued(const byteclub_certificate *certificate) {
    return X509_NAME_cmp(
               X509_get_subject_name(x509(certificate)), X509_get_issuer_name(x509(certificate)))
        == 0;
}
