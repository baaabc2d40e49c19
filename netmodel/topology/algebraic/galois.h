/* Arithmetic in the finite field GF(q), q = p^k, by tables.
 *
 * Elements are the numbers 0 … q - 1: the coefficients of a polynomial in x of degree below k, as
 * digits to the base p, the constant the lowest. So 0 is zero, 1 is one, and GF(p) are the residues
 * modulo p. Tables need 4 q^2 bytes. */
#ifndef VEF_NETMODEL_TOPOLOGY_ALGEBRAIC_GALOIS_H
#define VEF_NETMODEL_TOPOLOGY_ALGEBRAIC_GALOIS_H

#include "common/arena.h"
#include "common/status.h"

#include <stdbool.h>
#include <stdint.h>

enum { VEF_MAX_GALOIS = 1024 };

typedef struct vef_galois {
    uint32_t q, p, k;
    uint16_t *sum, *product; /* [a * q + b] */
    uint16_t *negative;      /* [a] */
    uint16_t *power;         /* [i], i = 0 … q - 2: of a primitive element, power[1 % (q - 1)] */
    uint16_t *inverse;       /* [a], a > 0 */
} vef_galois;

/* Refuses a q that is not a prime power from 2 to VEF_MAX_GALOIS; names the nearest ones. */
vef_code vef_galois_make(uint32_t q, vef_arena *arena, vef_galois *field, vef_error *error);

/* Whether vef_galois_make accepts q. */
bool vef_galois_exists(uint32_t q);

static inline uint32_t vef_galois_add(const vef_galois *field, uint32_t a, uint32_t b) {
    return field->sum[a * field->q + b];
}

static inline uint32_t vef_galois_subtract(const vef_galois *field, uint32_t a, uint32_t b) {
    return field->sum[a * field->q + field->negative[b]];
}

static inline uint32_t vef_galois_multiply(const vef_galois *field, uint32_t a, uint32_t b) {
    return field->product[a * field->q + b];
}

#endif
