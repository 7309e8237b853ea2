/* libjpeg-turbo for Swift.
 *
 * libjpeg reports a fatal error by longjmp, which must never cross a Swift frame. So each function
 * below makes exactly one visit to libjpeg under its own setjmp and answers with a status. The
 * callbacks that libjpeg makes on the way (source, sink, warnings, progress) are written here too;
 * the only Swift code that runs inside a visit is `should_stop`, which returns before we jump.
 *
 * A coder may be used by one thread at a time, any thread.
 */
#ifndef BYTECLUB_JPEG_SHIMS_H
#define BYTECLUB_JPEG_SHIMS_H

#include <errno.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jpeglib.h>
#include <jerror.h>

#include "coefficients.h"

#define BYTECLUB_JPEG_BUFFER_SIZE 65536

#define BYTECLUB_TEXT(words) #words
#define BYTECLUB_TEXT_OF(macro) BYTECLUB_TEXT(macro)

/* The version of the headers; the library itself says none. */
static inline const char *byteclub_jpeg_version(void) { return BYTECLUB_TEXT_OF(LIBJPEG_TURBO_VERSION); }

/* Why a visit ended early. Anything else than "fine" leaves the coder good for destruction only. */
typedef enum byteclub_jpeg_status {
    BYTECLUB_JPEG_FINE = 0,
    BYTECLUB_JPEG_REFUSED,         /* libjpeg's error: see `code` and `message` */
    BYTECLUB_JPEG_INPUT_FAILED,    /* read(2) failed: see `system_error` */
    BYTECLUB_JPEG_INPUT_EMPTY,     /* not one byte to read */
    BYTECLUB_JPEG_HEADER_TOO_LONG, /* more bytes before the picture than `header_limit` */
    BYTECLUB_JPEG_TOO_MANY_SCANS,  /* more progressive scans than `scan_limit` */
    BYTECLUB_JPEG_TOO_MUCH_WORK,   /* more blocks in all scans than `visit_limit` */
    BYTECLUB_JPEG_OUTPUT_FAILED,   /* write(2) failed: see `system_error` */
    BYTECLUB_JPEG_NO_MEMORY,
    BYTECLUB_JPEG_STOPPED          /* `should_stop` said so */
} byteclub_jpeg_status;

/* What decoder and encoder share. First in both, so that libjpeg's `client_data` can point at it. */
typedef struct byteclub_jpeg_visit {
    jmp_buf escape;
    struct jpeg_error_mgr errors;
    byteclub_jpeg_status status;
    int code;         /* libjpeg's J_MESSAGE_CODE of the fatal error */
    int system_error; /* errno of a failed read or write */
    int damage;       /* the first warning that means lost picture data, or 0 */
    char message[JMSG_LENGTH_MAX];
} byteclub_jpeg_visit;

static inline void byteclub_jpeg_leave(byteclub_jpeg_visit *visit, byteclub_jpeg_status status)
{
    visit->status = status;
    longjmp(visit->escape, 1);
}

static inline void byteclub_jpeg_error_exit(j_common_ptr info)
{
    byteclub_jpeg_visit *visit = (byteclub_jpeg_visit *)info->client_data;
    visit->code = info->err->msg_code;
    info->err->format_message(info, visit->message);
    byteclub_jpeg_leave(visit, visit->code == JERR_OUT_OF_MEMORY ? BYTECLUB_JPEG_NO_MEMORY
                                                                 : BYTECLUB_JPEG_REFUSED);
}

/* The most bytes between two markers that count as padding. */
#define BYTECLUB_JPEG_PADDING 512

/* Warnings come with a level below zero. Cameras cause some of them all the time (padding between
 * markers, odd Adobe and JFIF versions); those are not damage. */
static inline void byteclub_jpeg_emit_message(j_common_ptr info, int level)
{
    byteclub_jpeg_visit *visit = (byteclub_jpeg_visit *)info->client_data;
    if (level >= 0)
        return;
    info->err->num_warnings++;
    switch (info->err->msg_code) {
    case JWRN_ADOBE_XFORM:
    case JWRN_BOGUS_ICC:
    case JWRN_JFIF_MAJOR:
        return;
    case JWRN_EXTRANEOUS_DATA:
        /* More than padding: the decoder has lost its way in the picture's data. */
        if (info->err->msg_parm.i[0] <= BYTECLUB_JPEG_PADDING)
            return;
    }
    if (visit->damage == 0) {
        visit->damage = info->err->msg_code;
        info->err->format_message(info, visit->message);
    }
}

