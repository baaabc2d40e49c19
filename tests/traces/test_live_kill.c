/* A task that dies at any instruction loses no event whose call had returned, and its buffer is
 * never taken for damaged: the task is stepped through the recording of events, within a piece and
 * across the end of one, and its files are read after each instruction. */
#include "tests/traces/trace_support.h"
#include "traces/log/log_reader.h"
#include "traces/log/shared_buffer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_STEPS = 4000000, HEAD_BYTES = 104, AFTERWARDS = 6 };

static vef_event send_event(uint64_t number, vef_operation *operation) {
    *operation = (vef_operation){
        VEF_OP_SEND, 1, (int32_t)(number % 3), 0, number % 2 * 8, VEF_NO_ORDINAL, VEF_NO_REQUEST};
    return (vef_event){.call = VEF_CALL_Send,
                       .gap_ns = number % 100,
                       .duration_ns = 1 + number % 90,
                       .repeats = 1,
                       .new_comm = VEF_NO_COMM,
                       .entered = 2 * number,
                       .left = 2 * number + 1,
                       .operation_count = 1,
                       .operations = operation};
}

/* What the task has done, in memory shared with this program. */
typedef struct progress {
    _Atomic uint64_t returned; /* events whose recording has returned */
    char path[1024];
} progress;

/* The task: `before` events, then it asks to be stepped through `stepped` more. */
static void task(progress *shared, uint64_t before, uint64_t stepped) {
    vef_log *log = log_begin(scratch_path("kill"), 0, 2);
    vef_lane *lane = NULL;
    vef_log_survive(log);
    if (vef_log_lane(log, 0, &lane, NULL) != VEF_OK || ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        _exit(3);
    for (uint64_t i = 0; i < before + stepped; i++) {
        vef_operation operation;
        const vef_event event = send_event(i, &operation);
        if (i == before)
            raise(SIGSTOP);
        if (vef_lane_event(lane, &event, NULL) != VEF_OK)
            _exit(4);
        atomic_store(&shared->returned, i + 1);
    }
    _exit(0);
}

/* Reads the files as they are now. */
static void read_now(const progress *shared) {
    vef_log_reader *reader = NULL;
    const vef_event *event;
    const uint64_t returned = atomic_load(&shared->returned);
    OK(vef_log_reader_open(shared->path, &reader, NULL, error));
    const vef_log_facts *facts = vef_log_reader_facts(reader);
    if (facts->damage)
        fail_msg("after %d events: %s", (int)returned, facts->damage);
    assert_true(facts->events == returned || facts->events == returned + 1);
    uint64_t number = 0;
    for (;; number++) {
        vef_operation operation;
        OK(vef_log_reader_next(reader, &event, error));
        if (!event)
            break;
        if (number + 8 < facts->events)
            continue; /* the coding of the others is that of every test */
        const vef_event wanted = send_event(number, &operation);
        assert_same_event(&wanted, event);
    }
    assert_int_equal(number, facts->events);
    vef_log_reader_close(reader);
}

/* Steps through events `before` to `before + stepped`; reads after each `stride`-th instruction,
 * and after those that change the first page or the length of the log, and a few more. */
static void step_through(uint64_t before, uint64_t stepped, uint64_t stride) {
    progress *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(shared != MAP_FAILED);
    const char *folder = scratch_path("kill");
    snprintf(shared->path, sizeof shared->path, "%s/task-000000.vlog", folder);
    remove_folder(folder);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0)
        task(shared, before, stepped);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 3) {
        print_message("skipped: ptrace is not permitted here\n");
        return;
    }
    assert_true(WIFSTOPPED(status));
    uint64_t steps = 0;
    unsigned char head[HEAD_BYTES] = {0};
    off_t size = 0;
    int recent = 0;
    char path[1024];
    assert_true(vef_live_path(shared->path, 0, path, sizeof path));
    const int live = open(path, O_RDONLY);
    assert_true(live >= 0);
    for (; steps < MOST_STEPS && atomic_load(&shared->returned) < before + stepped; steps++) {
        assert_int_equal(ptrace(PTRACE_SINGLESTEP, child, NULL, NULL), 0);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSTOPPED(status));
        unsigned char now[HEAD_BYTES] = {0};
        struct stat log = {0};
        const ssize_t got = pread(live, now, sizeof now, 0);
        stat(shared->path, &log);
        if (got == HEAD_BYTES && (memcmp(now, head, sizeof now) != 0 || log.st_size != size))
            recent = AFTERWARDS;
        memcpy(head, now, sizeof head);
        size = log.st_size;
        if (steps % stride == 0 || recent > 0)
            read_now(shared);
        recent -= recent > 0;
    }
    assert_true(steps > 100 && steps < MOST_STEPS);
    close(live);
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    read_now(shared);
    remove_folder(folder);
    munmap(shared, sizeof *shared);
}

static void within_a_piece(void **state) {
    (void)state;
    step_through(0, 4, 1);
    step_through(40, 3, 1);
}

/* The first block is written when its columns have nearly 48 KiB, of 3 to 4 bytes an event. */
static void across_the_end_of_a_piece(void **state) {
    (void)state;
    uint64_t first = 0;
    vef_log *log = log_begin(scratch_path("whole"), 0, 2);
    const char *path = scratch_path("whole/task-000000.vlog");
    size_t empty = 0, size = 0;
    free(slurp(path, &empty));
    for (size = empty; size == empty && first < 20000; first++) {
        vef_operation operation;
        const vef_event event = send_event(first, &operation);
        OK(vef_log_event(log, &event, error));
        if (first % 16 == 0 || first > 12000)
            free(slurp(path, &size));
    }
    assert_true(size > empty);
    log_end(log, VEF_LOG_FINALIZED);
    remove_folder(scratch_path("whole"));
    step_through(first - 2, 4, 20011);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(within_a_piece),
        cmocka_unit_test(across_the_end_of_a_piece),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
