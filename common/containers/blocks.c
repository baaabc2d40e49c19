/* A growing array whose items never move. See blocks.h. */
#include "common/containers/blocks.h"
#include "common/memory.h"

#include <stdlib.h>

/* The items of a block; before it there are VEF_FIRST_BLOCK fewer. */
static size_t items_of(uint32_t block) {
    return (size_t)1 << block;
}

void vef_blocks_reserve(vef_blocks *blocks, uint64_t count, size_t item_bytes) {
    if (count > items_of(VEF_BLOCK_NUMBERS) - VEF_FIRST_BLOCK)
        vef_lost(vef_product(count, item_bytes));
    for (uint32_t b = VEF_FIRST_BLOCK_BITS; items_of(b) - VEF_FIRST_BLOCK < count; b++) {
        if (atomic_load_explicit(&blocks->from[b], memory_order_acquire) != 0)
            continue;
        const size_t bytes = vef_product(items_of(b), item_bytes);
        void *fresh = vef_malloc(bytes);
        uintptr_t none = 0;
        if (!atomic_compare_exchange_strong(&blocks->from[b], &none, (uintptr_t)fresh - bytes))
            free(fresh); /* another thread was first */
    }
}

uint64_t vef_blocks_bytes(const vef_blocks *blocks, size_t item_bytes) {
    uint64_t items = 0;
    for (uint32_t b = VEF_FIRST_BLOCK_BITS; b < VEF_BLOCK_NUMBERS; b++)
        items += blocks->from[b] != 0 ? items_of(b) : 0;
    return items * item_bytes;
}

void vef_blocks_release(vef_blocks *blocks, size_t item_bytes) {
    for (uint32_t b = VEF_FIRST_BLOCK_BITS; b < VEF_BLOCK_NUMBERS; b++) {
        if (blocks->from[b] != 0)
            free((void *)(blocks->from[b] + items_of(b) * item_bytes));
        blocks->from[b] = 0;
    }
}
