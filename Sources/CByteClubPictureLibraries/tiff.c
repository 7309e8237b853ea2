#include "CByteClubPictureLibraries.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// What is used of libtiff 4.0.8 and later, as tiffio.h declares it.
typedef struct tiff File;
typedef ssize_t (*Transfer)(void *, void *, ssize_t);
typedef uint64_t (*Seek)(void *, uint64_t, int);
typedef int (*Close)(void *);
typedef uint64_t (*Size)(void *);
typedef int (*Map)(void *, void **, uint64_t *);
typedef void (*Unmap)(void *, void *, uint64_t);
typedef void (*Report)(const char *module, const char *format, va_list);

enum { TAG_ORIENTATION = 274, TAG_ROWS = 278, TAG_TILE_WIDTH = 322, TAG_TILE_HEIGHT = 323 };
enum { ORIENTATION_STORED = 1 };

static struct {
    File *(*open)(const char *, const char *, void *, Transfer, Transfer, Seek, Close, Size, Map, Unmap);
    void (*close)(File *);
    int (*get)(File *, uint32_t tag, ...);
    int (*get_or_default)(File *, uint32_t tag, ...);
    int (*set)(File *, uint32_t tag, ...);
    int (*is_tiled)(File *);
    int (*is_readable)(File *, char message[1024]);
    int (*strip)(File *, uint32_t row, uint32_t *pixels, int stops);
    int (*tile)(File *, uint32_t column, uint32_t row, uint32_t *pixels, int stops);
    Report (*report_errors_to)(Report);
    Report (*report_warnings_to)(Report);
} library;

static bool is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;
// The first error of this thread's picture.
static _Thread_local char problem[120];

static void note(const char *module, const char *format, va_list arguments) {
    (void)module;
    if (!problem[0]) vsnprintf(problem, sizeof problem, format, arguments);
}

static void load(void) {
    void *handle = dlopen("libtiff.so.6", RTLD_NOW | RTLD_LOCAL);
    if (!handle) handle = dlopen("libtiff.so.5", RTLD_NOW | RTLD_LOCAL);
    if (!handle) return;
#define LOAD(member, name) if (!(*(void **)&library.member = dlsym(handle, name))) return
    LOAD(open, "TIFFClientOpen");
    LOAD(close, "TIFFClose");
    LOAD(get, "TIFFGetField");
    LOAD(get_or_default, "TIFFGetFieldDefaulted");
    LOAD(set, "TIFFSetField");
    LOAD(is_tiled, "TIFFIsTiled");
    LOAD(is_readable, "TIFFRGBAImageOK");
    LOAD(strip, "TIFFReadRGBAStripExt");
    LOAD(tile, "TIFFReadRGBATileExt");
    LOAD(report_errors_to, "TIFFSetErrorHandler");
    LOAD(report_warnings_to, "TIFFSetWarningHandler");
#undef LOAD
    // Otherwise they are written to standard error.
    library.report_errors_to(note);
    library.report_warnings_to(NULL);
    is_loaded = true;
}

bool byteclub_tiff_load(void) {
    pthread_once(&once, load);
    return is_loaded;
}

byteclub_library_facts byteclub_tiff_facts(void) {
    byteclub_library_facts facts = {.is_found = false};
    void *handle = dlopen("libtiff.so.6", RTLD_LAZY | RTLD_LOCAL);
    if (!handle) handle = dlopen("libtiff.so.5", RTLD_LAZY | RTLD_LOCAL);
    if (!handle) return facts;
    facts.is_found = true;
    const char *(*version)(void) = NULL;
    *(void **)&version = dlsym(handle, "TIFFGetVersion");
    facts.decodes_tiff = dlsym(handle, "TIFFReadRGBAStripExt") != NULL;
    // "LIBTIFF, Version 4.5.0", and who wrote it.
    if (version) sscanf(version(), "LIBTIFF, Version %31[0-9.]", facts.version);
    dlclose(handle);
    return facts;
}

struct byteclub_tiff {
    File *file;
    int descriptor; // -1 for bytes in memory.
    const uint8_t *bytes;
    uint64_t byte_count, position;
    bool is_short; // More was read than there is.
    bool is_tiled;
    uint32_t width, height, tile_width, band_height;
    uint32_t band; // The number of the band that is in memory.
    uint32_t *pixels; // As many rows as a band has, the last first.
    uint32_t *tile;
};

