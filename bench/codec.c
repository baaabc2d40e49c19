/* Cost of encoding an event, and its length: a halo exchange in a loop (four Irecv, four Isend,
 * Waitall, Allreduce) with noisy times, as in a log. Also the effect of zlib, by level and with
 * times whole or split (traces/format/time_coding.h), which is why logs are stored and traces are
 * compressed (traces/log/log.c, traces/file/writer.c). Times are CPU times. */
#include "traces/format/codec.h"
#include "common/rng.h"
#include "traces/format/time_coding.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <zlib.h>

enum { STEPS = 200000, EVENTS_PER_STEP = 10, EVENTS = STEPS * EVENTS_PER_STEP };

static double now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

typedef struct block {
    uint8_t *raw;
    vef_piece piece;
} block;

typedef struct blocks {
    block *list;
    size_t count;
    double bytes;
} blocks;

static void keep(blocks *all, vef_encoder *encoder) {
    block *kept = &all->list[all->count++];
    vef_piece piece = vef_encoder_piece(encoder, 0, 0);
    size_t size = vef_piece_bytes(&piece), at = 0;
    *kept = (block){malloc(size), piece};
    if (!kept->raw)
        abort();
    for (size_t i = 0; i < VEF_COLUMNS; i++) {
        memcpy(kept->raw + at, encoder->column[i], encoder->used[i]);
        at += encoder->used[i];
    }
    all->bytes += (double)size;
    vef_encoder_restart(encoder);
}

/* The events of one step, their times in place: about 1 µs with 200 ns of noise. */
static void make_step(vef_event *events, vef_operation *ops, vef_completion *done, vef_rng *rng,
                      uint64_t request) {
    for (uint32_t i = 0; i < 8; i++) {
        ops[i] = (vef_operation){i < 4 ? 0 : VEF_OP_SEND, (int32_t)(10 + i % 4), 7,          0,
                                 i < 4 ? 0 : 8192,        VEF_NO_ORDINAL,        request + i};
        events[i] = (vef_event){.call = i < 4 ? VEF_CALL_Irecv : VEF_CALL_Isend,
                                .operation_count = 1,
                                .operations = &ops[i]};
        bool receive = i < 4;
        done[i] = (vef_completion){request + i, false, receive ? (int32_t)(10 + i) : VEF_NO_TASK,
                                   receive ? 7 : 0, receive ? 8192 : 0};
    }
    events[8] = (vef_event){.call = VEF_CALL_Waitall, .completion_count = 8, .completions = done};
    events[9] = (vef_event){.call = VEF_CALL_Allreduce, .root = -1, .bytes = 8, .elements = 1};
    for (unsigned i = 0; i < EVENTS_PER_STEP; i++) {
        events[i].repeats = 1;
        events[i].new_comm = VEF_NO_COMM;
        events[i].entered = 2 * (request / 8 * EVENTS_PER_STEP + i);
        events[i].left = events[i].entered + 1;
        events[i].gap_ns = 900 + vef_rng_below(rng, 200);
        events[i].duration_ns = (i < 8 ? 400 : 20000) + vef_rng_below(rng, i < 8 ? 200 : 4000);
    }
}

static double encode_all(blocks *all) {
    vef_encoder encoder;
    vef_rng rng = vef_rng_make(1, VEF_RNG_TEST, 0);
    double spent = 0;
    if (vef_encoder_init(&encoder, NULL))
        abort();
    vef_coder_restart(&encoder.coder, 0);
    enum { BATCH = 64 };
    static vef_event events[BATCH][EVENTS_PER_STEP];
    static vef_operation ops[BATCH][8];
    static vef_completion done[BATCH][8];
    for (unsigned step = 0; step < STEPS; step += BATCH) {
        for (unsigned i = 0; i < BATCH; i++)
            make_step(events[i], ops[i], done[i], &rng, 8ull * (step + i));
        double begin = now_ns();
        for (unsigned i = 0; i < BATCH; i++) {
            for (unsigned k = 0; k < EVENTS_PER_STEP; k++) {
                vef_encode(&encoder, &events[i][k], NULL);
                if (vef_encoder_full(&encoder)) {
                    spent += now_ns() - begin;
                    keep(all, &encoder);
                    begin = now_ns();
                }
            }
        }
        spent += now_ns() - begin;
    }
    keep(all, &encoder);
    vef_encoder_free(&encoder);
    return spent;
}