static inline void byteclub_jpeg_output_message(j_common_ptr info)
{
    (void)info; /* libjpeg would print on standard error, which is the screen. */
}

static inline void byteclub_jpeg_prepare(byteclub_jpeg_visit *visit)
{
    jpeg_std_error(&visit->errors);
    visit->errors.error_exit = byteclub_jpeg_error_exit;
    visit->errors.emit_message = byteclub_jpeg_emit_message;
    visit->errors.output_message = byteclub_jpeg_output_message;
}

/* ---- decoding ---- */

typedef struct byteclub_jpeg_decoder {
    byteclub_jpeg_visit visit;
    struct jpeg_decompress_struct info;
    struct jpeg_source_mgr source;
    struct jpeg_progress_mgr progress;

    /* Input: a descriptor, or (descriptor < 0) bytes that outlive the decoder. */
    int descriptor;
    const unsigned char *bytes;
    size_t byte_count;
    unsigned char *buffer;

    size_t bytes_taken;  /* from the input so far */
    size_t header_limit; /* the header's, then that of the file */
    size_t input_limit;
    int scan_limit;
    int is_collecting;   /* all scans of a picture are being read into memory */
    unsigned long long visit_limit; /* blocks decoded while collecting, each time it is visited */
    unsigned long long visits;
    byteclub_jpeg_file file; /* where coefficients are kept when they are many */
    int reached_end;     /* the input ended before the picture did */
    int (*should_stop)(void);
} byteclub_jpeg_decoder;

static inline void byteclub_jpeg_init_source(j_decompress_ptr info)
{
    (void)info;
}

static inline boolean byteclub_jpeg_fill(j_decompress_ptr info)
{
    static const unsigned char end_of_image[2] = {0xFF, JPEG_EOI};
    byteclub_jpeg_decoder *decoder = (byteclub_jpeg_decoder *)info->client_data;
    size_t count = 0;

    if (decoder->bytes_taken > decoder->header_limit)
        byteclub_jpeg_leave(&decoder->visit, BYTECLUB_JPEG_HEADER_TOO_LONG);
    /* Between two scans there may be any number of bytes that are no picture. */
    if (decoder->should_stop != NULL && decoder->should_stop())
        byteclub_jpeg_leave(&decoder->visit, BYTECLUB_JPEG_STOPPED);

    if (decoder->descriptor >= 0) {
        ssize_t result;
        do {
            result = read(decoder->descriptor, decoder->buffer, BYTECLUB_JPEG_BUFFER_SIZE);
        } while (result < 0 && errno == EINTR);
        if (result < 0) {
            decoder->visit.system_error = errno;
            byteclub_jpeg_leave(&decoder->visit, BYTECLUB_JPEG_INPUT_FAILED);
        }
        count = (size_t)result;
        decoder->source.next_input_byte = decoder->buffer;
    } else {
        count = decoder->byte_count - decoder->bytes_taken;
        if (count > BYTECLUB_JPEG_BUFFER_SIZE)
            count = BYTECLUB_JPEG_BUFFER_SIZE;
        decoder->source.next_input_byte = decoder->bytes + decoder->bytes_taken;
    }

    if (count == 0) {
        if (decoder->bytes_taken == 0)
            byteclub_jpeg_leave(&decoder->visit, BYTECLUB_JPEG_INPUT_EMPTY);
        decoder->reached_end = 1;
        WARNMS(info, JWRN_JPEG_EOF);
        /* As libjpeg's own sources do: pretend the picture ends here, which ends every loop. */
        decoder->source.next_input_byte = end_of_image;
        decoder->source.bytes_in_buffer = 2;
        return TRUE;
    }
    decoder->bytes_taken += count;
    decoder->source.bytes_in_buffer = count;
    return TRUE;
}

static inline void byteclub_jpeg_skip(j_decompress_ptr info, long count)
{
    struct jpeg_source_mgr *source = info->src;
    while (count > 0) {
        if ((size_t)count <= source->bytes_in_buffer) {
            source->next_input_byte += count;
            source->bytes_in_buffer -= (size_t)count;
            return;
        }
        count -= (long)source->bytes_in_buffer;
        source->bytes_in_buffer = 0;
        byteclub_jpeg_fill(info);
    }
}

static inline void byteclub_jpeg_term_source(j_decompress_ptr info)
{
    (void)info;
}

