#ifndef BYTECLUB_CCURL_H
#define BYTECLUB_CCURL_H

// libcurl for Swift. Swift cannot call variadic C functions, so each option type has a typed function here.
// The header also contains system calls that Glibc's module lacks.

#include <curl/curl.h>
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

// MARK: - Easy handles

static inline CURLcode byteclub_easy_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode byteclub_easy_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode byteclub_easy_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode byteclub_easy_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode byteclub_easy_set_list(
    CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}

/// Frees a list whose lines may contain passwords, after overwriting them.
static inline void byteclub_list_erase(struct curl_slist *list) {
    for (struct curl_slist *line = list; line; line = line->next)
        if (line->data) explicit_bzero(line->data, strlen(line->data));
    curl_slist_free_all(list);
}

static inline CURLcode byteclub_easy_set_share(CURL *easy, CURLSH *share) {
    return curl_easy_setopt(easy, CURLOPT_SHARE, share);
}

/// A callback that transfers bytes: CURLOPT_WRITEFUNCTION, CURLOPT_HEADERFUNCTION, CURLOPT_READFUNCTION.
typedef size_t (*byteclub_bytes_callback)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode byteclub_easy_set_bytes_callback(
    CURL *easy, CURLoption option, byteclub_bytes_callback callback) {
    return curl_easy_setopt(easy, option, callback);
}

static inline CURLcode byteclub_easy_set_seek_callback(CURL *easy, curl_seek_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, callback);
}

static inline CURLcode byteclub_easy_set_progress_callback(
    CURL *easy, curl_xferinfo_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, callback);
}

/// Limits the unsent bytes of a socket in the kernel, which can neither be slowed down nor taken back.
enum { byteclub_unsent_limit = 128 << 10 };

/// Opens a socket that child processes do not inherit, because they would keep closed connections open.
/// libcurl 7.88 lacks that.
static inline curl_socket_t byteclub_open_socket(const struct curl_sockaddr *address) {
    int made = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    if (made >= 0 && (address->family == AF_INET || address->family == AF_INET6)) {
        int limit = byteclub_unsent_limit;
        setsockopt(made, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &limit, sizeof limit);
    }
    return made;
}

/// The number of bytes written to a socket that the peer has not acknowledged; 0 if the system does not
/// report it. Source: tcp(7), SIOCOUTQ.
static inline int byteclub_untaken_byte_count(curl_socket_t socket) {
    int count = 0;
    return ioctl(socket, SIOCOUTQ, &count) == 0 && count > 0 ? count : 0;
}

static inline CURLcode byteclub_easy_set_open_socket_callback(
    CURL *easy, curl_opensocket_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, callback);
}

/// A callback that adds the trailers of a chunked body to a list: CURLOPT_TRAILERFUNCTION.
static inline CURLcode byteclub_easy_set_trailer_callback(
    CURL *easy, curl_trailer_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_TRAILERFUNCTION, callback);
}

static inline CURLcode byteclub_easy_set_prereq_callback(
    CURL *easy, curl_prereq_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, callback);
}

/// Receives libcurl's debug output (CURLOPT_DEBUGFUNCTION), for handles with CURLOPT_VERBOSE.
static inline CURLcode byteclub_easy_set_debug_callback(CURL *easy, curl_debug_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, callback);
}

/// Called with OpenSSL's SSL_CTX of a new connection: CURLOPT_SSL_CTX_FUNCTION.
typedef CURLcode (*byteclub_tls_callback)(CURL *easy, void *ssl_ctx, void *context);

static inline CURLcode byteclub_easy_set_tls_callback(CURL *easy, byteclub_tls_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, callback);
}

static inline CURLcode byteclub_easy_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode byteclub_easy_get_pointer(CURL *easy, CURLINFO info, char **value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode byteclub_easy_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(easy, info, value);
}

/// OpenSSL's SSL of a connected transfer (CURLINFO_TLS_SSL_PTR); NULL without TLS.
static inline void *byteclub_easy_get_tls(CURL *easy) {
    struct curl_tlssessioninfo *session = NULL;
    if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || !session) return NULL;
    return session->backend == CURLSSLBACKEND_OPENSSL ? session->internals : NULL;
}

