/* The site of nerdfeed's demonstration, inside the program. */
#ifndef NERDFEED_DEMO_H
#define NERDFEED_DEMO_H

#include <stddef.h>

typedef struct nerdfeed_demo_file {
    const char *path;           /* of its address */
    const char *type;           /* its Content-Type */
    const unsigned char *bytes; /* live as long as the program */
    size_t byte_count;
} nerdfeed_demo_file;

/* How many files there are. */
size_t nerdfeed_demo_file_count(void);

/* One of them; `index` is below the count. */
nerdfeed_demo_file nerdfeed_demo_file_at(size_t index);

#endif
