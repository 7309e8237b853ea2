#include "CByteClubPNG.h"

#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint8_t *bytes;
    size_t count, capacity;
    byteclub_png_status status;
} output;

static void fail(png_structp png, png_const_charp message) {
    (void)message;
    output *out = png_get_error_ptr(png);
    if (out->status == BYTECLUB_PNG_FINE) out->status = BYTECLUB_PNG_REFUSED;
    png_longjmp(png, 1);
}

static void ignore(png_structp png, png_const_charp message) {
    (void)png;
    (void)message;
}

static void write_bytes(png_structp png, png_bytep bytes, size_t count) {
    output *out = png_get_io_ptr(png);
    if (count > out->capacity - out->count) {
        size_t capacity = out->capacity * 2 + count + 4096;
        uint8_t *grown = realloc(out->bytes, capacity);
        if (!grown) {
            out->status = BYTECLUB_PNG_NO_MEMORY;
            png_error(png, "memory");
        }
        out->bytes = grown;
        out->capacity = capacity;
    }
    memcpy(out->bytes + out->count, bytes, count);
    out->count += count;
}

static void flush(png_structp png) { (void)png; }

// `out` lives in the caller's frame, so that what it holds is certain after a longjmp.
static byteclub_png_status encode(
    png_structp png, png_infop info, output *out, const uint8_t *pixels, uint32_t width,
    uint32_t height, int keeps_alpha) {
    if (setjmp(png_jmpbuf(png))) return out->status;
    png_set_write_fn(png, out, write_bytes, flush);
    png_set_IHDR(
        png, info, width, height, 8, keeps_alpha ? PNG_COLOR_TYPE_RGB_ALPHA : PNG_COLOR_TYPE_RGB,
        PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    if (!keeps_alpha) png_set_filler(png, 0, PNG_FILLER_AFTER);
    for (uint32_t row = 0; row < height; row++) {
        png_write_row(png, pixels + (size_t)row * width * 4);
    }
    png_write_end(png, info);
    return BYTECLUB_PNG_FINE;
}

byteclub_png_status byteclub_png_encode(
    const uint8_t *pixels, uint32_t width, uint32_t height, int keeps_alpha, uint8_t **bytes,
    size_t *count) {
    output out = {0};
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &out, fail, ignore);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    byteclub_png_status status = BYTECLUB_PNG_NO_MEMORY;
    if (info) status = encode(png, info, &out, pixels, width, height, keeps_alpha);
    png_destroy_write_struct(&png, &info);
    if (status != BYTECLUB_PNG_FINE) {
        free(out.bytes);
        return status;
    }
    *bytes = out.bytes;
    *count = out.count;
    return BYTECLUB_PNG_FINE;
}
