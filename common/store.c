/* Lists of unused pieces by size, and a chunk of an arena for new ones. See store.h. */
#include "common/store.h"
#include "common/arena.h"
#include "common/memory.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Sizes are multiples of LINE_BYTES: up to 8 lines each, and then four between powers of two. A
 * chunk and the 96 bytes that an arena adds fill a huge page. */
enum { LINE_BYTES = 64, SIZES = 256, LEAST_CHUNK = 4096, LARGEST_CHUNK = (2 << 20) - 96 };

#ifdef __SANITIZE_ADDRESS__ /* reports the use of a piece that was put back */
#include <sanitizer/asan_interface.h>
#define PERMIT(piece, bytes) ASAN_UNPOISON_MEMORY_REGION(piece, bytes)
#define FORBID(piece, bytes) ASAN_POISON_MEMORY_REGION(piece, bytes)
#else
#define PERMIT(piece, bytes) (void)(bytes)
#define FORBID(piece, bytes) (void)(bytes)
#endif

struct vef_store {
    pthread_mutex_t lock;
    vef_arena arena;
    unsigned char *chunk;
    size_t left;         /* in the chunk */
    void *pieces[SIZES]; /* unused: each begins with the next one */
};

vef_store *vef_store_create(void) {
    vef_store *store = vef_calloc(1, sizeof *store);
    pthread_mutex_init(&store->lock, NULL);
    return store;
}

/* The number of a size, from which `*bytes` is rounded up. */
static unsigned size_of(size_t *bytes) {
    const size_t lines = *bytes / LINE_BYTES + (*bytes % LINE_BYTES != 0 || *bytes == 0);
    const unsigned shift = lines < 8 ? 0 : 61 - (unsigned)__builtin_clzll(lines);
    const size_t quarters = (lines + ((size_t)1 << shift) - 1) >> shift;
    *bytes = (quarters << shift) * LINE_BYTES;
    return 4 * shift + (unsigned)quarters;
}

/* Zeroed, from the chunk, or from a new one. */
static void *cut(vef_store *store, size_t bytes) {
    if (bytes > LARGEST_CHUNK / 2)
        return vef_arena_lines(&store->arena, bytes, 1);
    if (store->left < bytes) {
        size_t chunk = store->arena.held_bytes;
        chunk = chunk < LEAST_CHUNK ? LEAST_CHUNK : chunk > LARGEST_CHUNK ? LARGEST_CHUNK : chunk;
        chunk = chunk < bytes ? bytes : chunk;
        unsigned char *fresh = vef_arena_lines(&store->arena, chunk, 1);
        if (!fresh)
            return NULL;
        store->chunk = fresh;
        store->left = chunk;
    }
    store->left -= bytes;
    store->chunk += bytes;
    return store->chunk - bytes;
}

void *vef_store_take(vef_store *store, size_t count, size_t item_bytes) {
    size_t bytes = vef_product(count, item_bytes);
    if (!store || bytes > SIZE_MAX / 4)
        return vef_calloc(count, item_bytes);
    void **pieces = &store->pieces[size_of(&bytes)];
    pthread_mutex_lock(&store->lock);
    vef_landing *landing = vef_landing_set(NULL); /* it would keep the lock */
    void *taken = *pieces;
    if (taken) {
        PERMIT(taken, bytes);
        *pieces = *(void **)taken;
        memset(taken, 0, bytes);
    } else {
        taken = cut(store, bytes);
    }
    vef_landing_set(landing);
    pthread_mutex_unlock(&store->lock);
    return taken ? taken : vef_lost(bytes);
}

void vef_store_put(vef_store *store, void *items, size_t count, size_t item_bytes) {
    if (!store || !items) {
        free(items);
        return;
    }
    size_t bytes = count * item_bytes;
    void **pieces = &store->pieces[size_of(&bytes)];
    if (bytes > LARGEST_CHUNK) { /* the system gets the pages of a list that has become longer */
        const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = (uintptr_t)items;
        const size_t after = (size_t)(page - begin % page);
        madvise((char *)items + after, bytes / page * page - page, MADV_DONTNEED);
    }
    pthread_mutex_lock(&store->lock);
    *(void **)items = *pieces;
    *pieces = items;
    FORBID(items, bytes);
    pthread_mutex_unlock(&store->lock);
}

bool vef_store_grow(vef_store *store, void *list, size_t *room, size_t needed, size_t item_bytes) {
    if (needed <= *room)
        return true;
    const size_t least = *room < SIZE_MAX / 2 ? 2 * *room : SIZE_MAX;
    const size_t larger = needed < least ? least : needed;
    void *items, *grown = vef_store_take(store, larger, item_bytes);
    if (!grown)
        return false;
    memcpy(&items, list, sizeof items); /* a pointer to any type, so copied by bytes */
    if (items)
        memcpy(grown, items, *room * item_bytes);
    vef_store_put(store, items, *room, item_bytes);
    memcpy(list, &grown, sizeof grown);
    *room = larger;
    return true;
}

void vef_store_destroy(vef_store *store) {
    if (!store)
        return;
    pthread_mutex_destroy(&store->lock);
    vef_arena_release(&store->arena);
    free(store);
}
