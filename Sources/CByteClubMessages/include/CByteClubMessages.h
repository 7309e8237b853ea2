/* The catalogues of messages in other languages, inside the program. */
#ifndef BYTECLUB_MESSAGES_H
#define BYTECLUB_MESSAGES_H

#include <stddef.h>

typedef struct byteclub_catalog {
    const unsigned char *bytes; /* gettext's PO format in UTF-8; live as long as the program */
    size_t byte_count;
} byteclub_catalog;

byteclub_catalog byteclub_simplified_chinese(void);

#endif
