/* The shared buffer of a killed task, damaged: flipped bits, and pages that are zero or from
 * earlier moments, as after a failure of the host. Whatever is read is true: the first events, in
 * their order; and what is missing is reported. */
#include "common/rng.h"
#include "tests/traces/random_events.h"
#include "tests/traces/trace_support.h"
#include "traces/format/codec.h"
#include "traces/log/log_reader.h"
#include "traces/log/shared_buffer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of the file, as traces/FORMAT.md defines it. */
enum { PAGE = 4096, CHECKS = PAGE + VEF_COLUMNS * VEF_COLUMN_CAPACITY, HEAD_USED = 104 };
enum { MOST_EVENTS = 40000, MOMENTS = 12 };

/* A task that was killed after `count` events, and its buffer at earlier moments. */
typedef struct recording {
    vef_arena arena;
    vef_event events[MOST_EVENTS];
    size_t count, in_log;
    unsigned char *log, *buffer[MOMENTS];
    size_t log_bytes, bytes;
    char folder[1024], path[1024], live[1024];
} recording;

static void read_buffer(recording *session, const char *live, size_t moment) {
    session->buffer[moment] = slurp(live, &session->bytes);
}

/* A thread that sends round messages, whose events have a few bytes; or events of all kinds. */
static vef_event next_event(random_task *random, bool plain, uint64_t number, vef_operation *send) {
    *send = (vef_operation){VEF_OP_SEND,    (int32_t)(number % 3), (int32_t)(number % 2), 0,
                            number % 5 * 8, VEF_NO_ORDINAL,        VEF_NO_REQUEST};
    if (!plain)
        return *random_event(random);
    return (vef_event){.call = VEF_CALL_Send,
                       .gap_ns = number * number % 3000,
                       .duration_ns = 40 + number % 300,
                       .repeats = 1,
                       .new_comm = VEF_NO_COMM,
                       .entered = 2 * number,
                       .left = 2 * number + 1,
                       .operation_count = 1,
                       .operations = send};
}

static recording *record(const char *name, bool plain, size_t count) {
    recording *made = calloc(1, sizeof *made);
    random_task random = {
        .rng = vef_rng_make(7, VEF_RNG_TEST, 0), .tasks = 4, .comms = 2, .log = true};
    snprintf(made->folder, sizeof made->folder, "%s", scratch_path("%s", name));
    vef_log *log = log_begin(made->folder, 0, 4);
    vef_log_survive(log);
    const char *path = scratch_path("%s/task-000000.vlog", name);
    snprintf(made->path, sizeof made->path, "%s", path);
    assert_true(vef_live_path(path, 0, made->live, sizeof made->live));
    for (made->count = 0; made->count < count; made->count++) {
        vef_operation send;
        const vef_event event = next_event(&random, plain, made->count, &send);
        OK(vef_log_event(log, &event, error));
        made->events[made->count] = copy_event(&event, &made->arena);
        for (size_t m = 0; m + 1 < MOMENTS; m++)
            if (made->count + 1 == count * (m + 1) / MOMENTS)
                read_buffer(made, made->live, m);
    }
    made->log = slurp(made->path, &made->log_bytes);
    read_buffer(made, made->live, MOMENTS - 1);
    log_end(log, VEF_LOG_FINALIZED);
    return made;
}

static void release(recording *session) {
    for (size_t m = 0; m < MOMENTS; m++)
        free(session->buffer[m]);
    free(session->log);
    vef_arena_release(&session->arena);
    remove_folder(session->folder);
    free(session);
}

typedef struct outcome {
    size_t kept;
    uint64_t lost;
    bool damaged; /* and said so */
    char damage[1024];
} outcome;

/* Reads the log with this buffer. Each event is the recorded one. */
static outcome read_with(const recording *session, const void *buffer, size_t bytes) {
    outcome seen = {0};
    vef_log_reader *reader = NULL;
    const vef_event *event;
    spill(session->path, session->log, session->log_bytes);
    spill(session->live, buffer, bytes);
    OK(vef_log_reader_open(session->path, &reader, NULL, error));
    const vef_log_facts *facts = vef_log_reader_facts(reader);
    seen.lost = facts->lost;
    seen.damaged = facts->damage != NULL;
    snprintf(seen.damage, sizeof seen.damage, "%s", facts->damage ? facts->damage : "");
    for (;;) {
        OK(vef_log_reader_next(reader, &event, error));
        if (!event)
            break;
        assert_true(seen.kept < session->count);
        assert_same_event(&session->events[seen.kept++], event);
    }
    assert_int_equal(seen.kept, facts->events);
    vef_log_reader_close(reader);
    return seen;
}

/* Nothing is missing without a word; and the number of lost events is right if it is known. */
static void nothing_is_silent(const recording *session, const outcome *seen) {
    if (seen->kept < session->count)
        assert_true(seen->damaged);
    if (seen->lost > 0)
        assert_int_equal(seen->kept + seen->lost, session->count);
}

static size_t used_in(const recording *session, size_t begin, size_t end) {
    const unsigned char *bytes = session->buffer[MOMENTS - 1];
    while (end > begin && bytes[end - 1] == 0)
        end--;
    return end - begin;
}

static void undamaged(void **state) {
    const recording *session = *state;
    const outcome seen = read_with(session, session->buffer[MOMENTS - 1], session->bytes);
    assert_int_equal(seen.kept, session->count);
    assert_false(seen.damaged);
    assert_true(seen.lost == 0);
}

