#include "CByteClubArguments.h"

#include <features.h>
#include <stddef.h>

static char **arguments;

#ifdef __GLIBC__
__attribute__((constructor)) static void remember(int count, char **words, char **environment) {
    (void)environment;
    if (count > 0) arguments = words;
}
#endif

const char *const *byteclub_arguments(void) {
    return (const char *const *)arguments;
}
