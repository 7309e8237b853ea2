#ifndef BYTECLUB_CARGUMENTS_H
#define BYTECLUB_CARGUMENTS_H

// The program's arguments as the kernel has passed them. Swift reads them from /proc/self/cmdline, and
// has none where /proc is not mounted, as in some containers and chroots.

// The arguments, the program's name first, NULL behind the last; NULL where the C library does not pass
// them to constructors (only glibc does).
const char *_Nullable const *_Nullable byteclub_arguments(void);

#endif
