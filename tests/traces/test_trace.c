/* Logs and traces as files: what is written is read back, whatever is cut off or damaged. */
#include "tests/traces/random_events.h"
#include "tests/traces/trace_support.h"
#include "traces/file/writer.h"
#include "traces/format/block.h"
#include "traces/format/codec.h"
#include "traces/format/preamble.h"
#include "traces/log/log_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zlib.h>

/* Every number that a varint can have trouble with, and the words. */
static void test_varints(void **state) {
    (void)state;
    for (unsigned bit = 0; bit < 64; bit++) {
        for (int64_t delta = -1; delta <= 1; delta++) {
            uint64_t value = (UINT64_C(1) << bit) + (uint64_t)delta;
            uint8_t bytes[VEF_VARINT_BYTES];
            uint8_t *end = vef_put_varint(bytes, value);
            vef_cursor cursor = {bytes, end, false};
            assert_true(vef_get_varint(&cursor) == value);
            assert_true(!cursor.bad && cursor.next == end);
            for (const uint8_t *cut = bytes; cut < end; cut++) {
                cursor = (vef_cursor){bytes, cut, false};
                vef_get_varint(&cursor);
                assert_true(cursor.bad);
            }
            assert_true(vef_unzigzag(vef_zigzag((int64_t)value)) == (int64_t)value);
        }
    }
    assert_true(vef_zigzag(0) == 0 && vef_zigzag(-1) == 1 && vef_zigzag(1) == 2);
    const uint8_t too_long[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02};
    vef_cursor cursor = {too_long, too_long + sizeof too_long, false};
    vef_get_varint(&cursor);
    assert_true(cursor.bad);
}

enum { RANDOM_EVENTS = 30000 };

static random_task log_task(uint64_t seed, uint32_t threads) {
    random_task task = {.rng = vef_rng_make(seed, VEF_RNG_TEST, 0),
                        .tasks = 17,
                        .comms = 3,
                        .log = true,
                        .threads = threads};
    return task;
}

/* The log has that many of the random events. */
static void assert_log_holds(const char *path, uint64_t seed, uint32_t threads, uint64_t events) {
    vef_log_reader *reader = NULL;
    random_task task = log_task(seed, threads);
    OK(vef_log_reader_open(path, &reader, NULL, error));
    assert_true(vef_log_reader_facts(reader)->events == events);
    for (uint64_t i = 0; i < events; i++) {
        const vef_event *got = NULL;
        OK(vef_log_reader_next(reader, &got, error));
        assert_non_null(got);
        assert_same_event(random_event(&task), got);
    }
    const vef_event *none = NULL;
    OK(vef_log_reader_next(reader, &none, error));
    assert_null(none);
    vef_log_reader_close(reader);
}

/* Random events of all kinds and flags come back from a log as they were. */
static void test_random_log(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        char path[1100];
        FOLDER("random%u", (unsigned)seed);
        snprintf(path, sizeof path, "%s/task-000003.vlog", folder);
        vef_log *log = log_begin(folder, 3, 17);
        random_task task = log_task(seed, 3);
        for (unsigned i = 0; i < RANDOM_EVENTS; i++)
            OK(vef_log_event(log, random_event(&task), error));
        log_end(log, VEF_LOG_EXITED);
        assert_log_holds(path, seed, 3, RANDOM_EVENTS);
    }
}

static vef_writer *write_begin_with(const char *path, uint32_t tasks, const vef_site *sites,
                                    uint32_t site_count) {
    static uint32_t members[64];
    static vef_communicator comms[2];
    for (uint32_t i = 0; i < tasks; i++)
        members[i] = i;
    comms[0] = (vef_communicator){
        .parent = VEF_NO_COMM, .made_by = VEF_CALL_Init, .size = tasks, .members = members};
    comms[1] = comms[0];
    comms[1].parent = 0;
    comms[1].made_by = VEF_CALL_Comm_dup;
    vef_trace_header header = {.tasks = tasks,
                               .application = "a \"quoted\"\tname\n with \x01 and caf\xc3\xa9 \xff",
                               .command = "",
                               .exit_status = -3,
                               .sites = sites,
                               .site_count = site_count,
                               .communicator_count = 2,
                               .communicators = comms};
    vef_writer *writer = NULL;
    OK(vef_writer_open(path, &header, &writer, error));
    return writer;
}

