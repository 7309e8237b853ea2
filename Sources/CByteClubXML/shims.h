#ifndef BYTECLUB_CXML_SHIMS_H
#define BYTECLUB_CXML_SHIMS_H

#include <errno.h>
#include <iconv.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <libxml/HTMLparser.h>
#include <libxml/parser.h>

// 20914 for 2.9.14: of the library that is loaded, whatever the headers were.
static inline int byteclub_xml_version(void) { return atoi(xmlParserVersion); }

// What the parser calls. `attributes` are pairs of a name and a value, which may be NULL, and NULL at the end.
typedef void (*byteclub_html_start)(
    void *_Nullable context, const unsigned char *_Nullable name,
    const unsigned char *_Nullable *_Nullable attributes);
typedef void (*byteclub_html_end)(void *_Nullable context, const unsigned char *_Nullable name);
typedef void (*byteclub_html_text)(
    void *_Nullable context, const unsigned char *_Nullable bytes, int count);

// A parser of UTF-8 that builds no tree, opens nothing and prints nothing: it only calls.
static inline htmlParserCtxtPtr _Nullable byteclub_html_create(
    void *_Nonnull context, byteclub_html_start _Nonnull start, byteclub_html_end _Nonnull end,
    byteclub_html_text _Nonnull text) {
    xmlSAXHandler handler;
    memset(&handler, 0, sizeof(handler));
    handler.startElement = start;
    handler.endElement = end;
    handler.characters = text;
    handler.ignorableWhitespace = text;
    htmlParserCtxtPtr parser =
        htmlCreatePushParserCtxt(&handler, context, NULL, 0, NULL, XML_CHAR_ENCODING_UTF8);
    if (parser != NULL) {
        // The encoding that a page names was obeyed before, when it was made UTF-8.
        htmlCtxtUseOptions(
            parser, HTML_PARSE_RECOVER | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING
                        | HTML_PARSE_NONET | HTML_PARSE_IGNORE_ENC);
    }
    return parser;
}

static inline void byteclub_html_feed(
    htmlParserCtxtPtr _Nonnull parser, const void *_Nullable bytes, int count, int isLast) {
    htmlParseChunk(parser, (const char *)bytes, count, isLast);
}

// How many attributes a tag may have that is not complete yet, if it is what the parser waits for: the number of blanks
// and quotes in it, up to a limit. What begins with `<?` or `</` may turn out to be text with a tag in it.
static inline int byteclub_html_pending_attributes(
    htmlParserCtxtPtr _Nonnull parser, int limit) {
    if (parser->input == NULL) return 0;
    const unsigned char *at = parser->input->cur, *end = parser->input->end;
    if (end - at < 2 || at[0] != '<') return 0;
    int isTag = (at[1] | 0x20) >= 'a' && (at[1] | 0x20) <= 'z';
    if (!isTag && at[1] != '?' && at[1] != '/') return 0;
    int count = 0;
    for (; at < end && count <= limit; at++)
        count += *at <= ' ' || *at == '"' || *at == '\'';
    return count;
}

static inline void byteclub_html_free(htmlParserCtxtPtr _Nonnull parser) {
    htmlFreeParserCtxt(parser);
}

// Opens a conversion to UTF-8; NULL when the encoding is not known.
static inline void *_Nullable byteclub_iconv_open(const char *_Nonnull encoding) {
    iconv_t converter = iconv_open("UTF-8", encoding);
    return converter == (iconv_t)-1 ? NULL : (void *)converter;
}

// Converts as much as it can and moves the counts on. Returns 0 when all was converted, else EILSEQ (not
// this encoding here), EINVAL (cut off at the end) or E2BIG (no room).
static inline int byteclub_iconv(
    void *_Nonnull converter, const unsigned char *_Nonnull source, size_t *_Nonnull sourceOffset,
    size_t sourceCount, unsigned char *_Nonnull result, size_t *_Nonnull resultOffset,
    size_t resultCount) {
    char *in = (char *)source + *sourceOffset;
    char *out = (char *)result + *resultOffset;
    size_t inLeft = sourceCount - *sourceOffset;
    size_t outLeft = resultCount - *resultOffset;
    errno = 0;
    size_t count = iconv((iconv_t)converter, &in, &inLeft, &out, &outLeft);
    *sourceOffset = sourceCount - inLeft;
    *resultOffset = resultCount - outLeft;
    return count == (size_t)-1 ? errno : 0;
}

static inline void byteclub_iconv_close(void *_Nonnull converter) {
    iconv_close((iconv_t)converter);
}

#endif
