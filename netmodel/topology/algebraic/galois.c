/* Tables of a finite field. See galois.h.
 *
 * Lidl, Niederreiter: "Finite Fields", sections 2.1 and 3.1. GF(p^k) is the ring of polynomials
 * over GF(p) modulo a polynomial f of degree k in which x has order p^k - 1: then all elements but
 * zero are powers of x, so they have inverses, f is irreducible and x is primitive. The search
 * takes the first such f; for k = 1, f = x - g, and g is the least primitive root. At most q
 * polynomials with up to q powers each. */
#include "netmodel/topology/algebraic/galois.h"

/* The prime p and the k of q = p^k; false if there are none. */
static bool find_prime(uint32_t q, uint32_t *p, uint32_t *k) {
    if (q < 2)
        return false;
    for (*p = 2; q % *p != 0;)
        ++*p;
    for (*k = 0; q % *p == 0; q /= *p)
        ++*k;
    return q == 1;
}

bool vef_galois_exists(uint32_t q) {
    uint32_t p, k;
    return q <= VEF_MAX_GALOIS && find_prime(q, &p, &k);
}

static uint32_t add_digits(uint32_t a, uint32_t b, uint32_t p) {
    uint32_t sum = 0;
    for (uint32_t place = 1; a > 0 || b > 0; place *= p, a /= p, b /= p)
        sum += (a + b) % p * place;
    return sum;
}

static uint32_t multiply_digits(uint32_t a, uint32_t factor, uint32_t p) {
    uint32_t product = 0;
    for (uint32_t place = 1; a > 0; place *= p, a /= p)
        product += a % p * factor % p * place;
    return product;
}

/* Lists the powers of x modulo f, where x^k = `reduced` modulo f; false if x is not primitive. */
static bool list_powers(vef_galois *field, uint32_t reduced) {
    const uint32_t p = field->p, top = field->q / p;
    uint32_t power = 1;
    for (uint32_t i = 0; i + 1 < field->q; i++) {
        if (power == 0 || (power == 1 && i > 0))
            return false;
        field->power[i] = (uint16_t)power;
        power = add_digits(power % top * p, multiply_digits(reduced, power / top, p), p);
    }
    return power == 1;
}

static vef_code fail_no_power(uint32_t q, vef_error *error) {
    uint32_t below = q < VEF_MAX_GALOIS ? q : VEF_MAX_GALOIS, above = q, p, k;
    while (below > 1 && !find_prime(below, &p, &k))
        below--;
    while (above <= VEF_MAX_GALOIS && !find_prime(above, &p, &k))
        above++;
    if (below < 2 || above > VEF_MAX_GALOIS)
        return vef_fail(error, VEF_INVALID, "%u: out of range: expected a prime power such as %u",
                        q, below < 2 ? above : below);
    return vef_fail(error, VEF_INVALID, "%u: not a prime power: expected %u or %u", q, below,
                    above);
}

vef_code vef_galois_make(uint32_t q, vef_arena *arena, vef_galois *field, vef_error *error) {
    *field = (vef_galois){.q = q};
    if (q > VEF_MAX_GALOIS || !find_prime(q, &field->p, &field->k))
        return fail_no_power(q, error);
    field->sum = vef_arena_alloc(arena, (uint64_t)q * q, sizeof *field->sum);
    field->product = vef_arena_alloc(arena, (uint64_t)q * q, sizeof *field->product);
    field->negative = vef_arena_alloc(arena, q, sizeof *field->negative);
    field->power = vef_arena_alloc(arena, q, sizeof *field->power);
    field->inverse = vef_arena_alloc(arena, q, sizeof *field->inverse);
    for (uint32_t reduced = 1; !list_powers(field, reduced);)
        reduced++;
    for (uint32_t a = 0; a < q; a++) {
        field->negative[a] = (uint16_t)multiply_digits(a, field->p - 1, field->p);
        for (uint32_t b = 0; b < q; b++)
            field->sum[a * q + b] = (uint16_t)add_digits(a, b, field->p);
    }
    for (uint32_t i = 0; i + 1 < q; i++) {
        field->inverse[field->power[i]] = field->power[(q - 1 - i) % (q - 1)];
        for (uint32_t j = 0; j + 1 < q; j++)
            field->product[field->power[i] * q + field->power[j]] = field->power[(i + j) % (q - 1)];
    }
    return VEF_OK;
}
