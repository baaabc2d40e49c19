/* Zipf's law: see zipf.h. */
#include "workloads/zipf.h"

#include <math.h>

void vef_zipf_divide(uint64_t whole, double exponent, uint32_t count, uint64_t *parts) {
    double weights = 0, sum = 0;
    for (uint32_t i = 0; i < count; i++)
        weights += pow(i + 1.0, -exponent);
    uint64_t before = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += pow(i + 1.0, -exponent);
        uint64_t to = (uint64_t)((double)whole * (sum / weights) + 0.5);
        if (i + 1 == count || to > whole)
            to = whole;
        parts[i] = to - before;
        before = to;
    }
}
