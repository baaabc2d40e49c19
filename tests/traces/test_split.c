/* Times of traces split into classes and bits (traces/format/time_coding.h): joining gives back
 * what was split, and whatever bytes come instead, reading them ends inside them. */
#include "tests/traces/random_events.h"
#include "tests/traces/trace_support.h"
#include "traces/format/codec.h"
#include "traces/format/time_coding.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

/* Pieces of random events, their columns, each of all pieces one after another. */
typedef struct bunch {
    vef_piece pieces[4];
    uint8_t *column[VEF_COLUMNS];
    size_t used[VEF_COLUMNS];
} bunch;

static bunch make_bunch(uint64_t seed) {
    bunch set = {0};
    for (uint32_t i = 0; i < 4; i++) {
        random_task task = trace_task(seed, i, 7);
        vef_encoder encoder;
        OK(vef_encoder_init(&encoder, error));
        for (unsigned k = 0; k < 200 * i + 1; k++)
            OK(vef_encode(&encoder, random_event(&task), error));
        set.pieces[i] = vef_encoder_piece(&encoder, i, 0);
        for (unsigned c = 0; c < VEF_COLUMNS; c++) {
            set.column[c] = realloc(set.column[c], set.used[c] + encoder.used[c] + 1);
            assert_non_null(set.column[c]);
            memcpy(set.column[c] + set.used[c], encoder.column[c], encoder.used[c]);
            set.used[c] += encoder.used[c];
        }
        vef_encoder_free(&encoder);
    }
    return set;
}

static uint8_t *append_bytes(uint8_t *to, const void *from, size_t size) {
    if (size)
        memcpy(to, from, size);
    return to + size;
}

/* Decodes what a body holds, if it can be; a digest of the times. With `split` the times are split,
 * and VEF_TIME_BITS_SLACK bytes follow the body. */
static uint64_t decode_body(const uint8_t *body, size_t size, bool split) {
    vef_piece *pieces = NULL;
    const uint8_t *columns, *column[4 * VEF_COLUMNS];
    vef_time_bits times[4] = {{0}};
    uint32_t count;
    size_t bit_bytes = 0;
    uint64_t digest = 0;
    vef_error error;
    if (vef_pieces_get(body, size, &pieces, &count, &columns, split ? &bit_bytes : NULL, &error))
        return 0;
    bool good = count <= 4;
    if (good)
        vef_pieces_columns(pieces, count, columns, column);
    if (good && split)
        good = vef_split_find(pieces, count, column, body + size - bit_bytes, bit_bytes, times,
                              &error) == VEF_OK;
    vef_decoder decoder = {0};
    for (uint32_t i = 0; good && i < count; i++) {
        const vef_event *event = NULL;
        vef_decoder_restart_split(&decoder, &pieces[i], column + i * VEF_COLUMNS, &times[i], 1);
        while (vef_decode(&decoder, &event, &error) == VEF_OK && event)
            digest = 31 * (31 * (31 * digest + event->gap_ns) + event->duration_ns) +
                     event->outside_ns + event->repeats;
    }
    vef_decoder_free(&decoder);
    free(pieces);
    return digest;
}

/* Joining inverts splitting, and split times are read the same without joining; whatever is done to
 * the bytes, reading them stays inside them.
 */
static void test_split(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        bunch set = make_bunch(seed);
        vef_split split;
        size_t raw = vef_pieces_bound(4), size, joined_size;
        OK(vef_split_make(&split, set.pieces, 4, set.column, error));
        for (unsigned c = 0; c < VEF_COLUMNS; c++)
            raw += set.used[c];
        uint8_t *plain = malloc(raw), *body = malloc(raw + 4), *joined = NULL;
        assert_true(plain && body);
        uint8_t *end = vef_pieces_put(plain, set.pieces, 4);
        uint8_t *to = vef_pieces_put(body, split.pieces, 4);
        for (unsigned c = 0; c < VEF_COLUMNS; c++) {
            end = append_bytes(end, set.column[c], set.used[c]);
            to = split.classes[c] ? append_bytes(to, split.classes[c], split.class_bytes[c])
                                  : append_bytes(to, set.column[c], set.used[c]);
        }
        to = append_bytes(to, split.bits, split.bit_bytes);
        size = (size_t)(to - body);
        OK(vef_split_join(body, size, &joined, &joined_size, error));
        assert_int_equal(joined_size, end - plain);
        assert_memory_equal(joined, plain, joined_size);
        free(joined);
        uint8_t *slack = calloc(1, size + VEF_TIME_BITS_SLACK);
        assert_non_null(slack);
        memcpy(slack, body, size);
        assert_int_equal(decode_body(slack, size, true),
                         decode_body(plain, (size_t)(end - plain), false));
        vef_rng rng = vef_rng_make(seed, VEF_RNG_TEST, 1000);
        for (unsigned i = 0; i < 1500; i++) { /* checksums would hide what they do */
            vef_error error;
            uint8_t *exact = malloc(size);
            assert_non_null(exact);
            memcpy(exact, body, size);
            for (unsigned k = 0; k <= i % 4; k++)
                exact[vef_rng_below(&rng, i % 2 ? (uint32_t)size : 150)] =
                    (uint8_t)vef_rng_next(&rng);
            size_t cut = i % 5 ? size : vef_rng_below(&rng, (uint32_t)size);
            decode_body(exact, cut, false);
            if (vef_split_join(exact, cut, &joined, &joined_size, &error) == VEF_OK) {
                const uint64_t digest = decode_body(joined, joined_size, false);
                free(joined);
                memcpy(slack, exact, cut);
                memset(slack + cut, 0, VEF_TIME_BITS_SLACK);
                assert_int_equal(decode_body(slack, cut, true), digest);
            }
            free(exact);
        }
        vef_split_free(&split);
        for (unsigned c = 0; c < VEF_COLUMNS; c++)
            free(set.column[c]);
        free(slack);
        free(plain);
        free(body);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_split),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
