/* Unequal shares by Zipf's law: part i of a whole in proportion to 1 / (i + 1)^exponent. */
#ifndef VEF_WORKLOADS_ZIPF_H
#define VEF_WORKLOADS_ZIPF_H

#include <stdint.h>

/* Divides `whole` (at most 2^52) into `count` parts, whose sum is exactly `whole`: part i is the
 * difference of two sums of shares, each rounded to the nearest integer. Exponent 0: equal parts.
 */
void vef_zipf_divide(uint64_t whole, double exponent, uint32_t count, uint64_t *parts);

#endif
