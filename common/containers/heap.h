/* A binary heap, the queue where times are not bounded, and nothing about them is known: item 0 is
 * the first.
 *
 * VEF_HEAP(item, before) defines, for one source file, the functions of a heap of that type in an
 * array of the caller. `before(const item *, const item *)` must be a strict total order if results
 * must not depend on the order of insertion. VEF_HEAP_IN(heap, item, before, get, put) defines the
 * first two of them for a heap that keeps its items itself, or knows their places:
 * `const item *get(const heap *, size_t)`, `void put(heap *, size_t, item)`. */
#ifndef VEF_COMMON_CONTAINERS_HEAP_H
#define VEF_COMMON_CONTAINERS_HEAP_H

#include <stddef.h>

#define VEF_HEAP_IN(type, item, before, get, put)                                                  \
    /* Puts an item at a place, or above it. */                                                    \
    static inline void heap_rise(type *heap, size_t place, item added) {                           \
        for (; place > 0 && before(&added, get(heap, (place - 1) / 2)); place = (place - 1) / 2)   \
            put(heap, place, *get(heap, (place - 1) / 2));                                         \
        put(heap, place, added);                                                                   \
    }                                                                                              \
                                                                                                   \
    /* Puts an item at a place of a heap of `count`, or below it. */                               \
    static inline void heap_sink(type *heap, size_t count, size_t place, item added) {             \
        for (size_t child = 2 * place + 1; child < count; child = 2 * place + 1) {                 \
            if (child + 1 < count && before(get(heap, child + 1), get(heap, child)))               \
                child++;                                                                           \
            if (!before(get(heap, child), &added))                                                 \
                break;                                                                             \
            put(heap, place, *get(heap, child));                                                   \
            place = child;                                                                         \
        }                                                                                          \
        put(heap, place, added);                                                                   \
    }                                                                                              \
    struct vef_heap_needs_a_semicolon

#define VEF_HEAP_GET(heap, place) (&(heap)[place])
#define VEF_HEAP_PUT(heap, place, item) ((heap)[place] = (item))

#define VEF_HEAP(item, before)                                                                     \
    VEF_HEAP_IN(item, item, before, VEF_HEAP_GET, VEF_HEAP_PUT);                                   \
                                                                                                   \
    /* Adds an item to a heap of `count`, with room for one more. */                               \
    static void heap_add(item *heap, size_t count, item added) {                                   \
        heap_rise(heap, count, added);                                                             \
    }                                                                                              \
                                                                                                   \
    /* Replaces the first item of a heap of `count`, at least 1. */                                \
    static void heap_replace(item *heap, size_t count, item added) {                               \
        heap_sink(heap, count, 0, added);                                                          \
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