static vef_writer *write_begin(const char *path, uint32_t tasks) {
    return write_begin_with(path, tasks, NULL, 0);
}

/* The next event of one of its threads, of `all` in all; NULL at the end. */
static const vef_event *next_of_thread(random_task *task, unsigned together, unsigned *number,
                                       uint32_t thread) {
    while (*number < together) {
        const vef_event *event = random_event(task);
        ++*number;
        if (event->thread == thread)
            return event;
    }
    return NULL;
}

/* Tasks written by turns, an event each, come back thread by thread; the texts of the header
 * survive. */
static random_task random_with(uint32_t number, uint32_t tasks, uint32_t sites) {
    random_task task = trace_task(9, number, tasks);
    task.sites = sites;
    return task;
}

static void check_random_trace(uint32_t sites) {
    enum { TASKS = 5, EACH = 8000, MOST_SITES = 300 };
    const char *path = scratch_path("random.vef");
    vef_site site[MOST_SITES];
    for (uint32_t i = 0; i < sites; i++)
        site[i] =
            (vef_site){i % 3 ? "/a b/prog" : "", "00ff", UINT64_MAX - i, "f", "x.c", "g", i, 0};
    vef_writer *writer = write_begin_with(path, TASKS, site, sites);
    random_task *task = calloc(TASKS, sizeof *task);
    assert_non_null(task);
    for (uint32_t i = 0; i < TASKS; i++)
        task[i] = random_with(i, TASKS, sites);
    for (unsigned k = 0; k < EACH; k++)
        for (uint32_t i = 0; i < TASKS; i++)
            OK(vef_writer_event(writer, i, random_event(&task[i]), error));
    OK(vef_writer_end_task(writer, 2, VEF_LOG_FINALIZED, error));
    vef_writer_not_recorded(writer, VEF_CALL_Put, 42, 0);
    OK(vef_writer_finish(writer, error));
    vef_trace *trace = NULL;
    const char *missing = NULL;
    OK(vef_trace_open(path, &trace, &missing, error));
    assert_null(missing);
    const vef_trace_header *header = vef_trace_get_header(trace);
    assert_string_equal(header->application, "a \"quoted\"\tname\n with \x01 and caf\xc3\xa9 \xff");
    assert_int_equal(header->exit_status, -3);
    assert_int_equal(header->events, TASKS * EACH);
    assert_true(header->not_recorded[VEF_CALL_Put] == 42);
    assert_int_equal(header->site_count, sites);
    for (uint32_t i = 0; i < sites; i++) {
        assert_string_equal(header->sites[i].module, site[i].module);
        assert_string_equal(header->sites[i].caller, "g");
        assert_true(header->sites[i].offset == UINT64_MAX - i && header->sites[i].line == i);
    }
    assert_int_equal(header->communicators[1].made_by, VEF_CALL_Comm_dup);
    for (uint32_t i = 0; i < TASKS; i++) {
        assert_int_equal(header->task[i].end, i == 2 ? VEF_LOG_FINALIZED : VEF_LOG_CUT);
        assert_true(header->task[i].requests == task[i].started);
        assert_int_equal(header->task[i].threads, 3);
        for (uint32_t thread = 0; thread < 3; thread++) {
            vef_stream *stream = NULL;
            random_task again = random_with(i, TASKS, sites);
            OK(vef_stream_open(trace, i, thread, &stream, error));
            const vef_event *event = NULL, *due;
            for (unsigned k = 0; (due = next_of_thread(&again, EACH, &k, thread));) {
                OK(vef_stream_next(stream, &event, error));
                assert_non_null(event);
                assert_same_event(due, event);
            }
            OK(vef_stream_next(stream, &event, error));
            assert_null(event);
            vef_stream_close(stream);
        }
        vef_stream *none = NULL;
        vef_error fault;
        assert_int_equal(vef_stream_open(trace, i, 3, &none, &fault), VEF_INVALID);
    }
    vef_trace_close(trace);
    free(task);
}

