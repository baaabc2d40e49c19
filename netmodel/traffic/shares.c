/* What the endpoints of a pattern send: their destinations, and which of them send at all. See
 * traffic.h. */
#include "netmodel/traffic/traffic.h"

#include <string.h>

void vef_pattern_shares(const vef_pattern *pattern, uint32_t source, double *share) {
    memset(share, 0, pattern->endpoints * sizeof *share);
    if (pattern->kind->shares) {
        pattern->kind->shares(pattern, source, share);
        return;
    }
    vef_rng unused = vef_rng_make(0, VEF_RNG_TRAFFIC, source);
    const uint32_t to = pattern->kind->destination(pattern, source, &unused);
    if (to != VEF_SILENT)
        share[to] = 1;
}

bool vef_pattern_sends(const vef_pattern *pattern, uint32_t endpoint) {
    vef_rng trial = vef_rng_make(0, VEF_RNG_TRAFFIC, endpoint);
    return pattern->kind->destination(pattern, endpoint, &trial) != VEF_SILENT;
}

uint32_t vef_pattern_senders(const vef_pattern *pattern) {
    uint32_t count = 0;
    for (uint32_t e = 0; e < pattern->endpoints; e++)
        count += vef_pattern_sends(pattern, e);
    return count;
}

uint32_t vef_pattern_groups(const vef_pattern *pattern) {
    uint32_t count = 0;
    while (pattern->kind->groups && pattern->kind->groups[count])
        count++;
    return count;
}

uint32_t vef_pattern_group_senders(const vef_pattern *pattern, uint32_t group) {
    uint32_t count = 0;
    for (uint32_t e = 0; e < pattern->endpoints; e++)
        count += pattern->kind->group(pattern, e) == group && vef_pattern_sends(pattern, e);
    return count;
}