// MARK: - Multi handle

static inline CURLMcode byteclub_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode byteclub_multi_set_pointer(CURLM *multi, CURLMoption option, void *value) {
    return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode byteclub_multi_set_socket_callback(
    CURLM *multi, curl_socket_callback callback) {
    return curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, callback);
}

static inline CURLMcode byteclub_multi_set_timer_callback(
    CURLM *multi, curl_multi_timer_callback callback) {
    return curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, callback);
}

/// The easy handle and result of a CURLMSG_DONE message (the result is in a C union).
static inline CURLcode byteclub_message_result(const CURLMsg *message) {
    return message->data.result;
}

// MARK: - Shared TLS sessions

static inline CURLSHcode byteclub_share(CURLSH *share, curl_lock_data data) {
    return curl_share_setopt(share, CURLSHOPT_SHARE, data);
}

// MARK: - Process

/// Initializes libcurl once, and before it OpenSSL without its exit handler, which would free locks while
/// Dispatch's threads still hold them.
static inline CURLcode byteclub_curl_initialize(void) {
    int (*initialize_tls)(uint64_t, const void *) =
        (int (*)(uint64_t, const void *))dlsym(RTLD_DEFAULT, "OPENSSL_init_ssl");
    const uint64_t no_exit_handler = 0x00080000; // OPENSSL_INIT_NO_ATEXIT
    if (initialize_tls) initialize_tls(no_exit_handler, 0);
    CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
    // From 8.14 to 8.19, only the debug output reports a refused stream, for handles with CURLOPT_VERBOSE.
    unsigned version = curl_version_info(CURLVERSION_NOW)->version_num;
    CURLcode (*trace)(const char *) = (CURLcode (*)(const char *))dlsym(RTLD_DEFAULT, "curl_global_trace");
    if (trace && version >= 0x080e00 && version < 0x081400) trace("http/2");
    return code;
}

/// libcurl's default PEM file and folder of certificate authorities; NULL for none.
static inline const char *byteclub_curl_authorities_file(void) {
    return curl_version_info(CURLVERSION_NOW)->cainfo;
}

/// Whether libcurl was built with a TLS library.
static inline int byteclub_curl_supports_tls(void) {
    return (curl_version_info(CURLVERSION_NOW)->features & CURL_VERSION_SSL) != 0;
}

static inline const char *byteclub_curl_authorities_folder(void) {
    return curl_version_info(CURLVERSION_NOW)->capath;
}

/// Names the calling thread, for debuggers and `top`; 15 bytes at most.
static inline void byteclub_name_thread(const char *name) { prctl(PR_SET_NAME, name); }

/// The version of the loaded libcurl: 0x081400 for 8.20.0.
static inline unsigned byteclub_curl_version(void) {
    return curl_version_info(CURLVERSION_NOW)->version_num;
}

/// Whether libcurl has a feature, such as CURL_VERSION_HTTP2.
static inline bool byteclub_curl_has_feature(int bit) {
    return (curl_version_info(CURLVERSION_NOW)->features & bit) != 0;
}

// MARK: - epoll

static inline int byteclub_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

/// Watches a descriptor for the wanted events (CURL_POLL_IN, _OUT, _INOUT), whether or not it was watched
/// before. Returns 0, or an errno value.
static inline int byteclub_epoll_watch(int epoll, int descriptor, int wanted) {
    struct epoll_event event = {0};
    if (wanted & CURL_POLL_IN) event.events |= EPOLLIN;
    if (wanted & CURL_POLL_OUT) event.events |= EPOLLOUT;
    event.data.fd = descriptor;
    if (epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event) == 0) return 0;
    if (errno != ENOENT) return errno;
    return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0 ? 0 : errno;
}

/// Accepts a connection that child processes do not inherit, because they would keep it open. Returns -1
/// with errno on failure.
static inline int byteclub_take_connection(int listener) {
    return (int)syscall(SYS_accept4, listener, NULL, NULL, SOCK_CLOEXEC);
}

