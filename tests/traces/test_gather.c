/* Finding logs and telling their jobs apart: copies, foreign jobs, missing tasks, what is no log.
 * The logs are written with log.h; which job and task each is of is known from there. */
#include "tests/traces/trace_support.h"
#include "traces/log/gather.h"
#include "traces/log/log.h"
#include "traces/merge/merge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Writes a log of `events` Pcontrols with that argument and ends it, unless it is cut. */
static void write_log(const char *path, const char *job, uint32_t task, uint32_t tasks,
                      unsigned events, int64_t argument, bool cut) {
    vef_error error;
    vef_log *log;
    uint32_t members[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    vef_log_header header = {.task = task,
                             .tasks = tasks,
                             .program = "./p",
                             .library = "an MPI",
                             .clock = "wall",
                             .job = job,
                             .spawned = strncmp(job, "spawned", 7) == 0,
                             .started_ns = 1000 + (uint64_t)job[strlen(job) - 1]};
    unlink(path);
    assert_int_equal(vef_log_open(path, &header, &log, &error), VEF_OK);
    vef_communicator world = {
        .parent = VEF_NO_COMM, .made_by = VEF_CALL_Init, .size = tasks, .members = members};
    assert_int_equal(vef_log_communicator(log, &world, &error), VEF_OK);
    for (unsigned i = 0; i < events; i++) {
        vef_event event = {.call = VEF_CALL_Pcontrol,
                           .repeats = 1,
                           .root = -1,
                           .entered = 2 * i,
                           .left = 2 * i + 1,
                           .argument = argument};
        assert_int_equal(vef_log_event(log, &event, &error), VEF_OK);
    }
    assert_int_equal(vef_log_close(log, VEF_LOG_FINALIZED, &error), VEF_OK);
    struct stat status;
    if (cut && stat(path, &status) == 0) /* without its end record */
        assert_int_equal(truncate(path, status.st_size - 10), 0);
}

static const char *folder(const char *name) {
    static char path[1024];
    snprintf(path, sizeof path, "%s/%s", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp", name);
    mkdir(path, 0777);
    return path;
}

static const char *in(const char *name, const char *file) {
    static char paths[8][1200];
    static unsigned next;
    char *path = paths[next++ % 8];
    snprintf(path, 1200, "%s/%s", folder(name), file);
    return path;
}

/* Two jobs in one folder, one spawned, and folders in it as copied from nodes. */
static void test_jobs(void **state) {
    (void)state;
    folder("jobs");
    folder("jobs/node1");
    write_log(in("jobs", "a.vlog"), "run-b", 0, 2, 5, 7, false);
    write_log(in("jobs/node1", "a.vlog"), "run-b", 1, 2, 6, 7, false);
    write_log(in("jobs", "c.vlog"), "run-a", 2, 3, 2, 7, false);
    write_log(in("jobs", "d.vlog"), "spawned-0", 0, 1, 2, 7, false);
    vef_gathering found = {0};
    vef_error error;
    const vef_job *job;
    const char *place = folder("jobs");
    assert_int_equal(vef_gather(&place, 1, &found, &error), VEF_OK);
    assert_int_equal(found.count, 3);
    assert_string_equal(found.jobs[0].name,
                        "run-a"); /* the earlier; then the later; spawned last */
    assert_string_equal(found.jobs[1].name, "run-b");
    assert_true(found.jobs[2].spawned);
    assert_int_equal(found.jobs[0].found, 1);
    assert_null(found.jobs[0].log[0]);
    assert_null(found.jobs[0].log[1]);
    assert_int_equal(found.jobs[1].found, 2);
    assert_int_equal(vef_gathering_job(&found, NULL, &job, &error), VEF_INVALID);
    assert_non_null(strstr(error.message, "run-a (./p, 1 of 3 tasks)"));
    assert_non_null(strstr(error.message, "run-b (./p, 2 of 2 tasks)"));
    assert_int_equal(vef_gathering_job(&found, "run-c", &job, &error), VEF_INVALID);
    assert_non_null(strstr(error.message, "run-c"));
    assert_int_equal(vef_gathering_job(&found, "run-b", &job, &error), VEF_OK);
    vef_merge_summary summary;
    const char *trace = in("jobs", "out.vef");
    unlink(trace);
    vef_merge_options options = {.keep_existing = true};
    assert_int_equal(vef_merge_job(job, trace, &options, &summary, &error), VEF_OK);
    assert_int_equal(summary.events, 11);
    assert_int_equal(summary.cut_short, 0);
    /* An existing file is kept. */
    assert_int_equal(vef_merge_job(job, trace, &options, &summary, &error), VEF_IO);
    assert_non_null(strstr(error.message, "exists"));
    options.keep_existing = false;
    assert_int_equal(vef_merge_job(job, trace, &options, &summary, &error), VEF_OK);
    vef_gathering_free(&found);
}

/* The same log twice, a copy made before its end, another of the same task. */
static void test_copies(void **state) {
    (void)state;
    folder("copies");
    write_log(in("copies", "whole.vlog"), "run", 0, 2, 9, 7, false);
    write_log(in("copies", "early.vlog"), "run", 0, 2, 9, 7, true);
    write_log(in("copies", "other.vlog"), "run", 1, 2, 9, 7, false);
    vef_gathering found = {0};
    vef_error error;
    const char *places[] = {in("copies", "early.vlog"), in("copies", "whole.vlog"),
                            in("copies", "other.vlog"), in("copies", "other.vlog")};
    assert_int_equal(vef_gather(places, 4, &found, &error), VEF_OK);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.doubles, 2);
    assert_int_equal(found.jobs[0].found, 2);
    assert_string_equal(found.jobs[0].log[0], places[1]); /* the one that holds more */
    vef_gathering_free(&found);

    write_log(in("copies", "false.vlog"), "run", 1, 2, 9, 8, false);
    places[3] = in("copies", "false.vlog");
    assert_int_equal(vef_gather(places, 4, &found, &error), VEF_INVALID);
    assert_non_null(strstr(error.message, "with different contents"));
    assert_non_null(strstr(error.message, "task 1 of job run"));
    vef_gathering_free(&found);

    write_log(in("copies", "three.vlog"), "run", 1, 3, 9, 7, false);
    places[3] = in("copies", "three.vlog");
    assert_int_equal(vef_gather(places, 4, &found, &error), VEF_INVALID);
    assert_non_null(strstr(error.message, "another run"));
    vef_gathering_free(&found);
}

/* Logs cut inside their header; places without logs; files that are none. */
static void test_no_logs(void **state) {
    (void)state;
    folder("none");
    vef_gathering found = {0};
    vef_error error;
    const char *place = folder("none");
    unlink(in("none", "cut.vlog"));
    assert_int_equal(vef_gather(&place, 1, &found, &error), VEF_INVALID);
    assert_non_null(strstr(error.message, "no logs"));
    vef_gathering_free(&found);

    write_log(in("none", "cut.vlog"), "run", 0, 2, 9, 7, false);
    assert_int_equal(truncate(in("none", "cut.vlog"), 40), 0);
    assert_int_equal(vef_gather(&place, 1, &found, &error), VEF_CORRUPT);
    assert_non_null(strstr(error.message, "1 log is cut"));
    vef_gathering_free(&found);

    place = in("none", "absent");
    assert_int_equal(vef_gather(&place, 1, &found, &error), VEF_IO);
    assert_non_null(strstr(error.message, "No such file"));
    vef_gathering_free(&found);

    place = "Makefile";
    assert_int_not_equal(vef_gather(&place, 1, &found, &error), VEF_OK);
    assert_non_null(strstr(error.message, "Makefile"));
    vef_gathering_free(&found);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jobs),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_no_logs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
