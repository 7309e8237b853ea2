#ifndef BYTECLUB_CEXPAT_SHIMS_H
#define BYTECLUB_CEXPAT_SHIMS_H

#include <expat.h>
#include <limits.h>
#include <stddef.h>

// A parser that joins an element's namespace and its name by a space: "DAV: href".
static inline XML_Parser _Nullable byteclub_xml_create(void) {
    return XML_ParserCreateNS(NULL, ' ');
}

// Feeds at most INT_MAX bytes. Returns whether the parser is content so far.
static inline int byteclub_xml_feed(
    XML_Parser _Nonnull parser, const void *_Nullable bytes, size_t count, int isLast) {
    if (count > INT_MAX) {
        return 0;
    }
    return XML_Parse(parser, (const char *)bytes, (int)count, isLast) == XML_STATUS_OK;
}

// Why the parser is not content, in English.
static inline const char *_Nonnull byteclub_xml_reason(XML_Parser _Nonnull parser) {
    const char *reason = XML_ErrorString(XML_GetErrorCode(parser));
    return reason != NULL ? reason : "no reason given";
}

#endif
