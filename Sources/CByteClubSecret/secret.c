#include "CByteClubSecret.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>

// What is used of libsecret 0.18 and GLib 2, as their headers declare it. Both keep their binary
// interface; declaring it here spares every build their headers.
typedef struct { uint32_t domain; int code; char *message; } Error;
typedef struct Cancellable Cancellable;
typedef struct {
    const char *name;
    int flags;
    struct { const char *name; int type; } attributes[32];
    int reserved;
    void *reserved1, *reserved2, *reserved3, *reserved4, *reserved5, *reserved6, *reserved7;
} Schema;

static const Schema schema = {
    .name = "org.byteclub.Secret",
    .attributes = {{"account", 0}, {NULL, 0}},
};

static struct {
    int (*store)(
        const Schema *, const char *collection, const char *label, const char *secret, Cancellable *,
        Error **, ...);
    char *(*lookup)(const Schema *, Cancellable *, Error **, ...);
    int (*clear)(const Schema *, Cancellable *, Error **, ...);
    void (*free)(char *);
    uint32_t (*error_domain)(void);
    uint32_t (*io_error_domain)(void);
    void (*error_free)(Error *);
    Cancellable *(*new_cancellable)(void);
    void (*cancel)(Cancellable *);
    void *(*ref)(void *);
    void (*unref)(void *);
} library;

static bool is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;
// Guards `current`, which the thread of a call sets and any thread may cancel.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Cancellable *current;

static void load(void) {
    void *handle = dlopen("libsecret-1.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!handle) return;
    // GLib and GIO come with it: dlsym looks there too.
#define LOAD(member, name) if (!(*(void **)&library.member = dlsym(handle, name))) return
    LOAD(store, "secret_password_store_sync");
    LOAD(lookup, "secret_password_lookup_sync");
    LOAD(clear, "secret_password_clear_sync");
    LOAD(free, "secret_password_free");
    LOAD(error_domain, "secret_error_get_quark");
    LOAD(io_error_domain, "g_io_error_quark");
    LOAD(error_free, "g_error_free");
    LOAD(new_cancellable, "g_cancellable_new");
    LOAD(cancel, "g_cancellable_cancel");
    LOAD(ref, "g_object_ref");
    LOAD(unref, "g_object_unref");
#undef LOAD
    is_loaded = true;
}

// GIO starts threads that stay. They must leave all signals to those that were there before.
typedef struct { sigset_t signals; Cancellable *cancellable; Error *error; } Call;

static bool begin(Call *call) {
    // Not those of a fault: where they are blocked, the program ends without its handler.
    static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS};
    sigset_t all;
    sigfillset(&all);
    for (size_t index = 0; index < sizeof faults / sizeof *faults; index++) sigdelset(&all, faults[index]);
    pthread_sigmask(SIG_SETMASK, &all, &call->signals);
    call->error = NULL;
    call->cancellable = NULL;
    pthread_once(&once, load);
    if (!is_loaded) {
        pthread_sigmask(SIG_SETMASK, &call->signals, NULL);
        return false;
    }
    call->cancellable = library.new_cancellable();
    pthread_mutex_lock(&lock);
    current = call->cancellable;
    pthread_mutex_unlock(&lock);
    return true;
}

// What to make of a call's error, which is NULL where there was none.
static byteclub_secret_result end(Call *call) {
    pthread_mutex_lock(&lock);
    current = NULL;
    pthread_mutex_unlock(&lock);
    library.unref(call->cancellable);
    byteclub_secret_result result = BYTECLUB_SECRET_DONE;
    if (call->error) {
        enum { IO_ERROR_CANCELLED = 19 };
        if (call->error->domain == library.io_error_domain() &&
            call->error->code == IO_ERROR_CANCELLED)
            result = BYTECLUB_SECRET_CANCELLED;
        else if (call->error->domain == library.error_domain())
            // The service is there: the object is missing, the collection locked or not to be made.
            result = BYTECLUB_SECRET_REFUSED;
        else
            result = BYTECLUB_SECRET_UNAVAILABLE;
        library.error_free(call->error);
    }
    pthread_sigmask(SIG_SETMASK, &call->signals, NULL);
    return result;
}

byteclub_secret_result byteclub_secret_store(
    const char *account, const char *label, const char *secret) {
    Call call;
    if (!begin(&call)) return BYTECLUB_SECRET_UNAVAILABLE;
    int stored = library.store(
        &schema, NULL, label, secret, call.cancellable, &call.error, "account", account, NULL);
    byteclub_secret_result result = end(&call);
    return result == BYTECLUB_SECRET_DONE && !stored ? BYTECLUB_SECRET_REFUSED : result;
}

byteclub_secret_result byteclub_secret_lookup(const char *account, char **secret) {
    Call call;
    *secret = NULL;
    if (!begin(&call)) return BYTECLUB_SECRET_UNAVAILABLE;
    *secret = library.lookup(
        &schema, call.cancellable, &call.error, "account", account, NULL);
    byteclub_secret_result result = end(&call);
    return result == BYTECLUB_SECRET_DONE && !*secret ? BYTECLUB_SECRET_ABSENT : result;
}

void byteclub_secret_free(char *secret) {
    if (secret) library.free(secret);
}

byteclub_secret_result byteclub_secret_remove(const char *account) {
    Call call;
    if (!begin(&call)) return BYTECLUB_SECRET_UNAVAILABLE;
    int removed = library.clear(&schema, call.cancellable, &call.error, "account", account, NULL);
    byteclub_secret_result result = end(&call);
    return result == BYTECLUB_SECRET_DONE && !removed ? BYTECLUB_SECRET_ABSENT : result;
}

void byteclub_secret_cancel(void) {
    pthread_mutex_lock(&lock);
    Cancellable *cancellable = current ? library.ref(current) : NULL;
    pthread_mutex_unlock(&lock);
    if (!cancellable) return;
    library.cancel(cancellable);
    library.unref(cancellable);
}
