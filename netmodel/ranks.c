/* What ranks have in common. See ranks.h. */
#include "netmodel/ranks.h"

#include <string.h>

vef_code vef_net_agree(const vef_net_ranks *ranks, vef_code code, vef_error *error) {
    if (!ranks)
        return code;
    uint64_t first = code == VEF_OK ? ranks->count : ranks->rank;
    ranks->least(ranks->context, &first, 1);
    if (first == ranks->count)
        return VEF_OK;
    /* The others add nothing to it. */
    uint64_t shared[sizeof *error / sizeof(uint64_t) + 1] = {0};
    if (first == ranks->rank) {
        error->code = code;
        memcpy(shared, error, sizeof *error);
    }
    ranks->sum(ranks->context, shared, sizeof shared / sizeof *shared);
    memcpy(error, shared, sizeof *error);
    return error->code;
}
