#include "CByteClubPictureLibraries.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// What is used of libheif 1.6 and later, as libheif/heif.h declares it: it keeps its binary interface.
typedef struct { int code, detail; const char *message; } Error;
typedef struct Context Context;
typedef struct Handle Handle;
typedef struct Image Image;
typedef struct {
    uint8_t version, ignores_transformations;
    void (*start)(int, int, void *);
    void (*progress)(int, int, void *);
    void (*end)(int, void *);
    void *user_data;
    // From version 2 on.
    uint8_t converts_to_8_bits;
    // From version 3 on.
    uint8_t is_strict;
} Options;

enum { FORMAT_HEVC = 1, FORMAT_AV1 = 4 };
enum { COLORS_RGB = 1, LAYOUT_RGBA = 11, CHANNEL_INTERLEAVED = 10 };
enum {
    ERROR_UNSUPPORTED_FILE = 3,
    ERROR_UNSUPPORTED_FEATURE = 4,
    ERROR_NO_MEMORY = 6,
    DETAIL_END_OF_DATA = 100,
    DETAIL_SECURITY_LIMIT = 1000,
    DETAIL_NO_CODEC = 3000,
};

static struct {
    Error (*initialize)(void *);
    Context *(*new_context)(void);
    void (*free_context)(Context *);
    void (*set_threads)(Context *, int);
    Error (*read)(Context *, const void *, size_t, const void *);
    Error (*primary)(Context *, Handle **);
    void (*free_handle)(const Handle *);
    int (*width)(const Handle *);
    int (*height)(const Handle *);
    int (*has_alpha)(const Handle *);
    Options *(*new_options)(void);
    void (*free_options)(Options *);
    Error (*decode)(const Handle *, Image **, int colors, int layout, const Options *);
    const uint8_t *(*plane)(const Image *, int channel, int *stride);
    int (*image_width)(const Image *, int channel);
    int (*image_height)(const Image *, int channel);
    void (*free_image)(const Image *);
} library;

static bool is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    void *handle = dlopen("libheif.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!handle) return;
#define LOAD(member, name) if (!(*(void **)&library.member = dlsym(handle, name))) return
    LOAD(new_context, "heif_context_alloc");
    LOAD(free_context, "heif_context_free");
    LOAD(read, "heif_context_read_from_memory_without_copy");
    LOAD(primary, "heif_context_get_primary_image_handle");
    LOAD(free_handle, "heif_image_handle_release");
    LOAD(width, "heif_image_handle_get_width");
    LOAD(height, "heif_image_handle_get_height");
    LOAD(has_alpha, "heif_image_handle_has_alpha_channel");
    LOAD(new_options, "heif_decoding_options_alloc");
    LOAD(free_options, "heif_decoding_options_free");
    LOAD(decode, "heif_decode_image");
    LOAD(plane, "heif_image_get_plane_readonly");
    LOAD(image_width, "heif_image_get_width");
    LOAD(image_height, "heif_image_get_height");
    LOAD(free_image, "heif_image_release");
#undef LOAD
    // From 1.13 on: the decoders may be libraries of their own, which are loaded here.
    *(void **)&library.initialize = dlsym(handle, "heif_init");
    *(void **)&library.set_threads = dlsym(handle, "heif_context_set_max_decoding_threads");
    if (library.initialize && library.initialize(NULL).code != 0) return;
    is_loaded = true;
}