/// Creates a descriptor that ends a wait from another thread: once for each signal, so it is never read.
static inline int byteclub_wakeup_create(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

static inline void byteclub_wakeup_signal(int descriptor) { eventfd_write(descriptor, 1); }

static inline int byteclub_epoll_watch_wakeup(int epoll, int wakeup) {
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.fd = wakeup};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, wakeup, &event);
}

/// Whether a descriptor is one that libcurl signals itself with: an eventfd, or one end of an unnamed pair of
/// Unix sockets. The peer of a connection has a name.
static inline int byteclub_is_wakeup(int descriptor) {
    struct sockaddr_un address;
    socklen_t length = sizeof address;
    if (getsockname(descriptor, (struct sockaddr *)&address, &length) != 0) return errno == ENOTSOCK;
    if (address.sun_family != AF_UNIX) return 0;
    length = sizeof address;
    return getpeername(descriptor, (struct sockaddr *)&address, &length) == 0
        && length <= offsetof(struct sockaddr_un, sun_path);
}

static inline void byteclub_epoll_forget(int epoll, int descriptor) {
    struct epoll_event event = {0};
    epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, &event);
}

typedef struct {
    int descriptor;
    int ready; // CURL_CSELECT_IN | CURL_CSELECT_OUT | CURL_CSELECT_ERR
} byteclub_ready_socket;

/// Fills `ready` with ready sockets, at most `capacity` (64 or fewer), and returns their number. Waits up to
/// so many milliseconds for the first one; -1 waits indefinitely.
static inline int byteclub_epoll_collect(
    int epoll, byteclub_ready_socket *ready, int capacity, int milliseconds) {
    struct epoll_event events[64];
    int count = epoll_wait(epoll, events, capacity < 64 ? capacity : 64, milliseconds);
    for (int i = 0; i < count; i++) {
        ready[i].descriptor = events[i].data.fd;
        ready[i].ready = 0;
        if (events[i].events & (EPOLLIN | EPOLLHUP)) ready[i].ready |= CURL_CSELECT_IN;
        if (events[i].events & EPOLLOUT) ready[i].ready |= CURL_CSELECT_OUT;
        if (events[i].events & EPOLLERR) ready[i].ready |= CURL_CSELECT_ERR;
    }
    return count < 0 ? 0 : count;
}

// MARK: - Networks

/// A socket that becomes readable when a link, an address or a route of this machine changes.
static inline int byteclub_watch_network(void) {
    int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    if (descriptor < 0) return -1;
    struct sockaddr_nl address = {0};
    address.nl_family = AF_NETLINK;
    address.nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR
        | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE;
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0) return descriptor;
    close(descriptor);
    return -1;
}

/// Whether the peer of a connected socket has closed it, or it has failed.
static inline bool byteclub_has_hung_up(int descriptor) {
    const short no_more_to_read = 0x2000; // POLLRDHUP, which glibc defines for GNU sources only
    struct pollfd state = {descriptor, no_more_to_read, 0};
    return poll(&state, 1, 0) > 0 && (state.revents & (no_more_to_read | POLLHUP | POLLERR));
}

/// Whether a connected socket has nothing to read: no bytes, no end and no error.
static inline bool byteclub_is_silent(int descriptor) {
    const short no_more_to_read = 0x2000; // POLLRDHUP
    struct pollfd state = {descriptor, POLLIN | no_more_to_read, 0};
    return poll(&state, 1, 0) <= 0;
}

/// The local port of a connected socket; 0 if it has none.
static inline int byteclub_local_port(int descriptor) {
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    if (getsockname(descriptor, (struct sockaddr *)&address, &size) != 0) return 0;
    switch (address.ss_family) {
    case AF_INET: return ntohs(((struct sockaddr_in *)&address)->sin_port);
    case AF_INET6: return ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
    default: return 0;
    }
}

// MARK: - Files

/// Reads file data from the page cache. Returns -1 with EAGAIN if it would have to wait for a disk, and other
/// errors if the file system does not support it.
static inline ssize_t byteclub_read_cached(int descriptor, void *buffer, size_t count, off_t offset) {
    struct iovec part = {buffer, count};
    const int no_wait = 0x8; // RWF_NOWAIT
    return syscall(SYS_preadv2, descriptor, &part, 1, (long)offset, 0L, no_wait);
}

#endif