/* Without call sites, and with so many that their numbers take one or two bytes. */
static void test_random_trace(void **state) {
    (void)state;
    check_random_trace(0);
    check_random_trace(300);
}

/* A loop of equal calls costs a byte an event beside its times, which are 0 here: three raw bytes.
 */
static void test_prediction(void **state) {
    (void)state;
    vef_encoder encoder;
    OK(vef_encoder_init(&encoder, error));
    vef_coder_restart(&encoder.coder, 0);
    for (unsigned i = 0; i < 2000; i++) {
        vef_operation op = {VEF_OP_SEND, 3, 7, 0, 4096, i, i};
        vef_completion done = {i, false, VEF_NO_TASK, 0, 0};
        vef_event start = {.call = VEF_CALL_Isend,
                           .repeats = 1,
                           .operation_count = 1,
                           .operations = &op,
                           .entered = 4 * i,
                           .left = 4 * i + 1};
        vef_event wait = {.call = VEF_CALL_Wait,
                          .repeats = 1,
                          .completion_count = 1,
                          .completions = &done,
                          .entered = 4 * i + 2,
                          .left = 4 * i + 3};
        OK(vef_encode(&encoder, &start, error));
        OK(vef_encode(&encoder, &wait, error));
    }
    assert_int_equal(encoder.events, 4000);
    assert_true(encoder.used[VEF_COLUMN_PAYLOAD] < 4000 + 60);
    assert_int_equal(encoder.used[VEF_COLUMN_GAP], 4000);
    assert_int_equal(encoder.used[VEF_COLUMN_TICKS], 0);
    vef_encoder_free(&encoder);
}

/* A wait on more requests than a block has bytes, and vectors longer than a block. */
static void test_long_events(void **state) {
    (void)state;
    enum { MANY = 100000 };
    FOLDER("long");
    vef_completion *done = calloc(MANY, sizeof *done);
    vef_operation *ops = calloc(MANY, sizeof *ops);
    assert_true(done && ops);
    for (uint32_t i = 0; i < MANY; i++) {
        ops[i] = (vef_operation){0, 0, (int32_t)i, 0, 0, VEF_NO_ORDINAL, i};
        done[i] = (vef_completion){i ^ 1, false, 0, (int32_t)i, i};
    }
    vef_event start = {.call = VEF_CALL_Startall,
                       .repeats = 1,
                       .new_comm = VEF_NO_COMM,
                       .operation_count = MANY,
                       .operations = ops,
                       .left = 1};
    vef_event wait = {.call = VEF_CALL_Waitall,
                      .repeats = 1,
                      .new_comm = VEF_NO_COMM,
                      .completion_count = MANY,
                      .completions = done,
                      .entered = 7,
                      .left = 9};
    vef_log *log = log_begin(folder, 0, 1);
    OK(vef_log_event(log, &start, error));
    OK(vef_log_event(log, &wait, error));
    log_send(log, 0, 1, 0, 1);
    log_end(log, VEF_LOG_FINALIZED);
    char path[1100];
    snprintf(path, sizeof path, "%s/task-000000.vlog", folder);
    vef_log_reader *reader = NULL;
    const vef_event *event = NULL;
    OK(vef_log_reader_open(path, &reader, NULL, error));
    OK(vef_log_reader_next(reader, &event, error));
    assert_same_event(&start, event);
    OK(vef_log_reader_next(reader, &event, error));
    assert_same_event(&wait, event);
    vef_log_reader_close(reader);
    free(done);
    free(ops);
}

/* ---- damage ---- */

enum { SMALL_TASKS = 2, SMALL_EVENTS = 40 };