byteclub_library_facts byteclub_heif_facts(void) {
    byteclub_library_facts facts = {.is_found = false};
    void *handle = dlopen("libheif.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (!handle) return facts;
    facts.is_found = true;
    const char *(*version)(void) = NULL;
    Error (*initialize)(void *) = NULL;
    void (*deinitialize)(void) = NULL;
    int (*has_decoder)(int) = NULL;
    *(void **)&version = dlsym(handle, "heif_get_version");
    *(void **)&initialize = dlsym(handle, "heif_init");
    *(void **)&deinitialize = dlsym(handle, "heif_deinit");
    *(void **)&has_decoder = dlsym(handle, "heif_have_decoder_for_format");
    if (version) strncpy(facts.version, version(), sizeof facts.version - 1);
    if (initialize) initialize(NULL);
    if (has_decoder) {
        facts.decodes_hevc = has_decoder(FORMAT_HEVC) != 0;
        facts.decodes_av1 = has_decoder(FORMAT_AV1) != 0;
    }
    if (initialize && deinitialize) deinitialize();
    dlclose(handle);
    return facts;
}

bool byteclub_heif_load(void) {
    pthread_once(&once, load);
    return is_loaded;
}

struct byteclub_heif {
    Image *image;
    const uint8_t *pixels;
    size_t row_byte_count;
    uint32_t width, height;
    bool has_alpha;
};

// Reads an error, whose message goes with its context.
static byteclub_library_result result_of(Error error) {
    byteclub_library_result result = {.status = BYTECLUB_LIBRARY_DAMAGED};
    if (error.message) strncpy(result.message, error.message, sizeof result.message - 1);
    if (error.code == 0) {
        result.status = BYTECLUB_LIBRARY_FINE;
    } else if (error.detail == DETAIL_END_OF_DATA) {
        result.status = BYTECLUB_LIBRARY_TRUNCATED;
    } else if (error.detail == DETAIL_SECURITY_LIMIT) {
        result.status = BYTECLUB_LIBRARY_TOO_LARGE;
    } else if (error.detail == DETAIL_NO_CODEC) {
        result.status = BYTECLUB_LIBRARY_MISSING;
    } else if (error.code == ERROR_NO_MEMORY) {
        result.status = BYTECLUB_LIBRARY_NO_MEMORY;
    } else if (error.code == ERROR_UNSUPPORTED_FILE || error.code == ERROR_UNSUPPORTED_FEATURE) {
        result.status = BYTECLUB_LIBRARY_UNSUPPORTED;
    }
    return result;
}

static byteclub_library_result failure(byteclub_library_status status, const char *message) {
    byteclub_library_result result = {.status = status};
    strncpy(result.message, message, sizeof result.message - 1);
    return result;
}

static byteclub_library_result decode(const Handle *handle, byteclub_heif *picture) {
    Options *options = library.new_options();
    if (!options) return failure(BYTECLUB_LIBRARY_NO_MEMORY, "options");
    if (options->version >= 2) options->converts_to_8_bits = 1;
    if (options->version >= 3) options->is_strict = 1;
    byteclub_library_result result =
        result_of(library.decode(handle, &picture->image, COLORS_RGB, LAYOUT_RGBA, options));
    library.free_options(options);
    if (result.status != BYTECLUB_LIBRARY_FINE) return result;
    int stride = 0;
    picture->pixels = library.plane(picture->image, CHANNEL_INTERLEAVED, &stride);
    const int width = library.image_width(picture->image, CHANNEL_INTERLEAVED);
    const int height = library.image_height(picture->image, CHANNEL_INTERLEAVED);
    if (!picture->pixels || width < 1 || height < 1 || stride / 4 < width) {
        return failure(BYTECLUB_LIBRARY_DAMAGED, "no pixels");
    }
    picture->width = (uint32_t)width;
    picture->height = (uint32_t)height;
    picture->row_byte_count = (size_t)stride;
    return result;
}

byteclub_library_result byteclub_heif_decode(
    const uint8_t *bytes, size_t byte_count, uint64_t pixel_limit, byteclub_heif **picture) {
    *picture = NULL;
    if (!byteclub_heif_load()) return failure(BYTECLUB_LIBRARY_MISSING, "");
    Context *context = library.new_context();
    byteclub_heif *made = calloc(1, sizeof *made);
    Handle *handle = NULL;
    byteclub_library_result result = failure(BYTECLUB_LIBRARY_NO_MEMORY, "context");
    if (context && made) {
        // One picture after the other; a decoder of HEVC has a thread of its own all the same.
        if (library.set_threads) library.set_threads(context, 0);
        result = result_of(library.read(context, bytes, byte_count, NULL));
        if (result.status == BYTECLUB_LIBRARY_FINE) {
            result = result_of(library.primary(context, &handle));
        }
        if (result.status == BYTECLUB_LIBRARY_FINE) {
            const int width = library.width(handle), height = library.height(handle);
            if (width < 1 || height < 1) {
                result = failure(BYTECLUB_LIBRARY_DAMAGED, "no size");
            } else if ((uint64_t)width * (uint64_t)height > pixel_limit) {
                result = failure(BYTECLUB_LIBRARY_TOO_LARGE, "pixels");
            } else {
                made->has_alpha = library.has_alpha(handle) != 0;
                result = decode(handle, made);
            }
        }
    }
    if (handle) library.free_handle(handle);
    if (context) library.free_context(context);
    if (result.status == BYTECLUB_LIBRARY_FINE) {
        *picture = made;
    } else if (made) {
        byteclub_heif_close(made);
    }
    return result;
}

const uint8_t *byteclub_heif_pixels(
    const byteclub_heif *picture, uint32_t *width, uint32_t *height, size_t *row_byte_count,
    bool *has_alpha) {
    *width = picture->width;
    *height = picture->height;
    *row_byte_count = picture->row_byte_count;
    *has_alpha = picture->has_alpha;
    return picture->pixels;
}

void byteclub_heif_close(byteclub_heif *picture) {
    if (picture->image) library.free_image(picture->image);
    free(picture);
}
