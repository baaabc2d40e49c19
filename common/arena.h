/* An arena: memory allocated piece by piece and freed all at once. */
#ifndef VEF_COMMON_ARENA_H
#define VEF_COMMON_ARENA_H

#include <stddef.h>
#include <stdint.h>

typedef struct vef_arena_block vef_arena_block;

typedef struct vef_arena {
    vef_arena_block *newest;
    size_t held_bytes; /* allocated from the system */
} vef_arena;           /* valid when zero-initialised */

/* Allocates `count` zeroed objects of `size` bytes, aligned for any type. NULL when memory runs
 * out or the product overflows. Valid until vef_arena_release. */
void *vef_arena_alloc(vef_arena *arena, size_t count, size_t size);

/* The same, aligned to cache lines of 64 bytes. */
void *vef_arena_lines(vef_arena *arena, size_t count, size_t size);

/* Makes room for one more item in a list that only grows, by doubling. `list`: the address of the
 * pointer to its `count` items. Not where arenas may lack memory (common/memory.h). */
void vef_arena_grow(vef_arena *arena, void *list, size_t count, size_t item_bytes);

/* Copies a string (its first `length` bytes), NUL-terminated; NULL when memory runs out. */
char *vef_arena_string(vef_arena *arena, const char *text);
char *vef_arena_string_of(vef_arena *arena, const char *text, size_t length);

/* A text like that of printf. Not where arenas may lack memory. */
char *vef_arena_printed(vef_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Frees everything; the arena is then empty and usable. */
void vef_arena_release(vef_arena *arena);

#endif