/* Now and then a region with a name that is a third of a block: so streams have several blocks. */
static const vef_event *small_event(random_task *task, unsigned number) {
    static char name[18000];
    static vef_event region;
    const vef_event *event = random_event(task);
    if (number % 9 != 4)
        return event;
    memset(name, 'a' + (int)(number % 26), sizeof name - 1);
    region = (vef_event){.call = VEF_CALL_Region_begin,
                         .thread = event->thread,
                         .entered = event->entered,
                         .left = event->left,
                         .repeats = 1,
                         .root = -1,
                         .new_comm = VEF_NO_COMM,
                         .name = name};
    return &region;
}

static void write_small(const char *path) {
    vef_writer *writer = write_begin(path, SMALL_TASKS);
    for (uint32_t i = 0; i < SMALL_TASKS; i++) {
        random_task task = trace_task(77, i, SMALL_TASKS);
        for (unsigned k = 0; k < SMALL_EVENTS; k++)
            OK(vef_writer_event(writer, i, small_event(&task, k), error));
        if (i != 1)
            OK(vef_writer_end_task(writer, i, VEF_LOG_FINALIZED, error));
    }
    vef_writer_not_recorded(writer, VEF_CALL_File_open, 3, 1234567);
    vef_writer_skipped(writer, 1, 1000);
    OK(vef_writer_end_task(writer, 1, VEF_LOG_ABORTED, error));
    OK(vef_writer_finish(writer, error));
}

/* Reads the events of a thread: a prefix of what was written. Returns their number; *ok: no call
 * failed. */
static uint64_t read_small_thread(vef_trace *trace, uint32_t number, uint32_t thread, bool *ok) {
    random_task task = trace_task(77, number, SMALL_TASKS);
    vef_stream *stream = NULL;
    vef_error fault = {0};
    uint64_t total = 0;
    OK(vef_stream_open(trace, number, thread, &stream, error));
    for (unsigned k = 0;; total++) {
        const vef_event *event = NULL, *due = NULL;
        if (vef_stream_next(stream, &event, &fault)) {
            assert_true(fault.message[0]);
            *ok = false;
            break;
        }
        if (!event)
            break;
        do {
            assert_true(k < SMALL_EVENTS);
            due = small_event(&task, k++);
        } while (due->thread != thread);
        assert_same_event(due, event);
    }
    vef_stream_close(stream);
    return total;
}

static uint64_t read_small(vef_trace *trace, bool *ok) {
    const vef_trace_header *header = vef_trace_get_header(trace);
    uint64_t total = 0;
    for (uint32_t i = 0; i < header->tasks; i++) {
        uint64_t events = 0;
        bool whole = true;
        for (uint32_t thread = 0; thread < header->task[i].threads; thread++)
            events += read_small_thread(trace, i, thread, &whole);
        if (whole)
            assert_true(events == header->task[i].events);
        *ok = *ok && whole;
        total += events;
    }
    return total;
}

static void test_trace_cut_anywhere(void **state) {
    (void)state;
    const char *path = scratch_path("small.vef"), *cut = scratch_path("cut.vef");
    write_small(path);
    size_t size;
    unsigned char *bytes = slurp(path, &size);
    uint64_t most = 0;
    for (size_t length = 0; length < size; length++) {
        vef_trace *trace = NULL;
        const char *missing = NULL;
        vef_error error = {0};
        spill(cut, bytes, length);
        vef_code code = vef_trace_open(cut, &trace, &missing, &error);
        if (code) { /* only inside the header is there nothing to read */
            assert_int_equal(code, VEF_CORRUPT);
            assert_non_null(strstr(error.message, cut));
            assert_true(most == 0 && !missing);
            continue;
        }
        assert_non_null(missing);
        bool ok = true;
        uint64_t events = read_small(trace, &ok);
        assert_true(ok);
        assert_true(events >= most); /* a longer file never holds less */
        assert_true(events == vef_trace_get_header(trace)->events);
        most = events;
        vef_trace_close(trace);
    }
    assert_int_equal(most, SMALL_TASKS * SMALL_EVENTS); /* only the tail was missing at last */
    free(bytes);
}

