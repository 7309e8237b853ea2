#include "CByteClubPictureLibraries.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>

// What is used of stb_image 2.x, as stb_image.h declares it, in Debian's library.
static struct {
    uint8_t *(*load)(const uint8_t *, int count, int *width, int *height, int *channels, int wanted);
    void (*free)(void *);
    const char *(*reason)(void);
} library;

static bool is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    void *handle = dlopen("libstb.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!handle) return;
    *(void **)&library.load = dlsym(handle, "stbi_load_from_memory");
    *(void **)&library.free = dlsym(handle, "stbi_image_free");
    *(void **)&library.reason = dlsym(handle, "stbi_failure_reason");
    is_loaded = library.load && library.free && library.reason;
}

bool byteclub_stb_load(void) {
    pthread_once(&once, load);
    return is_loaded;
}

byteclub_library_facts byteclub_stb_facts(void) {
    byteclub_library_facts facts = {.is_found = false};
    void *handle = dlopen("libstb.so.0", RTLD_LAZY | RTLD_LOCAL);
    if (!handle) return facts;
    facts.is_found = true;
    facts.decodes_simple = dlsym(handle, "stbi_load_from_memory") != NULL;
    dlclose(handle);
    return facts;
}

byteclub_library_result byteclub_stb_decode(
    const uint8_t *bytes, size_t byte_count, uint32_t *width, uint32_t *height, uint8_t **pixels) {
    byteclub_library_result result = {.status = BYTECLUB_LIBRARY_MISSING};
    *pixels = NULL;
    if (!byteclub_stb_load()) return result;
    if (byte_count > INT_MAX) {
        result.status = BYTECLUB_LIBRARY_TOO_LARGE;
        return result;
    }
    int columns = 0, rows = 0, channels = 0;
    uint8_t *decoded = library.load(bytes, (int)byte_count, &columns, &rows, &channels, 4);
    if (!decoded) {
        const char *reason = library.reason();
        strncpy(result.message, reason ? reason : "", sizeof result.message - 1);
        result.status = !strcmp(result.message, "outofmem") ? BYTECLUB_LIBRARY_NO_MEMORY
            : !strcmp(result.message, "too large") ? BYTECLUB_LIBRARY_TOO_LARGE
            : strstr(result.message, "RLE") || strstr(result.message, "monochrome")
                || strstr(result.message, "unsupported") ? BYTECLUB_LIBRARY_UNSUPPORTED
            : BYTECLUB_LIBRARY_DAMAGED;
        return result;
    }
    *width = (uint32_t)columns;
    *height = (uint32_t)rows;
    *pixels = decoded;
    result.status = BYTECLUB_LIBRARY_FINE;
    return result;
}

void byteclub_stb_free(uint8_t *pixels) { library.free(pixels); }
