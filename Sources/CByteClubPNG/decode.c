#include "CByteClubPNG.h"

#include <errno.h>
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct byteclub_png_decoder {
    png_structp png;
    png_infop info;
    byteclub_png_limits limits;
    byteclub_png_status status;
    int is_beyond_limits;
    int system_error;
    char message[128];
    uint32_t height;
    // Where the bytes come from: memory, or a descriptor through a buffer.
    const uint8_t *bytes;
    size_t filled, used;
    int descriptor;
    size_t total;
    uint8_t buffer[16 << 10];
};

static void fail(png_structp png, png_const_charp message) {
    byteclub_png_decoder *decoder = png_get_error_ptr(png);
    if (decoder->status == BYTECLUB_PNG_FINE) {
        decoder->status =
            decoder->is_beyond_limits ? BYTECLUB_PNG_TOO_LARGE : BYTECLUB_PNG_REFUSED;
    }
    strncpy(decoder->message, message, sizeof decoder->message - 1);
    png_longjmp(png, 1);
}

// libpng reports a limit with a warning, and then fails with another message.
static void note(png_structp png, png_const_charp message) {
    byteclub_png_decoder *decoder = png_get_error_ptr(png);
    if (strstr(message, "user limit")) decoder->is_beyond_limits = 1;
}

static void stop(byteclub_png_decoder *decoder, byteclub_png_status status, const char *message) {
    decoder->status = status;
    png_error(decoder->png, message);
}

static void read_bytes(png_structp png, png_bytep target, size_t count) {
    byteclub_png_decoder *decoder = png_get_io_ptr(png);
    while (count > 0) {
        if (decoder->used == decoder->filled) {
            ssize_t received = 0;
            if (decoder->descriptor >= 0) {
                do {
                    received = read(decoder->descriptor, decoder->buffer, sizeof decoder->buffer);
                } while (received < 0 && errno == EINTR);
            }
            if (received < 0) {
                decoder->system_error = errno;
                stop(decoder, BYTECLUB_PNG_INPUT_FAILED, "read");
            }
            if (received == 0) {
                stop(
                    decoder, decoder->total == 0 ? BYTECLUB_PNG_EMPTY : BYTECLUB_PNG_TRUNCATED,
                    "end of file");
            }
            decoder->bytes = decoder->buffer;
            decoder->filled = (size_t)received;
            decoder->used = 0;
        }
        size_t piece = decoder->filled - decoder->used;
        if (piece > count) piece = count;
        memcpy(target, decoder->bytes + decoder->used, piece);
        decoder->used += piece;
        decoder->total += piece;
        target += piece;
        count -= piece;
    }
}

static byteclub_png_decoder *create(byteclub_png_limits limits) {
    byteclub_png_decoder *decoder = calloc(1, sizeof *decoder);
    if (!decoder) return NULL;
    decoder->limits = limits;
    decoder->descriptor = -1;
    decoder->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, decoder, fail, note);
    if (decoder->png) decoder->info = png_create_info_struct(decoder->png);
    if (!decoder->info) {
        byteclub_png_close(decoder);
        return NULL;
    }
    png_set_read_fn(decoder->png, decoder, read_bytes);
    return decoder;
}

byteclub_png_decoder *byteclub_png_open(int descriptor, byteclub_png_limits limits) {
    byteclub_png_decoder *decoder = create(limits);
    if (decoder) decoder->descriptor = descriptor;
    return decoder;
}

byteclub_png_decoder *byteclub_png_open_bytes(
    const uint8_t *bytes, size_t count, byteclub_png_limits limits) {
    byteclub_png_decoder *decoder = create(limits);
    if (decoder) {
        decoder->bytes = bytes;
        decoder->filled = count;
    }
    return decoder;
}

void byteclub_png_close(byteclub_png_decoder *decoder) {
    png_destroy_read_struct(&decoder->png, &decoder->info, NULL);
    free(decoder);
}

