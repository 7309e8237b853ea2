#pragma once

#include <stdbool.h>

// Runs Dispatch's main queue on the calling thread, which must be the first one, for ever. Dispatch's own way
// (`dispatch_main`) ends that thread: the queue is then served by threads that come and go, and a key passes two
// of them before it is read.
void byteclub_run_main_loop(void) __attribute__((noreturn));

// Whether the calling thread is the one that runs it. From any thread.
bool byteclub_is_in_main_loop(void);

// Has the loop call a function whenever a descriptor can be read, before what else waits; one descriptor at a
// time, -1 for none. On the loop's thread only.
void byteclub_watch_in_main_loop(
    int descriptor, void (*_Nullable handler)(void *_Nullable), void *_Nullable context);
