/* The coding of events in a block: what stands in a block's three columns. FORMAT.md has it byte
 * for byte.
 *
 * A program repeats itself, so an event is coded in two parts. Its payload (everything but the
 * times) is made position-independent: requests relative to the task's request counter, ordinals
 * relative to the next expected from that peer. The payload is then predicted: if it equals the one
 * that followed the last occurrence of the present context, one byte stands for it. This is the
 * finite context method of value prediction (Sazeides and Smith, "The predictability of data
 * values", MICRO-30, 1997), used for compressing traces as in VPC3 (Burtscher, "VPC3: a fast and
 * effective trace-compression algorithm", SIGMETRICS 2004), with a context of two payloads and,
 * where that misses, of one. Times go to columns of their own, where zlib meets like with like.
 *
 * Every block restarts all of this, so that blocks are decoded each for itself. */
#ifndef VEF_TRACES_CODEC_H
#define VEF_TRACES_CODEC_H

#include "common/status.h"
#include "traces/event.h"
#include "traces/varint.h"

enum {
    VEF_BLOCK_RAW_BYTES = 48 * 1024, /* a block is closed once its columns hold this much */
    VEF_LONG_CONTEXTS = 1024,        /* entries of the predictor's tables */
    VEF_SHORT_CONTEXTS = 256,
    VEF_PEER_ENTRIES = 256,
};

/* The columns of a block, in their order. */
enum { VEF_COLUMN_PAYLOAD, VEF_COLUMN_GAP, VEF_COLUMN_DURATION, VEF_COLUMNS };

/* Where a payload stands in the payload column; length 0: none yet. */
typedef struct vef_payload_place {
    uint32_t offset, length;
} vef_payload_place;

/* What encoder and decoder both know at every event. */
typedef struct vef_coder {
    uint64_t next_request;
    uint64_t last_hash, before_hash; /* of the two payloads before; 0 at the start of a block */
    vef_payload_place long_context[VEF_LONG_CONTEXTS];
    vef_payload_place short_context[VEF_SHORT_CONTEXTS];
    struct {
        uint64_t key, next; /* key 0: empty */
    } peer[VEF_PEER_ENTRIES];
} vef_coder;

/* Forgets everything but the request counter. */
void vef_coder_restart(vef_coder *coder, uint64_t next_request);

/* The two entries that the present context selects. */
static inline vef_payload_place *vef_coder_long(vef_coder *coder) {
    uint64_t mixed = coder->last_hash + (coder->before_hash << 23 | coder->before_hash >> 41);
    return &coder->long_context[(mixed * UINT64_C(0x9e3779b97f4a7c15)) >> 54];
}

static inline vef_payload_place *vef_coder_short(vef_coder *coder) {
    return &coder->short_context[(coder->last_hash * UINT64_C(0x9e3779b97f4a7c15)) >> 56];
}

/* After a payload: both entries learn it, and it becomes the context. */
void vef_coder_learn(vef_coder *coder, const uint8_t *column, vef_payload_place place);

/* The ordinal expected next with this peer; and telling it what came. */
uint64_t vef_coder_expected(const vef_coder *coder, int32_t peer, bool send);
void vef_coder_saw(vef_coder *coder, int32_t peer, bool send, uint64_t ordinal);

/* ---- encoding ---- */

typedef struct vef_encoder {
    vef_coder coder;
    uint8_t *column[VEF_COLUMNS];
    size_t used[VEF_COLUMNS], capacity[VEF_COLUMNS];
    uint32_t events;        /* in the block under way */
    uint64_t first_event;   /* number of its first event in the task */
    uint64_t first_request; /* request counter at its start */
} vef_encoder;

vef_code vef_encoder_init(vef_encoder *encoder, vef_error *error);
void vef_encoder_free(vef_encoder *encoder);

/* Appends an event. Allocates only for an event that is longer than a whole block (a list of
 * thousands of requests or of counts). The event must be of a recorded kind. */
vef_code vef_encode(vef_encoder *encoder, const vef_event *event, vef_error *error);

static inline bool vef_encoder_full(const vef_encoder *encoder) {
    return encoder->used[0] + encoder->used[1] + encoder->used[2] >= VEF_BLOCK_RAW_BYTES - 256;
}

/* Begins the next block, once the columns have been taken. */
void vef_encoder_restart(vef_encoder *encoder);

/* ---- decoding ---- */

typedef struct vef_decoder {
    vef_coder coder;
    const uint8_t *payload; /* the payload column, from its first byte */
    vef_cursor column[VEF_COLUMNS];
    uint32_t left; /* events that the block still holds */
    vef_event event;
    vef_operation *operations;
    vef_completion *completions;
    uint64_t *vectors; /* those of bytes sent, then those received */
    int32_t *peers;
    char *name;
    size_t operation_capacity, completion_capacity, vector_capacity, peer_capacity, name_capacity;
} vef_decoder; /* zero-initialised is empty and ready */

void vef_decoder_free(vef_decoder *decoder);

/* Begins a block: its columns lie one after another at `raw`, which must last while it is decoded.
 */
void vef_decoder_restart(vef_decoder *decoder, const uint8_t *raw, const uint32_t *column_bytes,
                         uint32_t events, uint64_t first_request);

/* The next event of the block, or NULL in `*event` after the last. */
vef_code vef_decode(vef_decoder *decoder, const vef_event **event, vef_error *error);

#endif