/* The blocks that libjpeg goes through in one row of the scan it is reading. */
static inline unsigned long long byteclub_jpeg_blocks_in_row(const struct jpeg_decompress_struct *info)
{
    unsigned long long blocks = 0;
    for (int i = 0; i < info->comps_in_scan; i++) {
        const jpeg_component_info *component = info->cur_comp_info[i];
        blocks += info->comps_in_scan == 1
            ? (unsigned long long)component->width_in_blocks * (unsigned)component->v_samp_factor
            : (unsigned long long)info->MCUs_per_row * (unsigned)component->MCU_blocks;
    }
    return blocks;
}

/* Called by libjpeg for every row of blocks it reads. A progressive picture is read whole inside
 * one visit, so this is where that visit can be stopped. */
static inline void byteclub_jpeg_monitor(j_common_ptr info)
{
    byteclub_jpeg_decoder *decoder = (byteclub_jpeg_decoder *)info->client_data;
    if (decoder->info.input_scan_number > decoder->scan_limit)
        byteclub_jpeg_leave(&decoder->visit, BYTECLUB_JPEG_TOO_MANY_SCANS);
    if (decoder->is_collecting) {
        decoder->visits += byteclub_jpeg_blocks_in_row(&decoder->info);
        if (decoder->visits > decoder->visit_limit)
            byteclub_jpeg_leave(&decoder->visit, BYTECLUB_JPEG_TOO_MUCH_WORK);
    }
    if (decoder->should_stop != NULL && decoder->should_stop())
        byteclub_jpeg_leave(&decoder->visit, BYTECLUB_JPEG_STOPPED);
}

static inline void byteclub_jpeg_decoder_destroy(byteclub_jpeg_decoder *decoder)
{
    if (decoder == NULL)
        return;
    /* Safe at any moment after creation, even a failed one: it frees what is there. */
    jpeg_destroy_decompress(&decoder->info);
    byteclub_jpeg_unmap(&decoder->file);
    free(decoder->buffer);
    free(decoder);
}

/* Makes a decoder without input, or answers NULL when memory is short. */
static inline byteclub_jpeg_decoder *byteclub_jpeg_decoder_create(void)
{
    byteclub_jpeg_decoder *decoder = (byteclub_jpeg_decoder *)calloc(1, sizeof(*decoder));
    if (decoder == NULL)
        return NULL;
    byteclub_jpeg_prepare(&decoder->visit);
    decoder->info.err = &decoder->visit.errors;
    decoder->info.client_data = decoder;
    if (setjmp(decoder->visit.escape)) {
        byteclub_jpeg_decoder_destroy(decoder);
        return NULL;
    }
    jpeg_create_decompress(&decoder->info);

    decoder->descriptor = -1;
    decoder->source.init_source = byteclub_jpeg_init_source;
    decoder->source.fill_input_buffer = byteclub_jpeg_fill;
    decoder->source.skip_input_data = byteclub_jpeg_skip;
    decoder->source.resync_to_restart = jpeg_resync_to_restart;
    decoder->source.term_source = byteclub_jpeg_term_source;
    decoder->info.src = &decoder->source;
    decoder->progress.progress_monitor = byteclub_jpeg_monitor;
    decoder->info.progress = &decoder->progress;
    return decoder;
}

/* Reads from a descriptor, which stays the caller's. */
static inline byteclub_jpeg_status byteclub_jpeg_read_from_descriptor(
    byteclub_jpeg_decoder *decoder, int descriptor)
{
    decoder->buffer = (unsigned char *)malloc(BYTECLUB_JPEG_BUFFER_SIZE);
    decoder->descriptor = descriptor;
    return decoder->buffer == NULL ? BYTECLUB_JPEG_NO_MEMORY : BYTECLUB_JPEG_FINE;
}

/* Reads from memory that must outlive the decoder. */
static inline void byteclub_jpeg_read_from_memory(
    byteclub_jpeg_decoder *decoder, const void *bytes, size_t count)
{
    decoder->bytes = (const unsigned char *)bytes;
    decoder->byte_count = count;
}

/* Reads up to the first scan. No marker is kept: libjpeg appends each to a list that it walks from
 * the beginning, so that its time grows with the square of their number. */
static inline byteclub_jpeg_status byteclub_jpeg_read_header(
    byteclub_jpeg_decoder *decoder, size_t header_limit)
{
    if (setjmp(decoder->visit.escape))
        return decoder->visit.status;
    decoder->header_limit = header_limit;
    jpeg_read_header(&decoder->info, TRUE);
    decoder->header_limit = decoder->input_limit;
    return BYTECLUB_JPEG_FINE;
}

