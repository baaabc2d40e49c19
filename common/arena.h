/* An arena: memory taken piece by piece while something is built, given back all at once. */
#ifndef VEF_COMMON_ARENA_H
#define VEF_COMMON_ARENA_H

#include <stddef.h>

typedef struct vef_arena_block vef_arena_block;

typedef struct vef_arena {
    vef_arena_block *newest;
    size_t held_bytes; /* taken from the system so far */
} vef_arena;           /* zero-initialised is empty and ready */

/* `count` objects of `size` bytes, zeroed, aligned for any type; NULL when memory runs out or the
 * product overflows. Lives until vef_arena_release. */
void *vef_arena_alloc(vef_arena *arena, size_t count, size_t size);

/* A copy of a string (of its first `length` bytes), terminated; NULL when memory runs out. */
char *vef_arena_string(vef_arena *arena, const char *text);
char *vef_arena_string_of(vef_arena *arena, const char *text, size_t length);

/* Frees everything that came out of the arena; the arena is empty and usable again. */
void vef_arena_release(vef_arena *arena);

#endif
