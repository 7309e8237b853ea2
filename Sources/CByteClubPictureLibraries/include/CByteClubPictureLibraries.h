#ifndef BYTECLUB_CPICTURELIBRARIES_H
#define BYTECLUB_CPICTURELIBRARIES_H

// Decoding WebP through libwebp, HEIC and AVIF through libheif, TIFF through libtiff, and GIF, BMP and PNM through
// stb_image. Each is loaded when the first such picture comes: a program that sees none maps none, and one on a
// system without them starts all the same.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    BYTECLUB_LIBRARY_FINE = 0,
    // The library is not installed, or none of its decoders is for this kind.
    BYTECLUB_LIBRARY_MISSING,
    // The bytes end before the picture does.
    BYTECLUB_LIBRARY_TRUNCATED,
    BYTECLUB_LIBRARY_DAMAGED,
    // An animation, a layout or a color space that is not read.
    BYTECLUB_LIBRARY_UNSUPPORTED,
    BYTECLUB_LIBRARY_TOO_LARGE,
    BYTECLUB_LIBRARY_NO_MEMORY,
} byteclub_library_status;

// What decoding has led to; `message` is for logs and empty when nothing is known.
typedef struct {
    byteclub_library_status status;
    char message[120];
} byteclub_library_result;

// Loads a library unless that was done: false without it. Opens files: a process that is to be confined
// calls it before. From any thread.
bool byteclub_webp_load(void);
bool byteclub_heif_load(void);
bool byteclub_tiff_load(void);
bool byteclub_stb_load(void);

// What is installed of a library, looked up and let go of again: nothing stays loaded.
typedef struct {
    bool is_found;
    // As the library says it; empty when it does not.
    char version[32];
    // Whether it has decoders for these: WebP, HEIC's HEVC, AVIF's AV1, TIFF, and GIF, BMP and PNM.
    bool decodes_webp, decodes_hevc, decodes_av1, decodes_tiff, decodes_simple;
} byteclub_library_facts;

byteclub_library_facts byteclub_webp_facts(void);
byteclub_library_facts byteclub_heif_facts(void);
byteclub_library_facts byteclub_tiff_facts(void);
byteclub_library_facts byteclub_stb_facts(void);

// Decodes a picture at a size, averaging, into rows of RGBA that follow each other without a gap.
// What is transparent keeps its color.
//
// - pixels: `width` × `height` × 4 bytes.
byteclub_library_result byteclub_webp_decode(
    const uint8_t *_Nonnull bytes, size_t byte_count, uint32_t width, uint32_t height,
    uint8_t *_Nonnull pixels);

// The main picture of a HEIF file, turned and cropped as the file says, in rows of RGBA.
typedef struct byteclub_heif byteclub_heif;

// Decodes it at its full size.
//
// - bytes: Must stay until it is closed.
// - picture: NULL unless the result is fine. To be closed.
byteclub_library_result byteclub_heif_decode(
    const uint8_t *_Nonnull bytes, size_t byte_count, uint64_t pixel_limit,
    byteclub_heif *_Nullable *_Nonnull picture);

// - row_byte_count: From the beginning of one row to that of the next.
const uint8_t *_Nonnull byteclub_heif_pixels(
    const byteclub_heif *_Nonnull picture, uint32_t *_Nonnull width, uint32_t *_Nonnull height,
    size_t *_Nonnull row_byte_count, bool *_Nonnull has_alpha);

void byteclub_heif_close(byteclub_heif *_Nonnull picture);

// The first picture of a TIFF file, read in bands of rows.
typedef struct byteclub_tiff byteclub_tiff;

// - descriptor: Of the file, whose position stays; -1 for `bytes`. Either must stay until it is closed.
// - band_pixel_limit: Pixels of a strip, or of a row of tiles, which are in memory at once.
// - picture: NULL unless the result is fine. To be closed.
byteclub_library_result byteclub_tiff_open(
    int descriptor, const uint8_t *_Nullable bytes, size_t byte_count, uint64_t band_pixel_limit,
    byteclub_tiff *_Nullable *_Nonnull picture);

// The size as stored: what the file says about turning it is ignored.
void byteclub_tiff_size(
    const byteclub_tiff *_Nonnull picture, uint32_t *_Nonnull width, uint32_t *_Nonnull height);

// Decodes a row of RGBA, valid until the next call. Fast from the first row to the last.
byteclub_library_result byteclub_tiff_row(
    byteclub_tiff *_Nonnull picture, uint32_t row, const uint8_t *_Nullable *_Nonnull pixels);

void byteclub_tiff_close(byteclub_tiff *_Nonnull picture);

// Decodes a GIF's first frame, a BMP or a PNM into rows of RGBA that follow each other without a gap.
//
// - pixels: NULL unless the result is fine. To be freed by byteclub_stb_free.
byteclub_library_result byteclub_stb_decode(
    const uint8_t *_Nonnull bytes, size_t byte_count, uint32_t *_Nonnull width,
    uint32_t *_Nonnull height, uint8_t *_Nullable *_Nonnull pixels);

void byteclub_stb_free(uint8_t *_Nonnull pixels);

#endif