static inline jvirt_barray_ptr byteclub_jpeg_request_array(
    j_common_ptr info, int pool, boolean is_zero, JDIMENSION blocks_per_row, JDIMENSION rows,
    JDIMENSION rows_at_once)
{
    byteclub_jpeg_file *file = &((byteclub_jpeg_decoder *)info->client_data)->file;
    byteclub_jpeg_array *array;
    (void)pool, (void)is_zero, (void)rows_at_once; /* a new file is all zeros */
    if (file->array_count >= MAX_COMPONENTS)
        ERREXIT1(info, JERR_OUT_OF_MEMORY, 0);
    array = &file->arrays[file->array_count++];
    memset(array, 0, sizeof(*array));
    array->rows = rows;
    array->row_bytes = (size_t)blocks_per_row * sizeof(JBLOCK);
    array->byte_count = byteclub_jpeg_whole_pages(array->row_bytes * rows);
    return (jvirt_barray_ptr)array;
}

static inline void byteclub_jpeg_realize_arrays(j_common_ptr info)
{
    byteclub_jpeg_file *file = &((byteclub_jpeg_decoder *)info->client_data)->file;
    file->realize(info);
    if (file->mapping == NULL && file->array_count > 0 && !byteclub_jpeg_map(file))
        ERREXIT1(info, JERR_OUT_OF_MEMORY, 1);
}

static inline JBLOCKARRAY byteclub_jpeg_access_array(
    j_common_ptr info, jvirt_barray_ptr pointer, JDIMENSION first, JDIMENSION count,
    boolean is_written)
{
    byteclub_jpeg_array *array = (byteclub_jpeg_array *)pointer;
    (void)is_written;
    if (array->start == NULL || first > array->rows || count > array->rows - first)
        ERREXIT(info, JERR_BAD_VIRTUAL_ACCESS);
    byteclub_jpeg_pass(array, first * array->row_bytes, (first + count) * array->row_bytes);
    return array->row_starts + first;
}

/* Has the coefficients kept in a file, new and of `byte_count` bytes that are its own on the disk.
 * Before the start; the descriptor stays the caller's. */
static inline byteclub_jpeg_status byteclub_jpeg_keep_coefficients_in(
    byteclub_jpeg_decoder *decoder, int descriptor, size_t byte_count, size_t kept_byte_count)
{
    struct jpeg_memory_mgr *memory = decoder->info.mem;
    decoder->file.descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    if (decoder->file.descriptor < 0)
        return BYTECLUB_JPEG_NO_MEMORY;
    decoder->file.byte_count = byte_count;
    decoder->file.kept_byte_count = kept_byte_count;
    decoder->file.realize = memory->realize_virt_arrays;
    memory->request_virt_barray = byteclub_jpeg_request_array;
    memory->realize_virt_arrays = byteclub_jpeg_realize_arrays;
    memory->access_virt_barray = byteclub_jpeg_access_array;
    return BYTECLUB_JPEG_FINE;
}

/* The bytes libjpeg keeps for the coefficients of a whole progressive picture. */
static inline size_t byteclub_jpeg_coefficient_bytes(const byteclub_jpeg_decoder *decoder)
{
    size_t total = 0;
    if (!jpeg_has_multiple_scans((j_decompress_ptr)&decoder->info))
        return 0;
    for (int i = 0; i < decoder->info.num_components; i++) {
        const jpeg_component_info *component = &decoder->info.comp_info[i];
        /* Rounded up to whole MCUs: at most four blocks more each way. */
        total += ((size_t)component->width_in_blocks + 4)
            * ((size_t)component->height_in_blocks + 4) * sizeof(JBLOCK);
    }
    return total;
}

static inline void byteclub_jpeg_set_scale(
    byteclub_jpeg_decoder *decoder, unsigned int eighths, J_COLOR_SPACE output)
{
    decoder->info.scale_num = eighths;
    decoder->info.scale_denom = 8;
    decoder->info.out_color_space = output;
}

/* Starts decoding; reads a progressive picture whole. Then `info.output_width` and `-height` hold. */
static inline byteclub_jpeg_status byteclub_jpeg_start_decoding(byteclub_jpeg_decoder *decoder)
{
    if (setjmp(decoder->visit.escape))
        return decoder->visit.status;
    decoder->is_collecting = jpeg_has_multiple_scans(&decoder->info);
    jpeg_start_decompress(&decoder->info);
    decoder->is_collecting = 0;
    return BYTECLUB_JPEG_FINE;
}

