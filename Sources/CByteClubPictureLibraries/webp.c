#include "CByteClubPictureLibraries.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

// What is used of libwebp 0.5 to 1.x, as webp/decode.h declares it. The library refuses a caller whose
// version of the interface has another first half. Declaring it here spares every build its headers.
enum { INTERFACE_VERSION = 0x0209, COLORS_RGBA = 1 };
enum {
    STATUS_OK,
    STATUS_OUT_OF_MEMORY,
    STATUS_INVALID_PARAMETER,
    STATUS_BITSTREAM_ERROR,
    STATUS_UNSUPPORTED_FEATURE,
    STATUS_SUSPENDED,
    STATUS_USER_ABORT,
    STATUS_NOT_ENOUGH_DATA,
};

typedef struct {
    struct { int width, height, has_alpha, has_animation, format; uint32_t padding[5]; } input;
    struct {
        int colors, width, height, is_external_memory;
        union {
            struct { uint8_t *pixels; int stride; size_t size; } rgba;
            struct { uint8_t *planes[4]; int strides[4]; size_t sizes[4]; } yuva;
        } buffer;
        uint32_t padding[4];
        uint8_t *private_memory;
    } output;
    struct {
        int bypass_filtering, no_fancy_upsampling;
        int use_cropping, crop_left, crop_top, crop_width, crop_height;
        int use_scaling, scaled_width, scaled_height;
        int use_threads, dithering_strength, flip, alpha_dithering_strength;
        uint32_t padding[5];
    } options;
} Configuration;

static struct {
    int (*initialize)(Configuration *, int version);
    int (*decode)(const uint8_t *, size_t, Configuration *);
} library;

static bool is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    void *handle = dlopen("libwebp.so.7", RTLD_NOW | RTLD_LOCAL);
    if (!handle) return;
    *(void **)&library.initialize = dlsym(handle, "WebPInitDecoderConfigInternal");
    *(void **)&library.decode = dlsym(handle, "WebPDecode");
    is_loaded = library.initialize && library.decode;
}

byteclub_library_facts byteclub_webp_facts(void) {
    byteclub_library_facts facts = {.is_found = false};
    void *handle = dlopen("libwebp.so.7", RTLD_LAZY | RTLD_LOCAL);
    if (!handle) return facts;
    facts.is_found = true;
    int (*version)(void) = NULL;
    *(void **)&version = dlsym(handle, "WebPGetDecoderVersion");
    facts.decodes_webp = version && dlsym(handle, "WebPDecode");
    if (version) {
        const int number = version();
        snprintf(
            facts.version, sizeof facts.version, "%d.%d.%d", number >> 16 & 255, number >> 8 & 255,
            number & 255);
    }
    dlclose(handle);
    return facts;
}

bool byteclub_webp_load(void) {
    pthread_once(&once, load);
    return is_loaded;
}

byteclub_library_result byteclub_webp_decode(
    const uint8_t *bytes, size_t byte_count, uint32_t width, uint32_t height, uint8_t *pixels) {
    byteclub_library_result result = {.status = BYTECLUB_LIBRARY_MISSING};
    Configuration configuration;
    if (!byteclub_webp_load()) return result;
    if (!library.initialize(&configuration, INTERFACE_VERSION)) {
        strcpy(result.message, "another interface");
        return result;
    }
    enum { LARGEST = 16383 }; // Either way, according to the format.
    if (width < 1 || height < 1 || width > LARGEST || height > LARGEST) {
        result.status = BYTECLUB_LIBRARY_TOO_LARGE;
        return result;
    }
    configuration.options.use_scaling = 1;
    configuration.options.scaled_width = (int)width;
    configuration.options.scaled_height = (int)height;
    configuration.output.colors = COLORS_RGBA;
    configuration.output.is_external_memory = 1;
    configuration.output.buffer.rgba.pixels = pixels;
    configuration.output.buffer.rgba.stride = (int)width * 4;
    configuration.output.buffer.rgba.size = (size_t)width * height * 4;
    switch (library.decode(bytes, byte_count, &configuration)) {
    case STATUS_OK: result.status = BYTECLUB_LIBRARY_FINE; break;
    case STATUS_OUT_OF_MEMORY: result.status = BYTECLUB_LIBRARY_NO_MEMORY; break;
    case STATUS_UNSUPPORTED_FEATURE: result.status = BYTECLUB_LIBRARY_UNSUPPORTED; break;
    case STATUS_SUSPENDED:
    case STATUS_NOT_ENOUGH_DATA: result.status = BYTECLUB_LIBRARY_TRUNCATED; break;
    default: result.status = BYTECLUB_LIBRARY_DAMAGED; break;
    }
    return result;
}
