/* Shared by encoder and decoder: the predictor and the expected ordinals. See codec.h. */
#include "traces/format/codec.h"

void vef_coder_restart(vef_coder *coder, uint64_t next_request) {
    memset(coder, 0, sizeof *coder);
    coder->next_request = next_request;
}

/* Eight bytes at a time, the last ones padded with zeros: fast enough for capture, simple enough to
 * write down in FORMAT.md. */
uint64_t vef_payload_hash(const uint8_t *bytes, size_t length) {
    const uint64_t factor = UINT64_C(0xff51afd7ed558ccd);
    uint64_t state = length;
    for (; length >= 8; bytes += 8, length -= 8) {
        state = (state ^ vef_get_u64(bytes)) * factor;
        state ^= state >> 32;
    }
    uint64_t word = 0;
    for (size_t i = 0; i < length; i++)
        word |= (uint64_t)bytes[i] << (8 * i);
    state = (state ^ word) * factor;
    return state ^ state >> 32;
}

uint64_t vef_coder_expected(const vef_coder *coder, int32_t peer, bool send) {
    uint64_t key = vef_peer_key(peer, send);
    uint32_t slot = vef_peer_slot(key);
    return coder->peer[slot].key == key ? coder->peer[slot].next : 0;
}

void vef_coder_saw(vef_coder *coder, int32_t peer, bool send, uint64_t ordinal) {
    uint64_t key = vef_peer_key(peer, send);
    uint32_t slot = vef_peer_slot(key);
    coder->peer[slot].key = key;
    coder->peer[slot].next = ordinal + 1;
}