static void test_trace_flipped_anywhere(void **state) {
    (void)state;
    const char *path = scratch_path("small.vef"), *flipped = scratch_path("flipped.vef");
    write_small(path);
    size_t size, detected = 0;
    unsigned char *bytes = slurp(path, &size);
    for (size_t position = 0; position < size; position++) {
        bytes[position] ^= (unsigned char)(1 + position % 255);
        spill(flipped, bytes, size);
        bytes[position] ^= (unsigned char)(1 + position % 255);
        vef_trace *trace = NULL;
        const char *missing = NULL;
        vef_error error = {0};
        bool ok = true;
        if (vef_trace_open(flipped, &trace, &missing, &error)) {
            assert_true(error.message[0]);
            detected++;
            continue;
        }
        uint64_t events = read_small(trace, &ok);
        if (ok && !missing) { /* then nothing that counts was hit */
            assert_int_equal(events, SMALL_TASKS * SMALL_EVENTS);
            const vef_trace_header *header = vef_trace_get_header(trace);
            assert_int_equal(header->task[1].end, VEF_LOG_ABORTED);
            assert_true(header->task[1].skipped == 1000 && header->task[0].skipped == 0);
            assert_true(header->not_recorded[VEF_CALL_File_open] == 3);
            assert_true(header->not_recorded_ns[VEF_CALL_File_open] == 1234567);
        } else {
            detected++;
        }
        vef_trace_close(trace);
    }
    assert_int_equal(detected, size); /* every byte is under a checksum */
    free(bytes);
}

static void test_log_damaged_anywhere(void **state) {
    (void)state;
    char path[1100], hurt[1100];
    FOLDER("hurt");
    snprintf(path, sizeof path, "%s/task-000000.vlog", folder);
    snprintf(hurt, sizeof hurt, "%s", scratch_path("hurt.vlog"));
    vef_log *log = log_begin(folder, 0, 17);
    random_task task = log_task(5, 1);
    for (unsigned i = 0; i < 60; i++) {
        OK(vef_log_event(log, random_event(&task), error));
        if (i % 15 == 14)
            OK(vef_log_flush(log, error));
    }
    log_end(log, VEF_LOG_FINALIZED);
    size_t size;
    unsigned char *bytes = slurp(path, &size);
    uint64_t most = 0;
    for (size_t length = 0; length < size; length++) {
        vef_log_reader *reader = NULL;
        vef_error error = {0};
        bool cut = false;
        spill(hurt, bytes, length);
        if (vef_log_reader_open(hurt, &reader, &cut, &error)) {
            assert_true(cut && most == 0);
            continue;
        }
        uint64_t events = vef_log_reader_facts(reader)->events;
        assert_int_equal(vef_log_reader_facts(reader)->end, VEF_LOG_CUT);
        vef_log_reader_close(reader);
        assert_true(events >= most && events % 15 == 0);
        if (events > most)
            assert_log_holds(hurt, 5, 1, events);
        most = events;
    }
    assert_int_equal(most, 60);
    for (size_t position = 0; position < size; position++) {
        vef_log_reader *reader = NULL;
        vef_error error = {0};
        bytes[position] ^= 0x10;
        spill(hurt, bytes, size);
        bytes[position] ^= 0x10;
        if (vef_log_reader_open(hurt, &reader, NULL, &error))
            continue;
        assert_int_equal(vef_log_reader_facts(reader)->end, VEF_LOG_CUT); /* the end came after */
        uint64_t events = vef_log_reader_facts(reader)->events;
        vef_log_reader_close(reader);
        assert_log_holds(hurt, 5, 1, events);
    }
    free(bytes);
}

