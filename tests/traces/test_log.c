/* Logs that several threads write, and that have a limit: nothing of what was appended is lost,
 * torn or out of order, but what the limit says. */
#include "tests/traces/trace_support.h"
#include "traces/file/writer.h"
#include "traces/format/codec.h"
#include "traces/log/lock.h"
#include "traces/log/log_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* A log of task 0 of 1 in a folder of its own; *path is where. */
static vef_log *begin(const char *name, const char **path) {
    const char *folder = scratch_path("%s", name);
    vef_log *log = log_begin(folder, 0, 1);
    *path = scratch_path("%s/task-000000.vlog", name);
    return log;
}

/* Event `number` of a thread: its number stands in the tag, what it says is nowhere the same. */
static void append(vef_log *log, vef_lane *lane, uint32_t thread, uint64_t number, uint64_t tick) {
    vef_operation op = {VEF_OP_SEND,   0, (int32_t)number, 0, number * 77 % 4099, VEF_NO_ORDINAL,
                        VEF_NO_REQUEST};
    vef_event event = {.call = VEF_CALL_Send,
                       .thread = thread,
                       .gap_ns = number % 1000,
                       .duration_ns = number % 500,
                       .repeats = 1,
                       .new_comm = VEF_NO_COMM,
                       .entered = tick,
                       .left = tick + 1,
                       .operation_count = 1,
                       .operations = &op};
    if (lane)
        OK(vef_lane_event(lane, &event, error));
    else
        OK(vef_log_event(log, &event, error));
}

static void assert_is(const vef_event *event, uint64_t number) {
    assert_non_null(event);
    assert_int_equal(event->call, VEF_CALL_Send);
    assert_int_equal(event->operations[0].tag, number);
    assert_true(event->operations[0].bytes == number * 77 % 4099);
    assert_true(event->gap_ns == number % 1000 && event->duration_ns == number % 500);
}

/* ---- threads ---- */

enum { THREADS = 4, EACH = 30000, COUNTED = 1000 };

typedef struct crowd {
    vef_log *log;
    atomic_ullong ticks;
    atomic_int running;
    atomic_uint next_thread;
} crowd;

static void *write_lane(void *given) {
    crowd *group = given;
    uint32_t thread = atomic_fetch_add(&group->next_thread, 1);
    vef_lane *lane = NULL;
    OK(vef_log_lane(group->log, thread, &lane, error));
    for (uint64_t i = 0; i < EACH; i++) {
        append(NULL, lane, thread, i, atomic_fetch_add(&group->ticks, 2));
        if (i < COUNTED)
            vef_log_count(group->log, VEF_CALL_File_open, 1, 10);
        if (i % 5000 == 0) {
            uint32_t member = 0;
            log_comm(group->log, 0, 1, &member);
        }
    }
    atomic_fetch_sub(&group->running, 1);
    return NULL;
}

static void *flush_often(void *given) {
    crowd *group = given;
    while (atomic_load(&group->running) > 0) {
        OK(vef_log_flush(group->log, error));
        usleep(200);
    }
    return NULL;
}

static void test_threads_at_once(void **state) {
    (void)state;
    const char *path;
    crowd group = {.log = begin("threads", &path), .running = THREADS};
    pthread_t threads[THREADS], flusher;
    vef_log_threaded(group.log, true);
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, write_lane, &group), 0);
    assert_int_equal(pthread_create(&flusher, NULL, flush_often, &group), 0);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_join(flusher, NULL);
    log_end(group.log, VEF_LOG_FINALIZED);

    vef_log_reader *reader = NULL;
    OK(vef_log_reader_open(path, &reader, NULL, error));
    const vef_log_facts *facts = vef_log_reader_facts(reader);
    assert_int_equal(facts->threads, THREADS);
    assert_int_equal(facts->end, VEF_LOG_FINALIZED);
    assert_true(facts->events == THREADS * EACH && facts->skipped == 0 && !facts->stopped);
    assert_true(facts->counts[VEF_CALL_File_open] == THREADS * COUNTED);
    assert_true(facts->counts_ns[VEF_CALL_File_open] == 10 * THREADS * COUNTED);
    assert_int_equal(facts->communicator_count, 2 + THREADS * EACH / 5000);
    for (unsigned pass = 0; pass < 2; pass++) {
        uint64_t seen[THREADS] = {0};
        for (uint64_t i = 0; i < THREADS * EACH; i++) {
            const vef_event *event = NULL;
            OK(vef_log_reader_next(reader, &event, error));
            assert_true(event && event->thread < THREADS);
            assert_is(event, seen[event->thread]++);
            assert_true(event->entered == 2 * i); /* every tick was given once, so in order */
        }
        const vef_event *none = NULL;
        OK(vef_log_reader_next(reader, &none, error));
        assert_null(none);
        vef_log_reader_close(reader);
        OK(vef_log_reader_open(path, &reader, NULL, error));
    }
    vef_log_reader_close(reader);
}

