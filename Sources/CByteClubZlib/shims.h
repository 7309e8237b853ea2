#ifndef BYTECLUB_CZLIB_SHIMS_H
#define BYTECLUB_CZLIB_SHIMS_H

// zlib's decompression for Swift: no type of zlib's shows here.

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <zlib.h>

typedef enum {
    byteclub_inflate_gzip,
    byteclub_inflate_zlib,
    byteclub_inflate_raw,
} byteclub_inflate_format;

// NULL without memory. The memory is its own: zlib holds a pointer to it.
static inline void *_Nullable byteclub_inflate_start(byteclub_inflate_format format) {
    z_stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL) {
        return NULL;
    }
    int window = format == byteclub_inflate_gzip ? 31 : format == byteclub_inflate_zlib ? 15 : -15;
    if (inflateInit2(stream, window) != Z_OK) {
        free(stream);
        return NULL;
    }
    return stream;
}

// Begins another stream of the same format.
static inline void byteclub_inflate_restart(void *_Nonnull stream) { inflateReset(stream); }

static inline void byteclub_inflate_end(void *_Nullable stream) {
    if (stream != NULL) {
        inflateEnd(stream);
        free(stream);
    }
}

typedef enum {
    byteclub_inflate_goes_on,
    byteclub_inflate_is_at_end, // and its checksum is right
    byteclub_inflate_failed,
} byteclub_inflate_state;

typedef struct {
    size_t taken;
    size_t made;
    byteclub_inflate_state state;
} byteclub_inflate_step;

// Fills `room` from `bytes`. It goes on when one of them was used up.
static inline byteclub_inflate_step byteclub_inflate(
    void *_Nonnull context, const void *_Nonnull bytes, size_t count, void *_Nonnull room,
    size_t capacity) {
    z_stream *stream = context;
    stream->next_in = (Bytef *)bytes;
    stream->avail_in = count > UINT_MAX ? UINT_MAX : (uInt)count;
    stream->next_out = room;
    stream->avail_out = capacity > UINT_MAX ? UINT_MAX : (uInt)capacity;
    const size_t given = stream->avail_in;
    const size_t free_before = stream->avail_out;
    const int result = inflate(stream, Z_NO_FLUSH);
    byteclub_inflate_step step = {
        .taken = given - stream->avail_in, .made = free_before - stream->avail_out};
    switch (result) {
    case Z_OK:
    case Z_BUF_ERROR: // nothing could be done: there are no bytes
        step.state = byteclub_inflate_goes_on;
        break;
    case Z_STREAM_END: step.state = byteclub_inflate_is_at_end; break;
    default: step.state = byteclub_inflate_failed; break;
    }
    return step;
}

#endif
