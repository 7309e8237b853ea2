#ifndef BYTECLUB_CPNG_H
#define BYTECLUB_CPNG_H

// Reading and writing PNG through libpng. libpng reports errors by longjmp, which must not cross a
// frame of Swift's: every call here has a setjmp of its own and returns a status instead.

#include <stddef.h>
#include <stdint.h>

typedef struct byteclub_png_decoder byteclub_png_decoder;

typedef enum {
    BYTECLUB_PNG_FINE = 0,
    // libpng will have none of it; `byteclub_png_message` says why.
    BYTECLUB_PNG_REFUSED,
    // The bytes end before the picture does.
    BYTECLUB_PNG_TRUNCATED,
    BYTECLUB_PNG_EMPTY,
    // The first bytes are something else's.
    BYTECLUB_PNG_NO_PNG,
    BYTECLUB_PNG_TOO_LARGE,
    BYTECLUB_PNG_NO_MEMORY,
    // `byteclub_png_errno` says why.
    BYTECLUB_PNG_INPUT_FAILED,
    BYTECLUB_PNG_STOPPED,
} byteclub_png_status;

typedef struct {
    // Pixels in a row, and rows.
    uint32_t dimension;
    // Width times height.
    uint64_t pixels;
    // Of a picture whose rows come in several passes, which must be in memory whole.
    uint64_t interlaced_pixels;
    // Of any chunk that is not picture data.
    size_t chunk_bytes;
} byteclub_png_limits;

typedef struct {
    uint32_t width;
    uint32_t height;
    int is_interlaced;
    int has_alpha;
} byteclub_png_header;

// The descriptor stays the caller's. NULL when memory ran out.
byteclub_png_decoder *_Nullable byteclub_png_open(int descriptor, byteclub_png_limits limits);
// The bytes must outlive the decoder.
byteclub_png_decoder *_Nullable byteclub_png_open_bytes(
    const uint8_t *_Nullable bytes, size_t count, byteclub_png_limits limits);
void byteclub_png_close(byteclub_png_decoder *_Nonnull decoder);

const char *_Nonnull byteclub_png_message(const byteclub_png_decoder *_Nonnull decoder);
int byteclub_png_errno(const byteclub_png_decoder *_Nonnull decoder);

// Once, first.
byteclub_png_status byteclub_png_read_header(
    byteclub_png_decoder *_Nonnull decoder, byteclub_png_header *_Nonnull header);

// The next row of a picture that is not interlaced: `width` times red, green, blue, alpha.
byteclub_png_status byteclub_png_read_row(
    byteclub_png_decoder *_Nonnull decoder, uint8_t *_Nonnull row);

// All of an interlaced one. `should_stop` is asked between rows.
byteclub_png_status byteclub_png_read_passes(
    byteclub_png_decoder *_Nonnull decoder, uint8_t *_Nonnull pixels,
    int (*_Nonnull should_stop)(void));

// Writes a picture; `bytes` is the caller's to free. With `keeps_alpha` 0, alpha is left out.
byteclub_png_status byteclub_png_encode(
    const uint8_t *_Nonnull pixels, uint32_t width, uint32_t height, int keeps_alpha,
    uint8_t *_Nullable *_Nonnull bytes, size_t *_Nonnull count);

#endif
