#define _GNU_SOURCE
#include "CByteClubMainLoop.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// Dispatch's interface for run loops, as Foundation uses it (swift-corelibs-libdispatch, private/private.h): an
// eventfd that is readable while the main queue has something, and the call that runs it.
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *unused);

static struct {
    int descriptor;
    void (*handler)(void *);
    void *context;
} input = {.descriptor = -1};

static pthread_t loop_thread;
static bool is_running;

bool byteclub_is_in_main_loop(void) { return is_running && pthread_equal(loop_thread, pthread_self()); }

void byteclub_watch_in_main_loop(int descriptor, void (*handler)(void *), void *context) {
    input.descriptor = descriptor;
    input.handler = handler;
    input.context = context;
}

// Asks the kernel for short turns, which come sooner: a key is handled in less than a millisecond. Linux 6.12 and
// newer know it; elsewhere nothing changes. Not for the threads and programs that come from this thread.
static void ask_for_short_turns(void) {
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
    } attributes = {
        .size = 48,
        .policy = SCHED_OTHER,
        .flags = 1, // SCHED_FLAG_RESET_ON_FORK
        .nice = getpriority(PRIO_PROCESS, 0),
        .runtime = 100000,
    };
    syscall(SYS_sched_setattr, 0, &attributes, 0);
}

void byteclub_run_main_loop(void) {
    loop_thread = pthread_self();
    is_running = true;
    ask_for_short_turns();
    const int queue = _dispatch_get_main_queue_handle_4CF();
    for (;;) {
        struct pollfd items[] = {
            {.fd = queue, .events = POLLIN},
            {.fd = input.descriptor, .events = POLLIN},
        };
        if (poll(items, 2, -1) < 0) {
            // EINTR, or no memory for the moment.
            if (errno != EINTR) usleep(1000);
            continue;
        }
        if (items[1].revents && input.handler) input.handler(input.context);
        if (items[0].revents) {
            uint64_t count;
            if (read(queue, &count, sizeof count) > 0 || errno == EAGAIN)
                _dispatch_main_queue_callback_4CF(NULL);
        }
    }
}
