/* Prefetching what will be used soon: a hint to the processor, without any effect on results. */
#ifndef VEF_COMMON_PREFETCH_H
#define VEF_COMMON_PREFETCH_H

#include <stddef.h>
#include <stdint.h>

enum { VEF_CACHE_LINE_BYTES = 64 /* typically */ };

/* The cache lines of `bytes` bytes that begin at `object`, which need not be valid. Always inlined:
 * GCC 12 treats a function that only prefetches as having no side effects and drops calls to it. */
static inline __attribute__((always_inline)) void vef_prefetch(const void *object, size_t bytes) {
    for (size_t offset = 0; offset < bytes; offset += VEF_CACHE_LINE_BYTES)
        __builtin_prefetch((const void *)((uintptr_t)object + offset), 1);
}

#endif
