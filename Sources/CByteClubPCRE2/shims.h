#ifndef BYTECLUB_CPCRE2_SHIMS_H
#define BYTECLUB_CPCRE2_SHIMS_H

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stddef.h>
#include <stdint.h>

// Compiles a pattern in UTF-8. On failure returns NULL, with PCRE2's error number and the byte of
// the pattern that it is about.
static inline pcre2_code *_Nullable byteclub_regex_compile(
    const uint8_t *_Nullable pattern, size_t count, int isLiteral, int ignoresCase,
    int *_Nonnull error, size_t *_Nonnull offset) {
    // Bytes that are no UTF-8 match nothing but do not end the search.
    uint32_t options = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_USE_OFFSET_LIMIT;
    if (isLiteral) {
        options |= PCRE2_LITERAL;
    } else {
        options |= PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C;
    }
    if (ignoresCase) {
        options |= PCRE2_CASELESS;
    }
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    if (context == NULL) {
        *error = PCRE2_ERROR_NOMEMORY;
        return NULL;
    }
    pcre2_set_newline(context, PCRE2_NEWLINE_ANYCRLF);
    pcre2_set_max_pattern_length(context, 4096);
    PCRE2_SIZE place = 0;
    pcre2_code *code = pcre2_compile(pattern, count, options, error, &place, context);
    pcre2_compile_context_free(context);
    *offset = place;
    return code;
}

// A context that bounds the steps of one attempt to match, and its memory in KiB.
static inline pcre2_match_context *_Nullable byteclub_regex_context(
    uint32_t steps, uint32_t kibibytes) {
    pcre2_match_context *context = pcre2_match_context_create(NULL);
    if (context != NULL) {
        pcre2_set_match_limit(context, steps);
        pcre2_set_depth_limit(context, steps);
        pcre2_set_heap_limit(context, kibibytes);
    }
    return context;
}

static inline pcre2_match_data *_Nullable byteclub_regex_data(const pcre2_code *_Nonnull code) {
    return pcre2_match_data_create_from_pattern(code, NULL);
}

// Looks for a match that begins in [start, last]. Returns the number of groups, the match itself
// included, or an error of PCRE2's: no match is -1; -2 when the text goes on (isPart) and what
// follows could change the result.
static inline int byteclub_regex_match(
    const pcre2_code *_Nonnull code, pcre2_match_data *_Nonnull data,
    pcre2_match_context *_Nonnull context, const uint8_t *_Nullable subject, size_t count,
    size_t start, size_t last, int beginsInLine, int endsInLine, int isPart) {
    uint32_t options = 0;
    if (beginsInLine) {
        options |= PCRE2_NOTBOL;
    }
    if (endsInLine) {
        options |= PCRE2_NOTEOL;
    }
    if (isPart) {
        options |= PCRE2_PARTIAL_HARD;
    }
    pcre2_set_offset_limit(context, last);
    return pcre2_match(
        code, subject != NULL ? subject : (const uint8_t *)"", count, start, options, data,
        context);
}

// The numbers of the groups with a name, at most `limit`; returns how many there are.
static inline size_t byteclub_regex_groups(
    const pcre2_code *_Nonnull code, const char *_Nonnull name, uint32_t *_Nonnull numbers, size_t limit) {
    PCRE2_SPTR first, last;
    int size = pcre2_substring_nametable_scan(code, (PCRE2_SPTR)name, &first, &last);
    size_t count = 0;
    if (size <= 0) {
        return 0;
    }
    for (PCRE2_SPTR entry = first; entry <= last && count < limit; entry += size) {
        numbers[count++] = (uint32_t)entry[0] << 8 | entry[1];
    }
    return count;
}

// The bytes of a group of the last match; 0 when it took no part in it.
static inline int byteclub_regex_group(
    pcre2_match_data *_Nonnull data, uint32_t group, size_t *_Nonnull start,
    size_t *_Nonnull end) {
    if (group >= pcre2_get_ovector_count(data)) {
        return 0;
    }
    const PCRE2_SIZE *places = pcre2_get_ovector_pointer(data);
    *start = places[2 * group];
    *end = places[2 * group + 1];
    // A \K inside of a look ahead can put the start behind the end.
    return *start != PCRE2_UNSET && *end != PCRE2_UNSET && *start <= *end;
}

// Where the attempt that matched began: before the match itself where the pattern has a \K.
static inline size_t byteclub_regex_start(pcre2_match_data *_Nonnull data) {
    return pcre2_get_startchar(data);
}

// What an error means, in English; returns the number of characters.
static inline int byteclub_regex_reason(int error, uint8_t *_Nonnull buffer, size_t count) {
    return pcre2_get_error_message(error, buffer, count);
}

static inline void byteclub_regex_free(pcre2_code *_Nullable code) { pcre2_code_free(code); }

static inline void byteclub_regex_free_data(pcre2_match_data *_Nullable data) {
    pcre2_match_data_free(data);
}

static inline void byteclub_regex_free_context(pcre2_match_context *_Nullable context) {
    pcre2_match_context_free(context);
}

#endif