/* Decodes up to `count` rows into `rows`, each `row_bytes` after the one before. */
static inline byteclub_jpeg_status byteclub_jpeg_decode_rows(
    byteclub_jpeg_decoder *decoder, unsigned char *rows, size_t row_bytes, int count, int *decoded)
{
    *decoded = 0;
    if (setjmp(decoder->visit.escape))
        return decoder->visit.status;
    while (*decoded < count && decoder->info.output_scanline < decoder->info.output_height) {
        JSAMPROW row = rows + row_bytes * (size_t)*decoded;
        *decoded += (int)jpeg_read_scanlines(&decoder->info, &row, 1);
    }
    return BYTECLUB_JPEG_FINE;
}

/* Reads on to the end of the picture, which is where a missing end is noticed. */
static inline byteclub_jpeg_status byteclub_jpeg_finish_decoding(byteclub_jpeg_decoder *decoder)
{
    if (setjmp(decoder->visit.escape))
        return decoder->visit.status;
    jpeg_finish_decompress(&decoder->info);
    return BYTECLUB_JPEG_FINE;
}

/* ---- encoding ---- */

typedef struct byteclub_jpeg_encoder {
    byteclub_jpeg_visit visit;
    struct jpeg_compress_struct info;
    struct jpeg_destination_mgr sink;

    /* Output: a descriptor, or (descriptor < 0) memory that grows. */
    int descriptor;
    unsigned char *buffer;
    size_t capacity;
    size_t bytes_written; /* descriptor: all that went out; memory: the length of `buffer`'s content */
} byteclub_jpeg_encoder;

typedef struct byteclub_jpeg_options {
    int width;
    int height;
    int components;           /* of the rows given: 1, 3 or 4 */
    J_COLOR_SPACE input;      /* of the rows given */
    J_COLOR_SPACE stored;     /* of the file; JCS_UNKNOWN: what libjpeg takes for the input */
    int quality;              /* 1 to 100, libjpeg's scale */
    int is_progressive;
    int optimizes_tables;     /* smaller files; holds the whole picture's coefficients */
    int keeps_chroma;         /* 4:4:4 instead of 4:2:0 */
    int restart_rows;         /* 0: no restart markers */
} byteclub_jpeg_options;

static inline void byteclub_jpeg_init_sink(j_compress_ptr info)
{
    byteclub_jpeg_encoder *encoder = (byteclub_jpeg_encoder *)info->client_data;
    encoder->sink.next_output_byte = encoder->buffer;
    encoder->sink.free_in_buffer = encoder->capacity;
}

static inline void byteclub_jpeg_write_out(byteclub_jpeg_encoder *encoder, size_t count)
{
    size_t written = 0;
    while (written < count) {
        ssize_t result = write(encoder->descriptor, encoder->buffer + written, count - written);
        if (result < 0) {
            if (errno == EINTR)
                continue;
            encoder->visit.system_error = errno;
            byteclub_jpeg_leave(&encoder->visit, BYTECLUB_JPEG_OUTPUT_FAILED);
        }
        written += (size_t)result;
    }
    encoder->bytes_written += count;
}

static inline boolean byteclub_jpeg_empty_sink(j_compress_ptr info)
{
    byteclub_jpeg_encoder *encoder = (byteclub_jpeg_encoder *)info->client_data;
    if (encoder->descriptor >= 0) {
        byteclub_jpeg_write_out(encoder, encoder->capacity);
        byteclub_jpeg_init_sink(info);
    } else {
        size_t filled = encoder->capacity;
        unsigned char *grown = (unsigned char *)realloc(encoder->buffer, filled * 2);
        if (grown == NULL)
            byteclub_jpeg_leave(&encoder->visit, BYTECLUB_JPEG_NO_MEMORY);
        encoder->buffer = grown;
        encoder->capacity = filled * 2;
        encoder->sink.next_output_byte = grown + filled;
        encoder->sink.free_in_buffer = filled;
    }
    return TRUE;
}

static inline void byteclub_jpeg_term_sink(j_compress_ptr info)
{
    byteclub_jpeg_encoder *encoder = (byteclub_jpeg_encoder *)info->client_data;
    size_t filled = encoder->capacity - encoder->sink.free_in_buffer;
    if (encoder->descriptor >= 0)
        byteclub_jpeg_write_out(encoder, filled);
    else
        encoder->bytes_written = filled;
}