/* ---- locks ---- */

static uint64_t length_of(const char *path) {
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    return (uint64_t)status.st_size;
}

/* Closes the descriptors of a file; returns their number. */
static int close_all_of(const char *path) {
    struct stat file, open_file;
    int count = 0;
    assert_int_equal(stat(path, &file), 0);
    for (int i = 3; i < 2000; i++)
        if (fstat(i, &open_file) == 0 && open_file.st_ino == file.st_ino &&
            open_file.st_dev == file.st_dev)
            count += close(i) == 0;
    return count;
}

static vef_log_use use_of(const char *path, const vef_log_writer *writer) {
    int file = open(path, O_RDONLY);
    assert_true(file >= 0);
    vef_log_use use = vef_log_in_use(file, path, writer);
    close(file);
    return use;
}

/* The lock lasts from the opening of the log to its closing, whatever happens to its descriptor,
 * and no child has it.
 */
static void test_lock(void **state) {
    (void)state;
    const char *path;
    int hold[2];
    const vef_log_writer locked = {.locked = true};
    vef_log *log = begin("lock", &path);
    assert_int_equal(use_of(path, &locked), VEF_LOG_IN_USE);
    for (uint64_t i = 0; i < 30000; i++) {
        append(log, NULL, 0, i, 2 * i);
        if (i % 10000 == 0)
            assert_int_equal(close_all_of(path), 1);
        assert_true(i % 1000 != 0 || use_of(path, &locked) == VEF_LOG_IN_USE);
    }
    assert_int_equal(pipe(hold), 0);
    pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); /* without the handlers of fork */
    if (child == 0) {
        char end;
        close(hold[1]);
        _exit(read(hold[0], &end, 1) != 0);
    }
    log_end(log, VEF_LOG_FINALIZED);
    assert_int_equal(use_of(path, &locked), VEF_LOG_COMPLETE);
    close(hold[1]);
    close(hold[0]);
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    vef_log_reader *reader = NULL;
    OK(vef_log_reader_open(path, &reader, NULL, error));
    assert_true(vef_log_reader_facts(reader)->events == 30000);
    vef_log_reader_close(reader);
}

/* Where the file system has no locks, the process table decides, if it can. */
static void test_no_locks(void **state) {
    (void)state;
    const char *path;
    char host[256] = "";
    vef_log *log = begin("no-locks", &path);
    vef_log_writer writer = vef_log_writer_self();
    gethostname(host, sizeof host - 1);
    writer.host = host;
    assert_int_equal(use_of(path, &writer), VEF_LOG_IN_USE);
    writer.process_began--;
    assert_int_equal(use_of(path, &writer), VEF_LOG_COMPLETE);
    writer.host = "another.host";
    assert_int_equal(use_of(path, &writer), VEF_LOG_UNKNOWN);
    log_end(log, VEF_LOG_FINALIZED);
    assert_int_equal(use_of(path, &writer), VEF_LOG_COMPLETE);
}

/* Another file has the name of the log, or none: nothing is written to it, and the failure is
 * reported. */
static void test_log_that_is_gone(void **state) {
    (void)state;
    const char *path;
    for (unsigned way = 0; way < 2; way++) {
        vef_error fault = {0};
        vef_log *log = begin(way ? "replaced" : "removed", &path);
        append(log, NULL, 0, 0, 0);
        assert_int_equal(close_all_of(path), 1);
        assert_int_equal(unlink(path), 0);
        if (way)
            close(open(path, O_WRONLY | O_CREAT, 0666));
        assert_int_equal(vef_log_flush(log, &fault), VEF_IO);
        assert_non_null(strstr(fault.message, way ? "Stale file handle" : "No such file"));
        assert_int_equal(vef_log_close(log, VEF_LOG_FINALIZED, &fault), VEF_IO);
        assert_true(!way || length_of(path) == 0);
    }
}

/* ---- limits ---- */

enum { LIMIT = VEF_LOG_LEAST_BYTES, MANY = 300000 };