/* Another version is reported as such, and so is another kind of file. */
static void test_version_and_magic(void **state) {
    (void)state;
    const char *path = scratch_path("version.vef");
    size_t size;
    vef_error error;
    vef_trace *trace = NULL;
    write_small(path);
    unsigned char *bytes = slurp(path, &size);
    bytes[8] = 1; /* the version, little endian, behind the magic; its checksum made right */
    uint32_t text = vef_get_u32(bytes + 12);
    vef_put_u32(bytes + 16 + text, (uint32_t)crc32(0, bytes, 16 + text));
    spill(path, bytes, size);
    assert_int_equal(vef_trace_open(path, &trace, NULL, &error), VEF_VERSION);
    assert_non_null(
        strstr(error.message, "version 1: expected version 2 to 6: capture the program again"));
    bytes[0] = 'x';
    spill(path, bytes, size);
    assert_int_equal(vef_trace_open(path, &trace, NULL, &error), VEF_CORRUPT);
    assert_non_null(strstr(error.message, "not a vef trace"));
    free(bytes);
    assert_int_equal(vef_trace_open(scratch_path("none.vef"), &trace, NULL, &error), VEF_IO);
    assert_int_equal(vef_trace_open("/", &trace, NULL, &error), VEF_IO);
}

/* A disk that is full (here: a limit on the size of files): the first failure is told and stays,
 * the log ends with its last whole block, and the program lives on though the signal is not caught.
 */
static void test_full_disk(void **state) {
    (void)state;
    char path[1100];
    FOLDER("full");
    snprintf(path, sizeof path, "%s/task-000000.vlog", folder);
    struct rlimit before, limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    vef_log *log = log_begin(folder, 0, 17);
    random_task task = log_task(6, 1);
    limit = before;
    limit.rlim_cur = 200000;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    vef_error fault = {0}, again = {0};
    vef_code code = VEF_OK;
    for (unsigned i = 0; i < RANDOM_EVENTS && !code; i++)
        code = vef_log_event(log, random_event(&task), &fault);
    vef_code second = vef_log_event(log, random_event(&task), &again);
    vef_code third = vef_log_close(log, VEF_LOG_FINALIZED, NULL);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(code, VEF_IO);
    assert_int_equal(second, VEF_IO);
    assert_int_equal(third, VEF_IO);
    assert_string_equal(fault.message, again.message);
    assert_non_null(strstr(fault.message, "File too large"));
    vef_log_reader *reader = NULL;
    OK(vef_log_reader_open(path, &reader, NULL, error));
    uint64_t events = vef_log_reader_facts(reader)->events;
    assert_int_equal(vef_log_reader_facts(reader)->end, VEF_LOG_CUT);
    vef_log_reader_close(reader);
    assert_true(events > 1000);
    assert_log_holds(path, 6, 1, events);
    assert_int_equal(vef_log_open(path, &(vef_log_header){.tasks = 1}, &log, &fault), VEF_IO);
}

/* A trace that is not finished leaves nothing, and one that was there before stays. */
static void test_discard(void **state) {
    (void)state;
    const char *path = scratch_path("kept.vef");
    spill(path, "before", 6);
    vef_writer *writer = write_begin(path, 2);
    random_task task = trace_task(3, 0, 2);
    OK(vef_writer_event(writer, 0, random_event(&task), error));
    vef_writer_discard(writer);
    size_t size;
    unsigned char *bytes = slurp(path, &size);
    assert_int_equal(size, 6);
    free(bytes);
    vef_error error;
    vef_trace_header header = {.tasks = 1};
    assert_int_equal(vef_writer_open(scratch_path("no/such/folder.vef"), &header, &writer, &error),
                     VEF_IO);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_varints),
        cmocka_unit_test(test_random_log),
        cmocka_unit_test(test_random_trace),
        cmocka_unit_test(test_prediction),
        cmocka_unit_test(test_long_events),
        cmocka_unit_test(test_trace_cut_anywhere),
        cmocka_unit_test(test_trace_flipped_anywhere),
        cmocka_unit_test(test_log_damaged_anywhere),
        cmocka_unit_test(test_version_and_magic),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_discard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