static inline void byteclub_jpeg_encoder_destroy(byteclub_jpeg_encoder *encoder)
{
    if (encoder == NULL)
        return;
    jpeg_destroy_compress(&encoder->info);
    free(encoder->buffer);
    free(encoder);
}

/* Makes an encoder that writes to a descriptor (the caller's), or into memory when it is below 0. */
static inline byteclub_jpeg_encoder *byteclub_jpeg_encoder_create(int descriptor)
{
    byteclub_jpeg_encoder *encoder = (byteclub_jpeg_encoder *)calloc(1, sizeof(*encoder));
    if (encoder == NULL)
        return NULL;
    byteclub_jpeg_prepare(&encoder->visit);
    encoder->info.err = &encoder->visit.errors;
    encoder->info.client_data = encoder;
    encoder->descriptor = descriptor;
    encoder->capacity = BYTECLUB_JPEG_BUFFER_SIZE;
    encoder->buffer = (unsigned char *)malloc(encoder->capacity);
    if (encoder->buffer == NULL || setjmp(encoder->visit.escape)) {
        byteclub_jpeg_encoder_destroy(encoder);
        return NULL;
    }
    jpeg_create_compress(&encoder->info);

    encoder->sink.init_destination = byteclub_jpeg_init_sink;
    encoder->sink.empty_output_buffer = byteclub_jpeg_empty_sink;
    encoder->sink.term_destination = byteclub_jpeg_term_sink;
    encoder->info.dest = &encoder->sink;
    return encoder;
}

static inline byteclub_jpeg_status byteclub_jpeg_start_encoding(
    byteclub_jpeg_encoder *encoder, byteclub_jpeg_options options)
{
    struct jpeg_compress_struct *info = &encoder->info;
    if (setjmp(encoder->visit.escape))
        return encoder->visit.status;
    info->image_width = (JDIMENSION)options.width;
    info->image_height = (JDIMENSION)options.height;
    info->input_components = options.components;
    info->in_color_space = options.input;
    jpeg_set_defaults(info);
    if (options.stored != JCS_UNKNOWN)
        jpeg_set_colorspace(info, options.stored);
    jpeg_set_quality(info, options.quality, TRUE);
    info->optimize_coding = options.optimizes_tables ? TRUE : FALSE;
    info->restart_in_rows = options.restart_rows;
    if (options.keeps_chroma)
        for (int i = 0; i < info->num_components; i++)
            info->comp_info[i].h_samp_factor = info->comp_info[i].v_samp_factor = 1;
    if (options.is_progressive)
        jpeg_simple_progression(info);
    jpeg_start_compress(info, TRUE);
    return BYTECLUB_JPEG_FINE;
}

/* Writes a marker such as APP1; after the start, before the first row. */
static inline byteclub_jpeg_status byteclub_jpeg_write_marker(
    byteclub_jpeg_encoder *encoder, int marker, const void *bytes, unsigned int count)
{
    if (setjmp(encoder->visit.escape))
        return encoder->visit.status;
    jpeg_write_marker(&encoder->info, marker, (const JOCTET *)bytes, count);
    return BYTECLUB_JPEG_FINE;
}

/* Writes an ICC profile; after the start, before the first row. */
static inline byteclub_jpeg_status byteclub_jpeg_write_profile(
    byteclub_jpeg_encoder *encoder, const void *bytes, unsigned int count)
{
    if (setjmp(encoder->visit.escape))
        return encoder->visit.status;
    jpeg_write_icc_profile(&encoder->info, (const JOCTET *)bytes, count);
    return BYTECLUB_JPEG_FINE;
}

/* Encodes `count` rows, each `row_bytes` after the one before (0: the same row again and again). */
static inline byteclub_jpeg_status byteclub_jpeg_encode_rows(
    byteclub_jpeg_encoder *encoder, const unsigned char *rows, size_t row_bytes, int count)
{
    if (setjmp(encoder->visit.escape))
        return encoder->visit.status;
    for (int i = 0; i < count; i++) {
        JSAMPROW row = (JSAMPROW)(rows + row_bytes * (size_t)i);
        jpeg_write_scanlines(&encoder->info, &row, 1);
    }
    return BYTECLUB_JPEG_FINE;
}

static inline byteclub_jpeg_status byteclub_jpeg_finish_encoding(byteclub_jpeg_encoder *encoder)
{
    if (setjmp(encoder->visit.escape))
        return encoder->visit.status;
    jpeg_finish_compress(&encoder->info);
    return BYTECLUB_JPEG_FINE;
}

#endif
