/* A binary heap: item 0 is the first.
 *
 * VEF_HEAP(item, before) defines, for one source file, the functions of a heap of that type.
 * `before(const item *, const item *)` must be a strict total order if results must not depend on
 * the order of insertion. The caller owns the array. */
#ifndef VEF_COMMON_HEAP_H
#define VEF_COMMON_HEAP_H

#include <stddef.h>

#define VEF_HEAP(item, before)                                                                     \
    /* Adds an item to a heap of `count`, with room for one more. */                               \
    static void heap_add(item *heap, size_t count, item added) {                                   \
        size_t at = count;                                                                         \
        for (; at > 0 && before(&added, &heap[(at - 1) / 2]); at = (at - 1) / 2)                   \
            heap[at] = heap[(at - 1) / 2];                                                         \
        heap[at] = added;                                                                          \
    }                                                                                              \
                                                                                                   \
    /* Replaces the first item of a heap of `count`, at least 1. */                                \
    static void heap_replace(item *heap, size_t count, item added) {                               \
        size_t at = 0;                                                                             \
        for (size_t child = 1; child < count; child = 2 * at + 1) {                                \
            if (child + 1 < count && before(&heap[child + 1], &heap[child]))                       \
                child++;                                                                           \
            if (!before(&heap[child], &added))                                                     \
                break;                                                                             \
            heap[at] = heap[child];                                                                \
            at = child;                                                                            \
        }                                                                                          \
        heap[at] = added;                                                                          \
    }                                                                                              \
                                                                                                   \
    /* Takes the first item out of a heap of `count`, at least 1; its room becomes free. */        \
    static inline item heap_take(item *heap, size_t count) {                                       \
        const item first = heap[0];                                                                \
        heap_replace(heap, count - 1, heap[count - 1]);                                            \
        return first;                                                                              \
    }                                                                                              \
    struct vef_heap_needs_a_semicolon

#endif
