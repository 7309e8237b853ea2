#ifndef BYTECLUB_CVERSION_H
#define BYTECLUB_CVERSION_H

// The version of both programs, and of their packages: the only place that has it.
#define BYTECLUB_VERSION "0.1.0"

// The commit they were built from, e.g. `7474e81` or `7474e81-dirty`; empty where the build does not know it.
// It is in a file of its own, so that a new commit compiles that file alone.
const char *_Nonnull byteclub_commit(void);

#endif