static void test_log_stops_at_its_limit(void **state) {
    (void)state;
    const char *path;
    vef_log *log = begin("stop", &path);
    vef_error fault = {0};
    assert_int_equal(vef_log_limit(log, LIMIT - 1, false, &fault), VEF_INVALID);
    OK(vef_log_limit(log, LIMIT, false, error));
    for (uint64_t i = 0; i < MANY; i++)
        append(log, NULL, 0, i, 2 * i);
    assert_true(vef_log_stopped(log));
    vef_log_count(log, VEF_CALL_File_open, 5, 50); /* counting goes on */
    log_end(log, VEF_LOG_FINALIZED);
    assert_true(length_of(path) <= LIMIT && length_of(path) > LIMIT * 9 / 10);
    vef_log_reader *reader = NULL;
    OK(vef_log_reader_open(path, &reader, NULL, error));
    const vef_log_facts *facts = vef_log_reader_facts(reader);
    assert_true(facts->stopped && facts->end == VEF_LOG_CUT && facts->skipped == 0);
    assert_true(facts->events < MANY && facts->counts[VEF_CALL_File_open] == 5);
    for (uint64_t i = 0; i < facts->events; i++) {
        const vef_event *event = NULL;
        OK(vef_log_reader_next(reader, &event, error));
        assert_is(event, i);
    }
    vef_log_reader_close(reader);
}

/* Of several threads the log holds what each recorded until it stopped, also what was in their
 * buffers then: nothing of one thread is missing that precedes an event of another. */
static void test_log_stops_for_all_threads(void **state) {
    (void)state;
    enum { LANES = 4, SELDOM = 100 };
    const char *path;
    vef_log *log = begin("stop-threads", &path);
    uint64_t appended[LANES] = {0}, tick = 0;
    OK(vef_log_limit(log, LIMIT, false, error));
    for (uint64_t i = 0; !vef_log_stopped(log); i++) {
        const uint32_t thread = i % SELDOM < LANES - 1 ? (uint32_t)(i % SELDOM) : LANES - 1;
        append(log, NULL, thread, appended[thread]++, tick);
        tick += 2;
    }
    for (uint32_t thread = 0; thread < LANES; thread++) /* without effect */
        append(log, NULL, thread, appended[thread], tick);
    log_end(log, VEF_LOG_FINALIZED);
    assert_true(length_of(path) <= LIMIT && length_of(path) > LIMIT * 3 / 4);
    vef_log_reader *reader = NULL;
    OK(vef_log_reader_open(path, &reader, NULL, error));
    uint64_t seen[LANES] = {0};
    for (;;) {
        const vef_event *event = NULL;
        OK(vef_log_reader_next(reader, &event, error));
        if (!event)
            break;
        assert_true(event->thread < LANES);
        assert_is(event, seen[event->thread]++);
    }
    for (uint32_t thread = 0; thread < LANES; thread++)
        assert_true(seen[thread] == appended[thread]);
    assert_true(vef_log_reader_facts(reader)->stopped);
    vef_log_reader_close(reader);
}

/* What a ring holds: the last events of each thread, and every communicator. */
static void assert_ring(const char *path, const uint64_t *appended, uint32_t threads,
                        uint32_t communicators) {
    vef_log_reader *reader = NULL;
    uint64_t seen[2] = {0}, first[2] = {0}, total = 0, tick = 0;
    OK(vef_log_reader_open(path, &reader, NULL, error));
    const vef_log_facts *facts = vef_log_reader_facts(reader);
    assert_int_equal(facts->communicator_count, communicators);
    for (;;) {
        const vef_event *event = NULL;
        OK(vef_log_reader_next(reader, &event, error));
        if (!event)
            break;
        uint32_t thread = event->thread;
        assert_true(thread < threads && event->entered >= tick);
        tick = event->entered;
        if (seen[thread] == 0)
            first[thread] = (uint64_t)event->operations[0].tag;
        assert_is(event, first[thread] + seen[thread]++);
        total++;
    }
    assert_true(total == facts->events);
    uint64_t skipped = 0;
    for (uint32_t i = 0; i < threads; i++) {
        assert_true(first[i] + seen[i] == appended[i]); /* to the last one */
        skipped += first[i];
    }
    assert_true(facts->skipped == skipped && skipped > 0);
    assert_true(facts->events > 20000);
    vef_log_reader_close(reader);
}

