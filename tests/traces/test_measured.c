/* How times were measured: stored column by column in the greatest unit that loses nothing, read
 * from older versions, recorded in logs, merged, and reported. */
#include "tests/traces/trace_support.h"
#include "traces/format/block.h"
#include "traces/format/measured.h"
#include "traces/format/varint.h"
#include "traces/text/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { TASKS = 3, S = 1000000000 };

/* Task 1: the counter is 0.3 s wrong after 100 s, in one jump. Task 2: 90 us, which is usual. */
static const vef_measured known[TASKS] = {
    {.run_ns = 1234567, .wall_ns = UINT64_MAX, .threads = 2},
    {.run_ns = 2000,
     .clock_compared_ns = 100ull * S,
     .clock_error_ns = 300000000,
     .clock_jumps = 1},
    {.run_ns = 3001, .clock_compared_ns = 99ull * S, .clock_error_ns = 90000},
};

static void assert_equal(const vef_measured *found, const vef_measured *expected) {
    for (size_t field = 0; field < VEF_MEASURED_FIELDS; field++)
        if (vef_measured_value(found, field) != vef_measured_value(expected, field))
            fail_msg("%s: %llu, not %llu", vef_measured_fields[field].name,
                     (unsigned long long)vef_measured_value(found, field),
                     (unsigned long long)vef_measured_value(expected, field));
}

static void test_columns(void **state) {
    (void)state;
    uint8_t *bytes = malloc(vef_measured_bound(TASKS)), *end;
    vef_measured found[TASKS] = {0};
    assert_non_null(bytes);
    end = vef_measured_put(bytes, known, TASKS);
    assert_true((size_t)(end - bytes) <= vef_measured_bound(TASKS));
    vef_cursor from = {bytes, end, false};
    vef_measured_get(&from, false, found, TASKS);
    assert_true(!from.bad && from.next == end);
    for (uint32_t i = 0; i < TASKS; i++)
        assert_equal(&found[i], &known[i]);
    /* Cut short, none is complete. */
    for (const uint8_t *cut = bytes; cut < end; cut++) {
        from = (vef_cursor){bytes, cut, false};
        vef_measured_get(&from, false, found, TASKS);
        assert_true(from.bad);
    }
    free(bytes);
}

/* A field of a later version is skipped, a missing one is 0, and a unit that no writer uses is
 * damage. */
static void test_fields(void **state) {
    (void)state;
    uint8_t bytes[256], *to = bytes;
    vef_measured found[2] = {0};
    to = vef_put_varint(to, 2);
    to = vef_put_varint(to, 1); /* thousands */
    to = vef_put_varint(vef_put_varint(to, 5), 6);
    to = vef_put_varint(to, 0);
    to = vef_put_varint(vef_put_varint(to, 7), 8);
    vef_cursor from = {bytes, to, false};
    vef_measured_get(&from, false, found, 2);
    assert_true(!from.bad && from.next == to);
    assert_equal(&found[0], &(vef_measured){.run_ns = 5000, .wall_ns = 7});
    assert_equal(&found[1], &(vef_measured){.run_ns = 6000, .wall_ns = 8});

    to = vef_put_varint(bytes, VEF_MEASURED_FIELDS + 1);
    for (size_t field = 0; field <= VEF_MEASURED_FIELDS; field++)
        to = vef_put_varint(vef_put_varint(to, 0), field);
    from = (vef_cursor){bytes, to, false};
    vef_measured_get(&from, false, found, 1);
    assert_true(!from.bad && from.next == to);
    for (size_t field = 0; field < VEF_MEASURED_FIELDS; field++)
        assert_true(vef_measured_value(&found[0], field) == field);

    to = vef_put_varint(bytes, 1);
    to = vef_put_varint(vef_put_varint(to, 7), 1); /* 1000^7 exceeds 64 bits */
    from = (vef_cursor){bytes, to, false};
    vef_measured_get(&from, false, found, 1);
    assert_true(from.bad);
}

/* A file of version 3, made of one without measured times: block 8, task by task, precedes the
 * footer. */