/* A bit of the first page, of each column and of the checks in turn. */
static void flipped_bits(void **state) {
    const recording *session = *state;
    vef_rng rng = vef_rng_make(3, VEF_RNG_TEST, 1);
    unsigned char *copy = malloc(session->bytes);
    const char *rounds = getenv("VEF_ROUNDS");
    const int flips = rounds ? atoi(rounds) : 240;
    int noticed = 0;
    for (int i = 0; i < flips; i++) {
        const int region = i % (VEF_COLUMNS + 2);
        size_t begin = region == 0 ? 0 : PAGE + (size_t)(region - 1) * VEF_COLUMN_CAPACITY;
        size_t used = region == 0             ? HEAD_USED
                      : region <= VEF_COLUMNS ? used_in(session, begin, begin + VEF_COLUMN_CAPACITY)
                                              : used_in(session, CHECKS, session->bytes);
        if (used == 0)
            continue;
        const uint64_t random = vef_rng_next(&rng);
        memcpy(copy, session->buffer[MOMENTS - 1], session->bytes);
        copy[begin + random / 8 % used] ^= (unsigned char)(1 << random % 8);
        const outcome seen = read_with(session, copy, session->bytes);
        nothing_is_silent(session, &seen);
        noticed += seen.damaged;
    }
    assert_true(noticed > 0);
    free(copy);
}

static void zeroed_pages(void **state) {
    const recording *session = *state;
    unsigned char *copy = malloc(session->bytes);
    for (size_t page = 0; page < session->bytes / PAGE; page++) {
        memcpy(copy, session->buffer[MOMENTS - 1], session->bytes);
        memset(copy + page * PAGE, 0, PAGE);
        const outcome seen = read_with(session, copy, session->bytes);
        nothing_is_silent(session, &seen);
        if (page == 0)
            assert_true(seen.damaged);
    }
    free(copy);
}

/* A page of any earlier moment, of this piece or of those before. */
static void stale_pages(void **state) {
    const recording *session = *state;
    unsigned char *copy = malloc(session->bytes);
    vef_rng rng = vef_rng_make(5, VEF_RNG_TEST, 1);
    for (size_t page = 0; page < session->bytes / PAGE; page++) {
        const size_t moment = vef_rng_next(&rng) % (MOMENTS - 1);
        memcpy(copy, session->buffer[MOMENTS - 1], session->bytes);
        memcpy(copy + page * PAGE, session->buffer[moment] + page * PAGE, PAGE);
        const outcome seen = read_with(session, copy, session->bytes);
        nothing_is_silent(session, &seen);
    }
    for (size_t moment = 0; moment + 1 < MOMENTS; moment++) {
        memcpy(copy, session->buffer[MOMENTS - 1], session->bytes);
        memcpy(copy, session->buffer[moment], PAGE);
        const outcome seen = read_with(session, copy, session->bytes);
        nothing_is_silent(session, &seen);
    }
    free(copy);
}

/* Each page is of any moment: what is read is true. (A first page of an earlier moment may fit an
 * earlier state of all that it covers; then later events are not known.) */
static void mixed_pages(void **state) {
    const recording *session = *state;
    unsigned char *copy = malloc(session->bytes);
    vef_rng rng = vef_rng_make(6, VEF_RNG_TEST, 1);
    for (int i = 0; i < 60; i++) {
        for (size_t page = 0; page < session->bytes / PAGE; page++) {
            const size_t moment = page == 0 ? MOMENTS - 1 : vef_rng_next(&rng) % MOMENTS;
            memcpy(copy + page * PAGE, session->buffer[moment] + page * PAGE, PAGE);
        }
        const outcome seen = read_with(session, copy, session->bytes);
        nothing_is_silent(session, &seen);
    }
    free(copy);
}

/* The log lacks its last blocks: the buffer does not follow. */
static void a_log_without_its_end(void **state) {
    recording *session = *state;
    const size_t whole = session->log_bytes;
    session->log_bytes = whole / 2;
    const outcome seen = read_with(session, session->buffer[MOMENTS - 1], session->bytes);
    session->log_bytes = whole;
    assert_true(seen.kept < session->count);
    nothing_is_silent(session, &seen);
}

static void another_version(void **state) {
    const recording *session = *state;
    unsigned char *copy = malloc(session->bytes);
    memcpy(copy, session->buffer[MOMENTS - 1], session->bytes);
    copy[7] = '3';
    outcome seen = read_with(session, copy, session->bytes);
    assert_non_null(
        strstr(seen.damage, "task-000000.0.live: it has version 3: expected version 4"));
    seen = read_with(session, session->buffer[MOMENTS - 1], session->bytes - 1);
    assert_non_null(strstr(seen.damage, "bytes: expected"));
    free(copy);
}

static int begin_plain(void **state) {
    *state = record("plain", true, 24000);
    return 0;
}

static int begin_random(void **state) {
    *state = record("random", false, 6000);
    return 0;
}

static int end(void **state) {
    release(*state);
    return 0;
}

int main(void) {
#define DAMAGES(begin)                                                                             \
    cmocka_unit_test_setup_teardown(undamaged, begin, end),                                        \
        cmocka_unit_test_setup_teardown(flipped_bits, begin, end),                                 \
        cmocka_unit_test_setup_teardown(zeroed_pages, begin, end),                                 \
        cmocka_unit_test_setup_teardown(stale_pages, begin, end),                                  \
        cmocka_unit_test_setup_teardown(mixed_pages, begin, end),                                  \
        cmocka_unit_test_setup_teardown(a_log_without_its_end, begin, end),                        \
        cmocka_unit_test_setup_teardown(another_version, begin, end)
    const struct CMUnitTest tests[] = {DAMAGES(begin_plain), DAMAGES(begin_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
