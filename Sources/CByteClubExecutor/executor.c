#include "CByteClubExecutor.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define SWIFT_CC __attribute__((swiftcall))

// The Swift runtime's own interface (include/swift/Runtime/Concurrency.h, ABI/Executor.h).
typedef struct {
    void *identity;
    uintptr_t implementation;
} swift_executor;

typedef void(SWIFT_CC *enqueue_original)(void *job);
typedef void(SWIFT_CC *delay_original)(unsigned long long delay, void *job);
typedef void(SWIFT_CC *deadline_original)(
    long long seconds, long long nanoseconds, long long tolerance_seconds,
    long long tolerance_nanoseconds, int clock, void *job);

extern SWIFT_CC void swift_job_run(void *job, swift_executor executor);
extern void(SWIFT_CC *swift_task_enqueueGlobal_hook)(void *job, enqueue_original original);
extern void(SWIFT_CC *swift_task_enqueueGlobalWithDelay_hook)(
    unsigned long long delay, void *job, delay_original original);
extern void(SWIFT_CC *swift_task_enqueueGlobalWithDeadline_hook)(
    long long seconds, long long nanoseconds, long long tolerance_seconds,
    long long tolerance_nanoseconds, int clock, void *job, deadline_original original);

// _ClockID.suspending; the other one, continuous, goes on while the machine sleeps. A wait is turned
// into one that does not: a machine that slept ends it late, as it does every other timer here.
enum { SWIFT_CLOCK_SUSPENDING = 2 };

typedef struct entry {
    struct entry *next;
    void *job;
    // In nanoseconds of CLOCK_MONOTONIC; for jobs that wait only.
    int64_t due;
} entry;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static entry *ready_first, *ready_last;
// Soonest first.
static entry *waiting;
static int thread_count, thread_limit;
// Threads at rest, and those of them that were called and have not come yet.
static int idle_count, called_count;
// One idle thread keeps the time for all.
static bool has_timekeeper;

static int64_t now_on(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void append_ready(entry *item) {
    item->next = NULL;
    if (ready_last) ready_last->next = item;
    else ready_first = item;
    ready_last = item;
}

static void release_due(void) {
    int64_t now = now_on(CLOCK_MONOTONIC);
    while (waiting && waiting->due <= now) {
        entry *item = waiting;
        waiting = item->next;
        append_ready(item);
    }
}

// Sleeps until something has changed; with the lock held before and after.
static void wait_for_call(void) {
    idle_count++;
    if (waiting && !has_timekeeper) {
        has_timekeeper = true;
        struct timespec until = {
            .tv_sec = waiting->due / 1000000000, .tv_nsec = waiting->due % 1000000000};
        pthread_cond_timedwait(&changed, &lock, &until);
        has_timekeeper = false;
    } else {
        pthread_cond_wait(&changed, &lock);
    }
    idle_count--;
    if (called_count > 0) called_count--;
}

// With the lock held: sees to it that one more thread takes what has come, or keeps the time.
static void wake_thread(void);

static void *work(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    for (;;) {
        release_due();
        entry *item = ready_first;
        if (!item) {
            wait_for_call();
            continue;
        }
        ready_first = item->next;
        if (!ready_first) ready_last = NULL;
        // Others take the rest, and the time, meanwhile.
        if (ready_first || (waiting && !has_timekeeper)) wake_thread();
        pthread_mutex_unlock(&lock);
        void *job = item->job;
        free(item);
        swift_job_run(job, (swift_executor){NULL, 0});
        pthread_mutex_lock(&lock);
    }
    return NULL;
}

static void wake_thread(void) {
    if (idle_count > called_count) {
        called_count++;
        pthread_cond_signal(&changed);
        return;
    }
    if (thread_count >= thread_limit) return;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, 1 << 20);
    // Signals are for the threads that were there before: the program's handlers know those. Not those of a fault: where
    // they are blocked, a program ends without its handler, which gives the terminal back.
    static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS};
    sigset_t all, before;
    sigfillset(&all);
    for (size_t index = 0; index < sizeof faults / sizeof *faults; index++) sigdelset(&all, faults[index]);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    if (pthread_create(&thread, &attributes, work, NULL) == 0) thread_count++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
}

static entry *make_entry(void *job) {
    entry *item = malloc(sizeof *item);
    // Out of 24 bytes: nothing in the program could go on.
    if (!item) abort();
    item->job = job;
    return item;
}

static SWIFT_CC void enqueue(void *job, enqueue_original original) {
    entry *item = make_entry(job);
    pthread_mutex_lock(&lock);
    append_ready(item);
    wake_thread();
    bool is_stuck = thread_count == 0;
    if (is_stuck) ready_first = ready_last = NULL;
    pthread_mutex_unlock(&lock);
    if (is_stuck) {
        // The system has no thread for us; the runtime may find one.
        free(item);
        original(job);
    }
}

static void enqueue_after(int64_t delay, void *job) {
    entry *item = make_entry(job);
    int64_t now = now_on(CLOCK_MONOTONIC);
    item->due = delay <= 0 ? now : delay > INT64_MAX - now ? INT64_MAX : now + delay;
    pthread_mutex_lock(&lock);
    entry **place = &waiting;
    while (*place && (*place)->due <= item->due) place = &(*place)->next;
    item->next = *place;
    *place = item;
    // A thread must check the clock again; the one that keeps it now may sleep for longer than
    // this.
    if (waiting == item) {
        if (has_timekeeper) {
            called_count = idle_count;
            pthread_cond_broadcast(&changed);
        } else {
            wake_thread();
        }
    }
    pthread_mutex_unlock(&lock);
}

static SWIFT_CC void enqueue_with_delay(
    unsigned long long delay, void *job, delay_original original) {
    (void)original;
    enqueue_after(delay > INT64_MAX ? INT64_MAX : (int64_t)delay, job);
}

static SWIFT_CC void enqueue_with_deadline(
    long long seconds, long long nanoseconds, long long tolerance_seconds,
    long long tolerance_nanoseconds, int clock, void *job, deadline_original original) {
    (void)tolerance_seconds;
    (void)tolerance_nanoseconds;
    (void)original;
    int64_t now = now_on(clock == SWIFT_CLOCK_SUSPENDING ? CLOCK_MONOTONIC : CLOCK_BOOTTIME);
    int64_t delay;
    if (__builtin_mul_overflow((int64_t)seconds, (int64_t)1000000000, &delay)
        || __builtin_add_overflow(delay, (int64_t)nanoseconds, &delay)
        || __builtin_sub_overflow(delay, now, &delay)) {
        delay = seconds < 0 ? 0 : INT64_MAX;
    }
    enqueue_after(delay, job);
}

void byteclub_install_executor(void) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&changed, &attributes);
    pthread_condattr_destroy(&attributes);
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    // A job that reads a file holds its thread: two more than processors keep the others going.
    thread_limit = (int)(count < 1 ? 1 : count > 14 ? 14 : count) + 2;
    swift_task_enqueueGlobal_hook = enqueue;
    swift_task_enqueueGlobalWithDelay_hook = enqueue_with_delay;
    swift_task_enqueueGlobalWithDeadline_hook = enqueue_with_deadline;
}
