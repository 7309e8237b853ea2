#ifndef CBYTECLUB_MEMORY_H
#define CBYTECLUB_MEMORY_H

// Gives back to the system what the allocator holds and nobody uses, after a large text or picture was closed.
void byteclub_return_unused_memory(void);

// Gives back the pages of the program and its libraries that can be read from their files again: what only the start
// needs is not resident for the rest of the day. Pages that are needed again come back by themselves, from the page
// cache. Returns how many bytes of mappings were given back.
unsigned long byteclub_return_code_pages(void);

#endif