static ssize_t read_bytes(void *source, void *buffer, ssize_t count) {
    byteclub_tiff *picture = source;
    size_t copied = 0;
    while (count > 0 && copied < (size_t)count && picture->position < picture->byte_count) {
        uint64_t rest = picture->byte_count - picture->position;
        size_t wanted = (size_t)count - copied;
        if (wanted > rest) wanted = (size_t)rest;
        ssize_t read = (ssize_t)wanted;
        if (picture->descriptor >= 0) {
            read = pread(
                picture->descriptor, (uint8_t *)buffer + copied, wanted, (off_t)picture->position);
            if (read < 0 && errno == EINTR) continue;
            if (read <= 0) break;
        } else {
            memcpy((uint8_t *)buffer + copied, picture->bytes + picture->position, wanted);
        }
        copied += (size_t)read;
        picture->position += (uint64_t)read;
    }
    if (count > 0 && copied < (size_t)count) picture->is_short = true;
    return (ssize_t)copied;
}

static ssize_t refuse_to_write(void *source, void *buffer, ssize_t count) {
    (void)source, (void)buffer, (void)count;
    return -1;
}

static uint64_t seek(void *source, uint64_t offset, int origin) {
    byteclub_tiff *picture = source;
    uint64_t start = origin == SEEK_CUR ? picture->position : origin == SEEK_END ? picture->byte_count : 0;
    picture->position = start + offset;
    return picture->position;
}

static int keep_open(void *source) {
    (void)source;
    return 0;
}

static uint64_t size_of(void *source) { return ((byteclub_tiff *)source)->byte_count; }

// libtiff 4.5.0 (Debian 12) refuses plain tiles of a file that it reads, unless their size is a multiple of 1,024: it
// compares them with its buffer. Of a file in memory it takes them as they are.
static int map(void *source, void **start, uint64_t *size) {
    byteclub_tiff *picture = source;
    if (picture->descriptor < 0) {
        *start = (void *)(uintptr_t)picture->bytes;
    } else {
        void *mapped =
            mmap(NULL, picture->byte_count, PROT_READ, MAP_PRIVATE, picture->descriptor, 0);
        if (mapped == MAP_FAILED) return 0;
        *start = mapped;
    }
    *size = picture->byte_count;
    return 1;
}

static void unmap(void *source, void *start, uint64_t size) {
    if (((byteclub_tiff *)source)->descriptor >= 0) munmap(start, size);
}

static byteclub_library_result result_of(byteclub_library_status status, const byteclub_tiff *picture) {
    byteclub_library_result result = {.status = status};
    // Of a file that is mapped, only the library knows.
    const bool is_short = (picture && picture->is_short) || strstr(problem, "Read error");
    if (status == BYTECLUB_LIBRARY_DAMAGED && is_short) {
        result.status = BYTECLUB_LIBRARY_TRUNCATED;
    }
    memcpy(result.message, problem, sizeof result.message - 1);
    return result;
}

// The sizes and buffers of an open file.
static byteclub_library_status prepare(byteclub_tiff *picture, uint64_t band_pixel_limit) {
    char message[1024] = "";
    if (!library.is_readable(picture->file, message)) {
        strncpy(problem, message, sizeof problem - 1);
        return BYTECLUB_LIBRARY_UNSUPPORTED;
    }
    if (!library.get(picture->file, 256, &picture->width)
        || !library.get(picture->file, 257, &picture->height) || !picture->width || !picture->height) {
        return BYTECLUB_LIBRARY_DAMAGED;
    }
    // The caller turns it.
    library.set(picture->file, TAG_ORIENTATION, ORIENTATION_STORED);
    picture->is_tiled = library.is_tiled(picture->file) != 0;
    if (picture->is_tiled) {
        if (!library.get(picture->file, TAG_TILE_WIDTH, &picture->tile_width)
            || !library.get(picture->file, TAG_TILE_HEIGHT, &picture->band_height)) {
            return BYTECLUB_LIBRARY_DAMAGED;
        }
    } else {
        library.get_or_default(picture->file, TAG_ROWS, &picture->band_height);
        if (picture->band_height > picture->height) picture->band_height = picture->height;
    }
    if (!picture->band_height || (picture->is_tiled && !picture->tile_width)) {
        return BYTECLUB_LIBRARY_DAMAGED;
    }
    const uint64_t limit = band_pixel_limit, rows = picture->band_height;
    if (picture->width > limit / rows || picture->tile_width > limit / rows) {
        return BYTECLUB_LIBRARY_TOO_LARGE;
    }
    picture->pixels = malloc((size_t)picture->width * rows * sizeof *picture->pixels);
    if (picture->is_tiled) {
        picture->tile = malloc((size_t)picture->tile_width * rows * sizeof *picture->tile);
    }
    if (!picture->pixels || (picture->is_tiled && !picture->tile)) return BYTECLUB_LIBRARY_NO_MEMORY;
    return BYTECLUB_LIBRARY_FINE;
}