static void test_ring_keeps_the_last(void **state) {
    (void)state;
    const char *path, *beside = scratch_path("ring/task-000000.vlog~");
    vef_log *log = begin("ring", &path);
    uint64_t appended[2] = {0}, most = 0;
    uint32_t communicators = 2, member = 0;
    OK(vef_log_limit(log, LIMIT, true, error));
    for (uint64_t i = 0; i < MANY; i++) {
        uint32_t thread = i % 5 == 0;
        append(log, NULL, thread, appended[thread]++, 2 * i);
        if (i % 10000 == 0) {
            vef_log_count(log, VEF_CALL_File_open, 1, 3);
            log_comm(log, 0, 1, &member);
            communicators++;
        }
        if (i % 3000 == 0 && length_of(path) > most)
            most = length_of(path);
        if (i % 100000 == 99999) { /* whole at every moment */
            OK(vef_log_flush(log, error));
            assert_ring(path, appended, 2, communicators);
        }
    }
    assert_false(vef_log_stopped(log));
    log_end(log, VEF_LOG_FINALIZED);
    assert_true(most <= LIMIT && most > LIMIT * 9 / 10 && length_of(path) <= LIMIT);
    assert_int_equal(access(beside, F_OK), -1);
    assert_ring(path, appended, 2, communicators);
    vef_log_reader *reader = NULL;
    OK(vef_log_reader_open(path, &reader, NULL, error));
    assert_int_equal(vef_log_reader_facts(reader)->end, VEF_LOG_FINALIZED);
    assert_true(vef_log_reader_facts(reader)->counts[VEF_CALL_File_open] == MANY / 10000);
    assert_true(vef_log_reader_facts(reader)->counts_ns[VEF_CALL_File_open] == 3 * MANY / 10000);
    vef_log_reader_close(reader);
}

/* ---- what is there in few traces costs the others nothing ---- */

static size_t coded(uint32_t unit, uint64_t gap_ns, uint64_t outside_ns, bool alone) {
    vef_encoder encoder;
    vef_operation op = {VEF_OP_SEND, 3, 7, 0, 4096, VEF_NO_ORDINAL, VEF_NO_REQUEST};
    OK(vef_encoder_init(&encoder, error));
    vef_coder_restart(&encoder.coder, 0);
    encoder.gap_unit = unit;
    for (unsigned i = 0; i < 1000; i++) {
        vef_event event = {.call = VEF_CALL_Send,
                           .repeats = 1,
                           .gap_ns = gap_ns,
                           .outside_ns = i < 500 ? 0 : outside_ns,
                           .operation_count = 1,
                           .operations = &op,
                           .entered = alone ? 2 * i : 3 * i,
                           .left = (alone ? 2 * i : 3 * i) + 1};
        OK(vef_encode(&encoder, &event, error));
    }
    vef_piece piece = vef_encoder_piece(&encoder, 0, 0);
    const uint8_t *column[VEF_COLUMNS];
    for (unsigned i = 0; i < VEF_COLUMNS; i++)
        column[i] = encoder.column[i];
    vef_decoder decoder = {0};
    vef_decoder_restart(&decoder, &piece, column, unit);
    for (unsigned i = 0; i < 1000; i++) {
        const vef_event *event = NULL;
        OK(vef_decode(&decoder, &event, error));
        assert_true(event->gap_ns == gap_ns && event->outside_ns == (i < 500 ? 0 : outside_ns));
        assert_true(event->entered == (alone ? 2 * i : 3 * i));
        assert_true(event->left == event->entered + 1);
    }
    vef_decoder_free(&decoder);
    vef_encoder_free(&encoder);
    return vef_piece_bytes(&piece);
}

static void test_costs(void **state) {
    (void)state;
    size_t plain =
        coded(1, 100, 0, true); /* a byte each for call, gap and duration, the first in full */
    assert_true(plain < 3000 + 20);
    assert_int_equal(coded(1, 12000, 0, true), plain + 1000); /* a gap of two bytes */
    assert_int_equal(coded(100, 12000, 0, true), plain);      /* of one, in steps of 100 ns */
    size_t odd = coded(100, 12001, 0, true);                  /* and a byte for what remains */
    assert_int_equal(odd, plain + 1000);
    size_t outside = coded(1, 100, 90, true); /* a byte each, and once another payload */
    assert_true(outside > plain + 500 && outside < plain + 500 + 20);
    assert_int_equal(coded(1, 100, 0, false), plain + 2000); /* two bytes each for ticks */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_at_once),
        cmocka_unit_test(test_lock),
        cmocka_unit_test(test_no_locks),
        cmocka_unit_test(test_log_that_is_gone),
        cmocka_unit_test(test_log_stops_at_its_limit),
        cmocka_unit_test(test_log_stops_for_all_threads),
        cmocka_unit_test(test_ring_keeps_the_last),
        cmocka_unit_test(test_costs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