static double decode_all(const blocks *all) {
    vef_decoder decoder = {0};
    const vef_event *event;
    uint64_t sum = 0;
    double begin = now_ns();
    for (size_t i = 0; i < all->count; i++) {
        const block *kept = &all->list[i];
        const uint8_t *column[VEF_COLUMNS];
        vef_pieces_columns(&kept->piece, 1, kept->raw, column);
        vef_decoder_restart(&decoder, &kept->piece, column, 1);
        while (vef_decode(&decoder, &event, NULL) == VEF_OK && event)
            sum += event->gap_ns;
    }
    double spent = now_ns() - begin;
    vef_decoder_free(&decoder);
    return sum ? spent : 0;
}

/* Deflates parts one after another, each with codes of its own, as traces/file/writer.c does. */
static uLong deflate_parts(uint8_t *to, uLong bound, const uint8_t *const *part,
                           const size_t *bytes, unsigned count, int level) {
    z_stream zip = {.next_out = to, .avail_out = (uInt)bound};
    if (deflateInit2(&zip, level, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY))
        abort();
    for (unsigned i = 0; i < count; i++) {
        zip.next_in = (Bytef *)(uintptr_t)part[i];
        zip.avail_in = (uInt)bytes[i];
        deflate(&zip, i + 1 < count ? Z_BLOCK : Z_FINISH);
    }
    uLong size = zip.total_out;
    deflateEnd(&zip);
    return size;
}

static uLong pack(const block *kept, uint8_t *to, uLong bound, int level, bool split_times) {
    const uint8_t *column[VEF_COLUMNS], *part[VEF_COLUMNS + 1];
    size_t bytes[VEF_COLUMNS + 1];
    vef_pieces_columns(&kept->piece, 1, kept->raw, column);
    for (unsigned c = 0; c < VEF_COLUMNS; c++) {
        part[c] = column[c];
        bytes[c] = kept->piece.column_bytes[c];
    }
    if (!split_times)
        return deflate_parts(to, bound, part, bytes, VEF_COLUMNS, level);
    vef_split split;
    uint8_t *own[VEF_COLUMNS];
    for (unsigned c = 0; c < VEF_COLUMNS; c++)
        own[c] = (uint8_t *)(uintptr_t)column[c];
    if (vef_split_make(&split, &kept->piece, 1, own, NULL))
        abort();
    for (unsigned c = 0; c < VEF_COLUMNS; c++) {
        if (split.classes[c]) {
            part[c] = split.classes[c];
            bytes[c] = split.class_bytes[c];
        }
    }
    part[VEF_COLUMNS] = split.bits;
    bytes[VEF_COLUMNS] = split.bit_bytes;
    uLong size = deflate_parts(to, bound, part, bytes, VEF_COLUMNS + 1, level);
    vef_split_free(&split);
    return size;
}

static void compress_all(const blocks *all, int level, bool split_times) {
    uLong bound = compressBound(2 * VEF_BLOCK_RAW_BYTES) + 1024;
    uint8_t *packed = malloc(bound);
    double bytes = 0, begin = now_ns();
    if (!packed)
        abort();
    for (size_t i = 0; i < all->count; i++)
        bytes += (double)pack(&all->list[i], packed, bound, level, split_times);
    printf("deflate level %d, times %-8s %7.1f ns/event to pack %6.2f bytes/event\n", level,
           split_times ? "split" : "whole", (now_ns() - begin) / EVENTS, bytes / EVENTS);
    free(packed);
}

/* The entropy of the times, which are drawn evenly: nothing codes them in fewer bytes. */
static double entropy_bytes(void) {
    double gap = log2(200), duration = (8 * log2(200) + 2 * log2(4000)) / EVENTS_PER_STEP;
    return (gap + duration) / 8;
}

int main(void) {
    blocks all = {.list = calloc(EVENTS / 1000 + 16, sizeof(block))};
    if (!all.list)
        return 2;
    double encoding = encode_all(&all), decoding = decode_all(&all);
    printf("trace coding      %7.1f ns/event to encode %4.1f to decode %6.2f bytes/event\n",
           encoding / EVENTS, decoding / EVENTS, all.bytes / EVENTS);
    printf("entropy of times  %49.2f bytes/event\n", entropy_bytes());
    for (int level = 1; level <= 9; level += level == 1 ? 5 : 3) {
        compress_all(&all, level, false);
        compress_all(&all, level, true);
    }
    for (size_t i = 0; i < all.count; i++)
        free(all.list[i].raw);
    free(all.list);
    return 0;
}
