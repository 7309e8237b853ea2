/* The files that greet a new member, inside the program. */
#ifndef BYTECLUB_WELCOME_H
#define BYTECLUB_WELCOME_H

#include <stddef.h>

typedef struct byteclub_welcome_file {
    const char *name;           /* the path in the club's folder */
    const unsigned char *bytes; /* live as long as the program */
    size_t byte_count;
} byteclub_welcome_file;

/* Takes the place of the first file where the program speaks Simplified Chinese. */
extern const byteclub_welcome_file byteclub_welcome_chinese_note;

/* How many files there are; the first one is the note, in English. */
size_t byteclub_welcome_file_count(void);

/* One of them; `index` is below the count. */
byteclub_welcome_file byteclub_welcome_file_at(size_t index);

#endif
