#ifndef BYTECLUB_CEXECUTOR_H
#define BYTECLUB_CEXECUTOR_H

// Runs Swift's concurrent jobs on a few threads of our own instead of Dispatch's global queues.
//
// As soon as anything has run on one of those, libdispatch on Linux wakes up every second, for as
// long as the program lives, to count their threads. A program at rest should rest. Here threads
// sleep in the kernel until there is a job, or until one is due.
//
// Call once, before the first task is made. Uses the hooks that the Swift runtime offers for this
// (swift_task_enqueueGlobal_hook and its two siblings); the main actor and actors with executors of
// their own are not concerned.
void byteclub_install_executor(void);

#endif
