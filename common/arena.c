/* A list of growing blocks, each used from its front. */
#include "common/arena.h"

#include "common/memory.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct vef_arena_block {
    struct vef_arena_block *older;
    size_t used, size;
    alignas(max_align_t) unsigned char memory[];
};

enum { FIRST_BLOCK_BYTES = 4096, LARGEST_GROWTH_BYTES = 1 << 20, HUGE_BYTES = 2 << 20 };

#ifdef __SANITIZE_ADDRESS__ /* sees the ends of blocks of the C library only */
static const size_t least_mapped = SIZE_MAX;
#else
static const size_t least_mapped = HUGE_BYTES;
#endif

/* Zeroed memory for a block of at least a huge page, aligned to huge pages, and in such where the
 * system has them: random access to it would otherwise cause as many TLB misses as cache misses. */
static void *map_huge(size_t bytes) {
    enum { PROTECTION = PROT_READ | PROT_WRITE, FLAGS = MAP_PRIVATE | MAP_ANONYMOUS };
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), used = (bytes + page - 1) / page * page;
    unsigned char *mapped = mmap(NULL, used + HUGE_BYTES, PROTECTION, FLAGS, -1, 0);
    if (mapped == MAP_FAILED) { /* a limit may have room for the block, if not for aligning it */
        mapped = mmap(NULL, used, PROTECTION, FLAGS, -1, 0);
        return mapped == MAP_FAILED ? vef_lost(bytes) : mapped;
    }
    const size_t before = (HUGE_BYTES - (uintptr_t)mapped % HUGE_BYTES) % HUGE_BYTES;
    if (before)
        munmap(mapped, before);
    munmap(mapped + before + used, HUGE_BYTES - before);
#ifdef MADV_HUGEPAGE
    (void)madvise(mapped + before, used, MADV_HUGEPAGE);
#endif
    return mapped + before;
}

void *vef_arena_alloc(vef_arena *arena, size_t count, size_t size) {
    if (size != 0 && count > (SIZE_MAX / 2) / size)
        return vef_lost(SIZE_MAX);
    size_t align = alignof(max_align_t);
    size_t bytes = (count * size + align - 1) / align * align;
    vef_arena_block *block = arena->newest;
    if (!block || block->size - block->used < bytes) {
        size_t room = block ? block->size * 2 : FIRST_BLOCK_BYTES;
        if (room > LARGEST_GROWTH_BYTES)
            room = LARGEST_GROWTH_BYTES;
        if (room < bytes)
            room = bytes;
        const size_t whole = sizeof *block + room;
        vef_arena_block *fresh = whole < least_mapped ? vef_calloc(1, whole) : map_huge(whole);
        if (!fresh)
            return NULL;
        fresh->size = room;
        fresh->older = block;
        arena->newest = block = fresh;
        arena->held_bytes += whole;
    }
    void *piece = block->memory + block->used;
    block->used += bytes;
    return piece;
}

void *vef_arena_lines(vef_arena *arena, size_t count, size_t size) {
    enum { LINE_BYTES = 64 };
    const size_t spare = (LINE_BYTES + size - 1) / size;
    unsigned char *memory = vef_arena_alloc(arena, count + spare, size);
    return memory ? memory + (LINE_BYTES - (uintptr_t)memory % LINE_BYTES) % LINE_BYTES : NULL;
}

char *vef_arena_string_of(vef_arena *arena, const char *text, size_t length) {
    char *copy = vef_arena_alloc(arena, length + 1, 1);
    if (copy)
        memcpy(copy, text, length);
    return copy;
}

void vef_arena_grow(vef_arena *arena, void *list, size_t count, size_t item_bytes) {
    if ((count & (count - 1)) != 0) /* neither 0 nor a power of 2: the room is not full */
        return;
    void *items, *larger = vef_arena_alloc(arena, count ? 2 * count : 1, item_bytes);
    memcpy(&items, list, sizeof items);
    if (count)
        memcpy(larger, items, count * item_bytes);
    memcpy(list, &larger, sizeof larger);
}

char *vef_arena_string(vef_arena *arena, const char *text) {
    return vef_arena_string_of(arena, text, strlen(text));
}

char *vef_arena_printed(vef_arena *arena, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = vef_vprinted(format, arguments), *copy = vef_arena_string(arena, text);
    va_end(arguments);
    free(text);
    return copy;
}

void vef_arena_release(vef_arena *arena) {
    while (arena->newest) {
        vef_arena_block *older = arena->newest->older;
        const size_t whole = sizeof *older + arena->newest->size;
        if (whole < least_mapped)
            free(arena->newest);
        else
            munmap(arena->newest, whole);
        arena->newest = older;
    }
    arena->held_bytes = 0;
}