byteclub_library_result byteclub_tiff_open(
    int descriptor, const uint8_t *bytes, size_t byte_count, uint64_t band_pixel_limit,
    byteclub_tiff **picture) {
    *picture = NULL;
    memset(problem, 0, sizeof problem);
    if (!byteclub_tiff_load()) return result_of(BYTECLUB_LIBRARY_MISSING, NULL);
    byteclub_tiff *made = calloc(1, sizeof *made);
    if (!made) return result_of(BYTECLUB_LIBRARY_NO_MEMORY, NULL);
    made->descriptor = descriptor;
    made->bytes = bytes;
    made->byte_count = byte_count;
    made->band = UINT32_MAX;
    made->file = library.open(
        "picture", "r", made, read_bytes, refuse_to_write, seek, keep_open, size_of, map, unmap);
    byteclub_library_status status =
        made->file ? prepare(made, band_pixel_limit) : BYTECLUB_LIBRARY_DAMAGED;
    byteclub_library_result result = result_of(status, made);
    if (result.status == BYTECLUB_LIBRARY_FINE) {
        *picture = made;
    } else {
        byteclub_tiff_close(made);
    }
    return result;
}

void byteclub_tiff_size(const byteclub_tiff *picture, uint32_t *width, uint32_t *height) {
    *width = picture->width;
    *height = picture->height;
}

// Into bytes, and not multiplied by alpha.
static void convert(uint32_t *pixels, size_t count) {
    for (size_t index = 0; index < count; index++) {
        const uint32_t pixel = pixels[index], alpha = pixel >> 24;
        uint8_t colors[4] = {(uint8_t)pixel, (uint8_t)(pixel >> 8), (uint8_t)(pixel >> 16), (uint8_t)alpha};
        if (alpha > 0 && alpha < 255) {
            for (int channel = 0; channel < 3; channel++) {
                const uint32_t color = (colors[channel] * 255u + alpha / 2) / alpha;
                colors[channel] = color > 255 ? 255 : (uint8_t)color;
            }
        }
        memcpy(&pixels[index], colors, sizeof colors);
    }
}

static bool read_band(byteclub_tiff *picture, uint32_t band) {
    const uint32_t first = band * picture->band_height, width = picture->width;
    memset(picture->pixels, 0, (size_t)width * picture->band_height * sizeof *picture->pixels);
    if (!picture->is_tiled) {
        if (!library.strip(picture->file, first, picture->pixels, 1)) return false;
    } else {
        for (uint32_t column = 0; column < width; column += picture->tile_width) {
            if (!library.tile(picture->file, column, first, picture->tile, 1)) return false;
            uint32_t count = picture->tile_width;
            if (count > width - column) count = width - column;
            for (uint32_t row = 0; row < picture->band_height; row++) {
                memcpy(
                    picture->pixels + (size_t)row * width + column,
                    picture->tile + (size_t)row * picture->tile_width, count * sizeof *picture->tile);
            }
        }
    }
    convert(picture->pixels, (size_t)width * picture->band_height);
    return true;
}

byteclub_library_result byteclub_tiff_row(
    byteclub_tiff *picture, uint32_t row, const uint8_t **pixels) {
    const uint32_t band = row / picture->band_height;
    if (band != picture->band) {
        memset(problem, 0, sizeof problem);
        picture->band = UINT32_MAX;
        if (!read_band(picture, band)) return result_of(BYTECLUB_LIBRARY_DAMAGED, picture);
        picture->band = band;
    }
    // The last strip has fewer rows; a tile is as high as all others.
    uint32_t count = picture->band_height;
    if (!picture->is_tiled && count > picture->height - band * count) {
        count = picture->height - band * count;
    }
    const uint32_t index = count - 1 - (row - band * picture->band_height);
    *pixels = (const uint8_t *)(picture->pixels + (size_t)index * picture->width);
    return (byteclub_library_result){.status = BYTECLUB_LIBRARY_FINE};
}

void byteclub_tiff_close(byteclub_tiff *picture) {
    if (picture->file) library.close(picture->file);
    free(picture->pixels);
    free(picture->tile);
    free(picture);
}
