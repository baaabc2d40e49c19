/* What ranks have in common. See ranks.h. */
#include "netmodel/ranks.h"

#include "common/containers/grow.h"

void vef_net_put(vef_net_peer *peer, const void *item, size_t bytes) {
    vef_grow(&peer->out, &peer->out_room, peer->out_bytes + bytes, 1);
    if (bytes > 0)
        memcpy(peer->out + peer->out_bytes, item, bytes);
    peer->out_bytes += bytes;
}

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
