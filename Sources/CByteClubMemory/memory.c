#define _GNU_SOURCE
#include "CByteClubMemory.h"

#include <link.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

void byteclub_return_unused_memory(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

// Code, and constants that the loader has not written to. What it has relocated (RELRO) is the process's own: it would be
// lost with its pages.
static int return_segments(struct dl_phdr_info *object, size_t size, void *total) {
    (void)size;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || (segment->p_flags & PF_W) || !(segment->p_flags & PF_X)) continue;
        uintptr_t start = (object->dlpi_addr + segment->p_vaddr + page - 1) & ~(page - 1);
        uintptr_t end = (object->dlpi_addr + segment->p_vaddr + segment->p_filesz) & ~(page - 1);
        if (start < end && madvise((void *)start, end - start, MADV_DONTNEED) == 0)
            *(unsigned long *)total += end - start;
    }
    return 0;
}

unsigned long byteclub_return_code_pages(void) {
    unsigned long total = 0;
    dl_iterate_phdr(return_segments, &total);
    return total;
}
