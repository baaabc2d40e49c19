/* Channels of partitioned communication: see channels.h. */
#include "capture/objects/channels.h"

uint64_t vef_channels_next(vef_channels *channels, const vef_operation *operation) {
    if ((channels->peers.slots == NULL && !vef_map_init(&channels->peers, 4)) ||
        (channels->counts.slots == NULL && !vef_map_init(&channels->counts, 4)))
        return VEF_NO_ORDINAL;
    uint64_t key = (uint64_t)operation->comm << 32 | (uint32_t)operation->peer;
    uint32_t pair = vef_map_get(&channels->peers, key);
    if (pair == VEF_MAP_NONE) {
        pair = channels->peers.used;
        if (!vef_map_put(&channels->peers, key, pair))
            return VEF_NO_ORDINAL;
    }
    key = ((uint64_t)pair << 1 | ((operation->flags & VEF_OP_SEND) != 0)) << 32 |
          (uint32_t)operation->tag;
    uint32_t count = vef_map_get(&channels->counts, key);
    if (count == VEF_MAP_NONE)
        count = 0;
    return vef_map_put(&channels->counts, key, count + 1) ? count : VEF_NO_ORDINAL;
}
