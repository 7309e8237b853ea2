// Tells the Thread Sanitizer of what it cannot see in Swift's library, which is built without it: of
// contended locks, and of continuations that are resumed early.
//
// A lock nobody contends for is one atomic operation, compiled into the program, which the sanitizer
// sees. A contended one goes through three functions of the Swift library, which is built without the
// sanitizer: it would miss who waited for whom, and report races that are none. This library is loaded
// before Swift's, does what the three do by calling them, and says what happened. Should a later Swift
// name them otherwise, nothing is hidden: the false reports come back.
//
// A continuation that was resumed before its task awaits it lets the task go on at once; the library
// tells the sanitizer of the other order alone. (A program of ten lines that passes an object so is
// reported, and is not when the resumption comes later.)

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define SWIFT_CC __attribute__((swiftcall))
#define SWIFT_SELF __attribute__((swift_context))

// There in a process that runs under the sanitizer only.
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

// MARK: - Mutex

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// _MutexHandle._lockSlow(_ thread: UInt32)
SWIFT_CC void lock_slow(uint32_t thread, SWIFT_SELF void *handle) __asm__(LOCK);
// _MutexHandle._tryLockSlow() -> Bool
SWIFT_CC bool try_lock_slow(SWIFT_SELF void *handle) __asm__(TRY_LOCK);
// _MutexHandle._unlockSlow()
SWIFT_CC void unlock_slow(SWIFT_SELF void *handle) __asm__(UNLOCK);

SWIFT_CC void lock_slow(uint32_t thread, SWIFT_SELF void *handle) {
    static SWIFT_CC void (*original)(uint32_t, SWIFT_SELF void *);
    if (!original) *(void **)&original = dlsym(RTLD_NEXT, LOCK);
    original(thread, handle);
    if (__tsan_acquire) __tsan_acquire(handle);
}

SWIFT_CC bool try_lock_slow(SWIFT_SELF void *handle) {
    static SWIFT_CC bool (*original)(SWIFT_SELF void *);
    if (!original) *(void **)&original = dlsym(RTLD_NEXT, TRY_LOCK);
    bool is_ours = original(handle);
    if (is_ours && __tsan_acquire) __tsan_acquire(handle);
    return is_ours;
}

SWIFT_CC void unlock_slow(SWIFT_SELF void *handle) {
    static SWIFT_CC void (*original)(SWIFT_SELF void *);
    if (!original) *(void **)&original = dlsym(RTLD_NEXT, UNLOCK);
    if (__tsan_release) __tsan_release(handle);
    original(handle);
}

// MARK: - Continuations

#define SWIFT_ASYNC_CC __attribute__((swiftasynccall))

// Weak: programs that are no Swift are started with this library, too.
SWIFT_CC void *swift_task_getCurrent(void) __attribute__((weak));

#define FORWARD(type, name, ...) \
    static type *original; \
    if (!original) original = (type *)dlsym(RTLD_NEXT, name); \
    original(__VA_ARGS__)

typedef SWIFT_CC void resumption(void *task);
typedef SWIFT_CC void failure(void *task, void *error);
typedef SWIFT_ASYNC_CC void await(void *context);

SWIFT_CC void swift_continuation_resume(void *task) {
    if (__tsan_release) __tsan_release(task);
    FORWARD(resumption, "swift_continuation_resume", task);
}

SWIFT_CC void swift_continuation_throwingResume(void *task) {
    if (__tsan_release) __tsan_release(task);
    FORWARD(resumption, "swift_continuation_throwingResume", task);
}

SWIFT_CC void swift_continuation_throwingResumeWithError(void *task, void *error) {
    if (__tsan_release) __tsan_release(task);
    FORWARD(failure, "swift_continuation_throwingResumeWithError", task, error);
}

SWIFT_ASYNC_CC void swift_continuation_await(void *context) {
    static await *original;
    if (!original) original = (await *)dlsym(RTLD_NEXT, "swift_continuation_await");
    if (__tsan_acquire) __tsan_acquire(swift_task_getCurrent());
    __attribute__((musttail)) return original(context);
}