static void test_version_3(void **state) {
    (void)state;
    static const char text[] = "vef-trace 1\ntasks 2\ntask 0\ntask 1\n";
    const char *path = scratch_path("rows.vef"), *old = scratch_path("old.vef");
    OK(vef_text_assemble(text, sizeof text - 1, "text", path, error));
    size_t size;
    unsigned char *now = slurp(path, &size);
    uint8_t body[2 * 8 * VEF_VARINT_BYTES], *end = body;
    for (uint64_t number = 1; number <= 16; number++)
        end = vef_put_varint(end, 1000 * number);
    vef_block block = {.kind = VEF_BLOCK_MEASURED_ROWS, .method = VEF_METHOD_STORED};
    block.raw_bytes = block.stored_bytes = (uint32_t)(end - body);
    block.checksum = (uint32_t)crc32(0, body, block.stored_bytes);
    enum { FOOTER = 16, VERSION_AT = 8, LENGTH_AT = 12, PREAMBLE = 16 };
    unsigned char *then = malloc(size + VEF_BLOCK_HEADER_BYTES + sizeof body);
    assert_non_null(then);
    memcpy(then, now, size - FOOTER);
    unsigned char *cursor = then + size - FOOTER;
    vef_block_pack(&block, cursor);
    memcpy(cursor + VEF_BLOCK_HEADER_BYTES, body, block.stored_bytes);
    memcpy(cursor + VEF_BLOCK_HEADER_BYTES + block.stored_bytes, now + size - FOOTER, FOOTER);
    vef_put_u32(then + VERSION_AT, 3);
    size_t header = PREAMBLE + (size_t)vef_get_u32(then + LENGTH_AT);
    vef_put_u32(then + header, (uint32_t)crc32(0, then, (uInt)header));
    size_t whole = size + VEF_BLOCK_HEADER_BYTES + block.stored_bytes;
    /* Also without its footer, when the blocks are searched. */
    for (unsigned cut = 0; cut < 2; cut++) {
        spill(old, then, cut ? whole - FOOTER : whole);
        vef_trace *trace = NULL;
        const char *missing = NULL;
        OK(vef_trace_open(old, &trace, &missing, error));
        assert_true((missing != NULL) == (cut > 0));
        const vef_measured *found = vef_trace_get_header(trace)->measured;
        assert_non_null(found);
        assert_equal(&found[0],
                     &(vef_measured){1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 0, 0, 0});
        assert_equal(&found[1], &(vef_measured){9000, 10000, 11000, 12000, 13000, 14000, 15000,
                                                16000, 0, 0, 0});
        vef_trace_close(trace);
    }
    free(then);
    free(now);
}

/* Logs with these drifts give a trace with them, and one warning about task 1. */
static void test_drift(void **state) {
    (void)state;
    FOLDER("drift");
    for (uint32_t task = 0; task < TASKS; task++) {
        vef_log *log = log_begin(folder, task, TASKS);
        vef_log_measured(log, &known[task]);
        log_end(log, VEF_LOG_FINALIZED);
    }
    const char *path = scratch_path("drift.vef");
    merge(folder, path);
    vef_trace *trace = NULL;
    OK(vef_trace_open(path, &trace, NULL, error));
    const vef_trace_header *header = vef_trace_get_header(trace);
    assert_non_null(header->measured);
    for (uint32_t task = 0; task < TASKS; task++)
        assert_equal(&header->measured[task], &known[task]);
    vef_measured_run run = vef_trace_measured(header);
    char text[VEF_MEASURED_TEXT_BYTES];
    assert_true(vef_measured_drift(&run, text, sizeof text));
    assert_non_null(strstr(text, "1 of 3 tasks (1), most in task 1: 0.3 s in 100 s, 1 jump ("));
    vef_measured usual[] = {known[2], {.clock_compared_ns = S, .clock_error_ns = S / 1000}};
    run = (vef_measured_run){.tasks = 2, .task = usual};
    assert_false(vef_measured_drift(&run, text, sizeof text));
    usual[1].clock_error_ns++;
    assert_true(vef_measured_drift(&run, text, sizeof text));
    vef_trace_close(trace);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_version_3),
        cmocka_unit_test(test_drift),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
