/* The coefficients of a large progressive picture in a file instead of memory.
 *
 * libjpeg asks for such arrays through methods that may be replaced; Debian's keeps all of them in
 * memory. Here they are a file that is mapped: the beginning stays in memory, and of the rest only
 * what is worked on. What is let go of stays in the kernel's cache, from which it can be taken where
 * memory is short.
 *
 * Source: libjpeg-turbo, libjpeg.txt, "Memory management"; jpeglib.h, `struct jpeg_memory_mgr`.
 */
#ifndef BYTECLUB_JPEG_COEFFICIENTS_H
#define BYTECLUB_JPEG_COEFFICIENTS_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <jpeglib.h>
#include <jerror.h>

/* Let go of in one piece, and as much again is kept behind what is worked on. */
#define BYTECLUB_JPEG_PIECE ((size_t)8 << 20)

/* The array of one component. What libjpeg takes for its own `struct jvirt_barray_control`. */
typedef struct byteclub_jpeg_array {
    JDIMENSION rows;
    size_t row_bytes;
    unsigned char *start; /* in the mapping, on a page; NULL before it is mapped */
    size_t byte_count;    /* in whole pages */
    size_t kept;          /* as many bytes from the start are never let go of */
    size_t released;      /* up to here, in this pass */
    size_t reached;       /* up to here libjpeg has come, in this pass */
    JBLOCKARRAY row_starts;
} byteclub_jpeg_array;

typedef struct byteclub_jpeg_file {
    int descriptor; /* until it is mapped */
    size_t byte_count;
    size_t kept_byte_count;
    unsigned char *mapping;
    byteclub_jpeg_array arrays[MAX_COMPONENTS];
    int array_count;
    void (*realize)(j_common_ptr); /* libjpeg's; NULL: its arrays are in memory */
} byteclub_jpeg_file;

static inline size_t byteclub_jpeg_whole_pages(size_t byte_count)
{
    return (byte_count + 4095) / 4096 * 4096;
}

/* Frees what `byteclub_jpeg_map` has taken. */
static inline void byteclub_jpeg_unmap(byteclub_jpeg_file *file)
{
    if (file->mapping != NULL)
        munmap(file->mapping, file->byte_count);
    else if (file->realize != NULL)
        close(file->descriptor);
    file->mapping = NULL;
    file->realize = NULL;
    for (int i = 0; i < file->array_count; i++)
        free(file->arrays[i].row_starts);
    file->array_count = 0;
}

/* Finds room for all arrays in the file's mapping; 0 when there is none. */
static inline int byteclub_jpeg_map(byteclub_jpeg_file *file)
{
    size_t offset = 0;
    void *mapping;
    for (int i = 0; i < file->array_count; i++)
        offset += file->arrays[i].byte_count;
    /* Beyond the file's end there is a signal instead of memory. */
    if (offset > file->byte_count)
        return 0;
    mapping = mmap(NULL, file->byte_count, PROT_READ | PROT_WRITE, MAP_SHARED, file->descriptor, 0);
    if (mapping == MAP_FAILED)
        return 0;
    file->mapping = (unsigned char *)mapping;
    close(file->descriptor);
    offset = 0;
    for (int i = 0; i < file->array_count; i++) {
        byteclub_jpeg_array *array = &file->arrays[i];
        array->start = file->mapping + offset;
        offset += array->byte_count;
        /* Each keeps its share. */
        array->kept = byteclub_jpeg_whole_pages(
            (size_t)((double)file->kept_byte_count * array->byte_count / file->byte_count));
        array->released = array->kept;
        array->row_starts = (JBLOCKARRAY)calloc(array->rows, sizeof(JBLOCKROW));
        if (array->row_starts == NULL)
            return 0;
        for (JDIMENSION row = 0; row < array->rows; row++)
            array->row_starts[row] = (JBLOCKROW)(array->start + row * array->row_bytes);
    }
    return 1;
}

static inline void byteclub_jpeg_release(byteclub_jpeg_array *array, size_t from, size_t to)
{
    /* The file keeps the content: it is mapped as shared. */
    if (to > from)
        madvise(array->start + from, to - from, MADV_DONTNEED);
}

/* Lets go of what lies well behind the place that is worked on. */
static inline void byteclub_jpeg_pass(byteclub_jpeg_array *array, size_t begin, size_t end)
{
    if (begin + 2 * BYTECLUB_JPEG_PIECE < array->reached) {
        /* The next scan begins. */
        size_t reached = byteclub_jpeg_whole_pages(array->reached);
        byteclub_jpeg_release(array, array->released,
            reached < array->byte_count ? reached : array->byte_count);
        array->released = array->kept;
        array->reached = 0;
    }
    if (end > array->reached)
        array->reached = end;
    while (array->released + 2 * BYTECLUB_JPEG_PIECE < begin) {
        byteclub_jpeg_release(array, array->released, array->released + BYTECLUB_JPEG_PIECE);
        array->released += BYTECLUB_JPEG_PIECE;
    }
}

#endif
