/* A hash of 128 bits that names texts: equal texts have equal hashes on every machine, and two
 * different ones of a million share one with a probability below 1e-26. Not against attackers. */
#ifndef VEF_COMMON_CONTAINERS_HASH_H
#define VEF_COMMON_CONTAINERS_HASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct vef_hash {
    uint64_t high, low;
} vef_hash;

static inline vef_hash vef_hash_begin(void) {
    return (vef_hash){UINT64_C(0xcbf29ce484222325), UINT64_C(0x9e3779b97f4a7c15)};
}

/* Adds bytes: FNV-1a in one half, and a multiplication with a rotation in the other. */
static inline void vef_hash_add(vef_hash *hash, const void *data, size_t bytes) {
    const unsigned char *octets = data;
    for (size_t i = 0; i < bytes; i++) {
        hash->high = (hash->high ^ octets[i]) * UINT64_C(0x100000001b3);
        hash->low = (hash->low + octets[i]) * UINT64_C(0xd6e8feb86659fd93);
        hash->low ^= hash->low >> 32;
    }
}

#endif
