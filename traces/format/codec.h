/* The coding of events in the four columns of a piece. FORMAT.md defines it byte for byte.
 *
 * Programs repeat themselves, so an event is coded in two parts. Its payload (everything but the
 * times) is made position-independent: requests relative to the task's request counter, ordinals
 * relative to the next expected from that peer. The payload is then predicted: if it equals the one
 * that followed the last occurrence of the present context, one byte replaces it. This is the
 * finite context method of value prediction (Sazeides and Smith, "The predictability of data
 * values", MICRO-30, 1997), used for compressing traces as in VPC3 (Burtscher, "VPC3: a fast and
 * effective trace-compression algorithm", SIGMETRICS 2004), with a context of two payloads and,
 * after a miss, of one. Times have separate columns, so that zlib compresses similar data together.
 *
 * The order of a task's threads is coded as the difference from a single thread, which is nothing
 * in most traces: then the column of ticks is empty.
 *
 * Every piece resets all of this, so that pieces are decoded independently. */
#ifndef VEF_TRACES_FORMAT_CODEC_H
#define VEF_TRACES_FORMAT_CODEC_H

#include "common/prefetch.h"
#include "common/status.h"
#include "common/store.h"
#include "traces/event.h"
#include "traces/format/piece.h"
#include "traces/format/time_coding.h"
#include "traces/format/varint.h"

#include <assert.h>

enum {
    VEF_BLOCK_RAW_BYTES = 48 * 1024, /* a block is closed once its columns reach this size */
    VEF_COLUMN_CAPACITY = VEF_BLOCK_RAW_BYTES + 4096,
    VEF_LONG_CONTEXTS = 1024, /* entries of the predictor's tables */
    VEF_SHORT_CONTEXTS = 256,
    VEF_PEER_ENTRIES = 256,
    VEF_LONGEST_LIST = 1 << 22, /* requests that one call completes; a run takes only a few bytes */
};

/* The unit of gaps, by a file's `times`: a gap that is not a multiple of it stays exact, but is
 * longer. */
static inline uint32_t vef_gap_unit(const char *times) {
    return strcmp(times, "compute") == 0 ? VEF_COMPUTE_STEP_NS : 1;
}

/* Marks beside the flags of an event, in its payload: further values in the column of gaps. */
enum {
    VEF_MARK_OUTSIDE = 1 << 0, /* outside_ns */
    VEF_MARK_ODD_GAP = 1 << 1, /* the remainder of the gap by its unit */
    /* Coded as VEF_CODED_SERIES: series_ns of a poll, in the column of durations. */
    VEF_MARK_SERIES = 1 << 2,
};

/* In the flags of a payload: it has the number of a persistent collective; it has VEF_MARK_SERIES.
 */
enum { VEF_CODED_PERSISTENT = 1 << 15, VEF_CODED_SERIES = 1 << 14 };

/* Position of a payload in the payload column, and its hash; length 0: none yet. */
typedef struct vef_payload_place {
    uint32_t offset, length;
    uint64_t hash;
} vef_payload_place;

/* The next message expected from or to a peer; key 0: empty. */
typedef struct vef_peer_entry {
    uint64_t key, next;
} vef_peer_entry;

/* The state of an encoder. A decoder has the same state in less room: see vef_decoder. */
typedef struct vef_coder {
    uint64_t next_request;
    bool sites;                      /* payloads have call sites; constant */
    uint64_t last_hash, before_hash; /* of the two previous payloads; 0 at the start of a piece */
    vef_payload_place long_context[VEF_LONG_CONTEXTS];
    vef_payload_place short_context[VEF_SHORT_CONTEXTS];
    vef_peer_entry peer[VEF_PEER_ENTRIES];
} vef_coder;

/* Resets everything but the request counter and `sites`. */
void vef_coder_restart(vef_coder *coder, uint64_t next_request);

/* The two entries that a context selects. */
static inline uint32_t vef_long_index(uint64_t last_hash, uint64_t before_hash) {
    uint64_t mixed = last_hash + (before_hash << 23 | before_hash >> 41);
    return (uint32_t)((mixed * UINT64_C(0x9e3779b97f4a7c15)) >> 54);
}

static inline uint32_t vef_short_index(uint64_t last_hash) {
    return (uint32_t)((last_hash * UINT64_C(0x9e3779b97f4a7c15)) >> 56);
}

static inline vef_payload_place *vef_coder_long(vef_coder *coder) {
    return &coder->long_context[vef_long_index(coder->last_hash, coder->before_hash)];
}

static inline vef_payload_place *vef_coder_short(vef_coder *coder) {
    return &coder->short_context[vef_short_index(coder->last_hash)];
}

/* A request was started or completed: the counter is one past the greatest so far. (Another thread
 * of the task may have started it.) */
static inline void vef_coder_named(vef_coder *coder, uint64_t request) {
    if (request >= coder->next_request)
        coder->next_request = request + 1;
}