const char *byteclub_png_message(const byteclub_png_decoder *decoder) { return decoder->message; }
int byteclub_png_errno(const byteclub_png_decoder *decoder) { return decoder->system_error; }

// Chunks that say nothing about the pixels as they are shown here. Those that are compressed are not
// even unpacked.
static const png_byte ignored_chunks[] =
    "bKGD\0cHRM\0eXIf\0hIST\0iCCP\0iTXt\0oFFs\0pCAL\0pHYs\0sCAL\0sPLT\0sRGB\0tEXt\0tIME\0zTXt";

byteclub_png_status byteclub_png_read_header(
    byteclub_png_decoder *decoder, byteclub_png_header *header) {
    png_structp png = decoder->png;
    png_infop info = decoder->info;
    if (setjmp(png_jmpbuf(png))) return decoder->status;

    png_byte signature[8];
    read_bytes(png, signature, sizeof signature);
    if (png_sig_cmp(signature, 0, sizeof signature) != 0) {
        stop(decoder, BYTECLUB_PNG_NO_PNG, "no signature");
    }
    png_set_sig_bytes(png, sizeof signature);
    png_set_user_limits(png, decoder->limits.dimension, decoder->limits.dimension);
    png_set_chunk_malloc_max(png, decoder->limits.chunk_bytes);
    png_set_chunk_cache_max(png, 16);
    png_set_keep_unknown_chunks(
        png, PNG_HANDLE_CHUNK_NEVER, ignored_chunks, sizeof ignored_chunks / 5);
    png_read_info(png, info);

    uint32_t width = png_get_image_width(png, info);
    uint32_t height = png_get_image_height(png, info);
    uint64_t pixels = (uint64_t)width * height;
    int is_interlaced = png_get_interlace_type(png, info) != PNG_INTERLACE_NONE;
    if (pixels > decoder->limits.pixels
        || (is_interlaced && pixels > decoder->limits.interlaced_pixels)) {
        stop(decoder, BYTECLUB_PNG_TOO_LARGE, "too many pixels");
    }
    int has_alpha = (png_get_color_type(png, info) & PNG_COLOR_MASK_ALPHA) != 0
        || png_get_valid(png, info, PNG_INFO_tRNS) != 0;

    // Whatever is stored: 8 bits of red, green, blue, alpha.
    png_set_scale_16(png);
    png_set_expand(png);
    png_set_gray_to_rgb(png);
    png_set_add_alpha(png, 0xFF, PNG_FILLER_AFTER);
    if (is_interlaced) png_set_interlace_handling(png);
    png_read_update_info(png, info);
    if (png_get_rowbytes(png, info) != (size_t)width * 4) png_error(png, "odd rows");

    decoder->height = height;
    *header = (byteclub_png_header){
        .width = width, .height = height, .is_interlaced = is_interlaced, .has_alpha = has_alpha};
    return BYTECLUB_PNG_FINE;
}

byteclub_png_status byteclub_png_read_row(byteclub_png_decoder *decoder, uint8_t *row) {
    if (setjmp(png_jmpbuf(decoder->png))) return decoder->status;
    png_read_row(decoder->png, row, NULL);
    return BYTECLUB_PNG_FINE;
}

byteclub_png_status byteclub_png_read_passes(
    byteclub_png_decoder *decoder, uint8_t *pixels, int (*should_stop)(void)) {
    if (setjmp(png_jmpbuf(decoder->png))) return decoder->status;
    size_t row_bytes = png_get_rowbytes(decoder->png, decoder->info);
    for (int pass = 0; pass < PNG_INTERLACE_ADAM7_PASSES; pass++) {
        for (uint32_t row = 0; row < decoder->height; row++) {
            if (row % 64 == 0 && should_stop()) {
                stop(decoder, BYTECLUB_PNG_STOPPED, "stopped");
            }
            png_read_row(decoder->png, pixels + row * row_bytes, NULL);
        }
    }
    return BYTECLUB_PNG_FINE;
}
