/* The kinds of workloads, and functions for them. See kind.h. */
#include "workloads/kind.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

const vef_workload_kind *const vef_workload_kinds[] = {
#define WORKLOAD(name) &vef_workload_##name,
#include "workloads/kinds.def"
#undef WORKLOAD
    NULL,
};

vef_code vef_workload_fail(const vef_workload_step *step, vef_error *error, const char *key,
                           const char *format, ...) {
    va_list arguments;
    char message[VEF_MESSAGE_BYTES];
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    const vef_node *node = key ? vef_node_get(step->node, key) : NULL;
    return vef_node_fail(node ? node : step->node, error, "%s: %s", step->kind->name, message);
}

vef_code vef_workload_check_pairs(const vef_workload_step *step, uint64_t members,
                                  vef_error *error) {
    const uint64_t pairs = members * step->tasks;
    if (pairs <= VEF_MOST_PAIR_COUNTS)
        return VEF_OK;
    return vef_workload_fail(step, error, NULL,
                             "a call with a count for each of %llu pairs of tasks: expected at "
                             "most %llu pairs (16384 tasks in one communicator)",
                             (unsigned long long)pairs, (unsigned long long)VEF_MOST_PAIR_COUNTS);
}

bool vef_workload_product(const uint64_t *factors, size_t count, uint64_t *product) {
    *product = 1;
    for (size_t i = 0; i < count; i++)
        if (__builtin_mul_overflow(*product, factors[i], product) || *product >> 62)
            return false;
    return true;
}

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