/* The hash of a payload, which represents it in a context: eight bytes at a time, the last ones
 * padded with zeros: fast enough for capture, simple enough to write down in FORMAT.md. */
static inline uint64_t vef_payload_hash(const uint8_t *bytes, size_t length) {
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

/* After a payload: updates both entries and the context. */
static inline void vef_coder_learn(vef_coder *coder, const uint8_t *column,
                                   vef_payload_place place) {
    if (place.hash == 0) /* was not predicted */
        place.hash = vef_payload_hash(column + place.offset, place.length);
    *vef_coder_long(coder) = place;
    *vef_coder_short(coder) = place;
    coder->before_hash = coder->last_hash;
    coder->last_hash = place.hash;
}

/* The key of a peer and direction, and its slot in the table of 256. */
static inline uint64_t vef_peer_key(int32_t peer, bool send) {
    return ((uint64_t)(uint32_t)peer << 1 | send) + 1;
}

static inline uint32_t vef_peer_slot(uint64_t key) {
    return (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 56);
}

/* ---- encoding ---- */

typedef struct vef_encoder {
    vef_coder coder;
    uint32_t gap_unit; /* see vef_gap_unit; initially 1 */
    uint32_t events;   /* in the current piece */
    uint8_t *column[VEF_COLUMNS];
    uint8_t *borrowed[VEF_COLUMNS]; /* see vef_encoder_borrow */
    size_t used[VEF_COLUMNS], capacity[VEF_COLUMNS];
    uint64_t first_event;   /* number of its first event in the stream */
    uint64_t first_request; /* request counter at its start */
    uint64_t first_tick;    /* `entered` of its first event */
    uint64_t next_tick;     /* of the next event if it leaves no gap */
} vef_encoder;

vef_code vef_encoder_init(vef_encoder *encoder, vef_error *error);
void vef_encoder_free(vef_encoder *encoder);
/* Makes an encoder like a new one, in the same memory; gap_unit and coder.sites stay. */
void vef_encoder_renew(vef_encoder *encoder);

/* Makes an encoder without events build its columns in the caller's memory, VEF_COLUMN_CAPACITY
 * each, which must outlive it. A piece with a longer event is stored elsewhere. */
void vef_encoder_borrow(vef_encoder *encoder, uint8_t *const columns[VEF_COLUMNS]);

/* Appends an event. Allocates only for an event that is longer than a whole block (lists of
 * thousands of requests or counts). The event must be of a recorded kind. */
vef_code vef_encode(vef_encoder *encoder, const vef_event *event, vef_error *error);

static inline bool vef_encoder_full(const vef_encoder *encoder) {
    return encoder->used[0] + encoder->used[1] + encoder->used[2] + encoder->used[3] >=
           VEF_BLOCK_RAW_BYTES - 256;
}

/* The directory entry of the current piece. */
vef_piece vef_encoder_piece(const vef_encoder *encoder, uint32_t task, uint32_t thread);

/* Begins the next piece, after the columns have been copied. */
void vef_encoder_restart(vef_encoder *encoder);

/* ---- decoding ---- */

/* A replay has a decoder per task, and all of them are in use: it keeps little, and in few cache
 * lines. The first peers form a list. */
enum { VEF_LISTED_PEERS = 32 };
static_assert(VEF_PEER_ENTRIES - 1 <= UINT8_MAX, "vef_known_operation.place holds any place");
static_assert(VEF_LONG_CONTEXTS + VEF_SHORT_CONTEXTS <= UINT16_MAX,
              "vef_predicted.context holds the number of any context + 1");

/* What a context predicts: a payload, by its offset in the payload column + 1 (0: none yet), and
 * the number of the vef_decoded that may still hold it. */
typedef struct vef_predicted {
    uint32_t begin;
    uint16_t context; /* in a table of contexts: the number of the context + 1; 0: free */
    uint16_t known;
} vef_predicted;

/* The last payloads that were decoded from their bytes: at most MOST, each with up to LISTED
 * operations. */
enum { VEF_MOST_KNOWN = 128, VEF_KNOWN_LISTED = 2, VEF_KNOWN_HASHES = 64 };

/* What a known payload holds beside the fields of every event. */
typedef enum vef_known_form {
    VEF_KNOWN_FIELDS,     /* those that are no lists */
    VEF_KNOWN_OPERATIONS, /* operations; their requests and ordinals differ at each repetition */
    VEF_KNOWN_RUN,        /* the completion of consecutive requests, which differ likewise */
    VEF_KNOWN_NOT,        /* others: it is decoded from its bytes each time */
} vef_known_form;

/* An operation of a known payload. */
typedef struct vef_known_operation {
    uint64_t bytes;
    int32_t peer, tag;
    uint32_t comm;
    uint32_t request, ordinal; /* request counter - request; ordinal - expected ordinal */
    uint16_t flags;
    uint8_t place; /* of the peer in the decoder's list or table */
    bool has_request : 1, has_ordinal : 1;
} vef_known_operation;

/* A decoded payload. Most events repeat one: then only its times and the numbers of its requests
 * and messages are new. */
typedef struct vef_decoded {
    uint32_t begin; /* as in vef_predicted; 0: it cannot be repeated */
    uint16_t call, flags;
    uint64_t hash;
    uint32_t site;
    uint8_t form;   /* vef_known_form */
    uint8_t length; /* of the payload, in bytes */
    uint8_t marks;
    bool odd_times : 1; /* it has marks, or is a poll or a flush */
    bool two : 1;       /* OPERATIONS: the second is in vef_decoder.second */
    bool starts : 1;    /* FIELDS: it starts a request */
    union {
        vef_known_operation operation; /* OPERATIONS: the first */
        struct {
            uint32_t count, request; /* request counter - the first request */
        } run;
        struct {
            uint32_t comm, new_comm, persistent, request; /* request counter - request */
            int32_t root;
            uint64_t bytes;
            uint64_t other; /* elements, or the argument */
        } fields;
    };
} vef_decoded;

/* The fields used by every event come first. */
typedef struct vef_decoder {
    vef_predicted next; /* the payload of the next event, if it is predicted */
    uint32_t left;      /* events left in the piece */
    uint32_t gap_unit;
    bool out_of_memory;
    bool only_split;           /* times are split, and `ticks` is false */
    bool usual;                /* `event` has its usual values but in what every event sets */
    bool ticks;                /* the column of ticks is not empty, and decoded */
    bool without_ticks;        /* they are not decoded: those of a task of one thread follow */
    bool without_durations;    /* durations, but those of polls, are not decoded, and are 0 */
    bool without_polls;        /* and so are those of polls */
    bool sites;                /* payloads have call sites */
    uint32_t unread_durations; /* skipped so far, for a call that has more in their column */
    struct {
        uint64_t next_request, last_hash, before_hash;
    } coder;                 /* as in vef_coder */
    vef_decoded *known;      /* a ring: the oldest is replaced */
    vef_predicted *contexts; /* a hash table with linear probing, at most three quarters full */
    uint32_t context_mask;   /* its length - 1; 0: none yet */
    uint32_t context_count;
    vef_peer_entry *peer; /* a short list, or the table */
    uint64_t next_tick;
    vef_time_bits times; /* bits NULL: the columns of times hold varints */
    vef_cursor column[VEF_COLUMNS];
    const uint8_t *payload; /* the payload column, from its first byte */
    vef_completion *completions;
    vef_event event;                            /* the last one */
    vef_operation operations[VEF_KNOWN_LISTED]; /* of it, unless it has more */
    vef_known_operation *second;                /* by known payload */
    size_t known_capacity, second_capacity;
    uint32_t thread;
    uint32_t known_next, known_used;   /* the one to replace; one past the last in use */
    uint8_t by_hash[VEF_KNOWN_HASHES]; /* one known payload for each value of some bits of its hash:
                                          a payload may be stored in full again */
    uint32_t peer_count, peer_room;
    vef_store *store;    /* of these lists; or NULL */
    vef_operation *more; /* operations of an event with more than VEF_KNOWN_LISTED */
    uint64_t *send_bytes, *receive_bytes;
    int32_t *peers;
    char *name;
    size_t more_capacity, completions_capacity, send_bytes_capacity, receive_bytes_capacity,
        peers_capacity, name_capacity;
} vef_decoder; /* zero-initialised is empty and ready; the caller may set `store`, `without_…` and
                  `sites` */

void vef_decoder_free(vef_decoder *decoder);

/* Begins a piece, whose columns must stay valid while it is decoded. `gap_unit`: see vef_gap_unit.
 */
void vef_decoder_restart(vef_decoder *decoder, const vef_piece *piece,
                         const uint8_t *const column[VEF_COLUMNS], uint32_t gap_unit);

/* The same for a piece with split times (time_coding.h), whose bits must stay valid too. */
void vef_decoder_restart_split(vef_decoder *decoder, const vef_piece *piece,
                               const uint8_t *const column[VEF_COLUMNS], const vef_time_bits *times,
                               uint32_t gap_unit);

/* Prefetches what the next event needs: first the decoder, later (`near`) what it points to. */
static inline void vef_decoder_prefetch(const vef_decoder *decoder, bool near) {
    if (!near)
        vef_prefetch(decoder, offsetof(vef_decoder, second));
    if (!near || !decoder->next.begin)
        return;
    vef_prefetch(&decoder->known[decoder->next.known], sizeof(vef_decoded));
    for (size_t i = 0; i < VEF_COLUMNS; i++)
        vef_prefetch(decoder->column[i].next, 1);
    vef_prefetch(decoder->times.bits + decoder->times.gap / 8, 1);
    vef_prefetch(decoder->times.bits + decoder->times.duration / 8, 1);
}

/* The next event of the piece, or NULL in `*event` after the last. */
vef_code vef_decode(vef_decoder *decoder, const vef_event **event, vef_error *error);

#endif
