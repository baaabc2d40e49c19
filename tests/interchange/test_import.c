/* Traces from the calls that other tools recorded (interchange/import.h). The expected traces
 * follow from what MPI says of these calls: messages of one envelope do not overtake each other. */
#include "interchange/import.h"
#include "tests/traces/trace_support.h"
#include "traces/check/check.h"
#include "traces/text/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void event(vef_import *import, vef_event event) {
    vef_error error = {0};
    event.repeats = 1;
    event.request = event.request ? event.request : VEF_NO_REQUEST;
    assert_int_equal(vef_import_event(import, &event, &error), VEF_OK);
}

static void transfer(vef_import *import, uint16_t call, uint64_t gap_ns, vef_operation operation) {
    operation.ordinal = VEF_NO_ORDINAL;
    event(import,
          (vef_event){
              .call = call, .gap_ns = gap_ns, .operation_count = 1, .operations = &operation});
}

static void complete(vef_import *import, vef_completion completion) {
    event(import,
          (vef_event){.call = VEF_CALL_Wait, .completion_count = 1, .completions = &completion});
}

static vef_import *begin(const char *path, uint32_t tasks) {
    vef_error error = {0};
    vef_import *import = NULL;
    const vef_import_facts facts = {.format = "nothing", .program = "prog", .tasks = tasks};
    assert_int_equal(vef_import_begin(path, &facts, &import, &error), VEF_OK);
    return import;
}

static void task(vef_import *import, uint32_t task) {
    vef_error error = {0};
    assert_int_equal(vef_import_task(import, task, NULL, &error), VEF_OK);
    event(import, (vef_event){.call = VEF_CALL_Init});
}

/* Two messages of different tags from task 1 to task 0, received in the other order, one of them by
 * a wildcard, in a communicator that reverses the ranks. */
static void messages_are_matched(void **state) {
    (void)state;
    char path[1024], *text = NULL;
    size_t bytes = 0;
    vef_error error = {0};
    vef_format_report report = {0};
    vef_trace *trace = NULL;
    uint32_t reversed = 0;
    uint64_t faults = 0;
    snprintf(path, sizeof path, "%s", scratch_path("matched.vef"));
    const vef_communicator comm = {.parent = VEF_IMPORT_WORLD,
                                   .made_by = VEF_CALL_Comm_create,
                                   .size = 2,
                                   .members = (const uint32_t[]){1, 0}};
    vef_import *import = begin(path, 2);
    task(import, 1);
    assert_int_equal(vef_import_communicator(import, &comm, &reversed, &error), VEF_OK);
    assert_int_equal(reversed, VEF_IMPORT_SELF + 1);
    transfer(import, VEF_CALL_Send, 700,
             (vef_operation){.flags = VEF_OP_SEND,
                             .peer = 1,
                             .tag = 7,
                             .comm = reversed,
                             .bytes = 70,
                             .request = VEF_NO_REQUEST});
    transfer(
        import, VEF_CALL_Send, 0,
        (vef_operation){
            .flags = VEF_OP_SEND, .peer = 0, .tag = 8, .bytes = 80, .request = VEF_NO_REQUEST});
    event(import, (vef_event){.call = VEF_CALL_Finalize});
    task(import, 0);
    assert_int_equal(vef_import_communicator(import, &comm, &reversed, &error), VEF_OK);
    transfer(import, VEF_CALL_Irecv, 0,
             (vef_operation){.flags = VEF_OP_ANY_SOURCE | VEF_OP_ANY_TAG,
                             .peer = VEF_ANY_SOURCE,
                             .tag = VEF_ANY_TAG,
                             .request = 0});
    transfer(import, VEF_CALL_Recv, 0,
             (vef_operation){
                 .peer = 0, .tag = 7, .comm = reversed, .bytes = 70, .request = VEF_NO_REQUEST});
    complete(import, (vef_completion){.request = 0, .source = 1, .tag = 8, .bytes = 80});
    event(import, (vef_event){.call = VEF_CALL_Finalize});
    assert_int_equal(vef_import_finish(import, &report, &error), VEF_OK);
    vef_import_free(import);
    assert_string_equal(report.notes.text, "");

    assert_int_equal(vef_trace_open(path, &trace, NULL, &error), VEF_OK);
    assert_int_equal(vef_trace_get_header(trace)->events, 9);
    const vef_check_options options = {.limit = 1};
    assert_int_equal(vef_check(trace, &options, &faults, &error), VEF_OK);
    assert_int_equal(faults, 0);
    FILE *out = open_memstream(&text, &bytes);
    assert_int_equal(vef_text_dump(trace, -1, out, &error), VEF_OK);
    fclose(out);
    vef_trace_close(trace);
    const char *const lines[] = {"Send to=0 bytes=70 tag=7 comm=1 ordinal=0 gap=700",
                                 "Send to=0 bytes=80 tag=8 ordinal=1",
                                 "Irecv from=1 bytes=80 tag=8 ordinal=1 flags=any-source,any-tag",
                                 "Recv from=1 bytes=70 tag=7 comm=1 ordinal=0"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (!strstr(text, lines[i]))
            fail_msg("no '%s' in:\n%s", lines[i], text);
    free(text);
    unlink(path);
}

static unsigned files_in(const char *folder) {
    unsigned count = 0;
    DIR *opened = opendir(folder);
    assert_non_null(opened);
    for (struct dirent *entry; (entry = readdir(opened));)
        count += entry->d_name[0] != '.';
    closedir(opened);
    return count;
}

/* A task that does not finalize, and one that is not there at all. */
static void ends_are_told(void **state) {
    (void)state;
    FOLDER("cut");
    char path[1100];
    vef_error error = {0};
    vef_format_report report = {0};
    mkdir(folder, 0777);
    snprintf(path, sizeof path, "%s/out.vef", folder);
    vef_import *import = begin(path, 3);
    task(import, 0);
    event(import, (vef_event){.call = VEF_CALL_Finalize});
    task(import, 2);
    assert_int_equal(vef_import_finish(import, &report, &error), VEF_OK);
    vef_import_free(import);
    assert_string_equal(report.notes.text, "2 of 3 tasks end before MPI_Finalize");
    assert_int_equal(files_in(folder), 1); /* the trace */
    unlink(path);

    /* What is wrong leaves nothing behind. */
    import = begin(path, 3);
    task(import, 1);
    assert_int_equal(vef_import_task(import, 1, NULL, &error), VEF_CORRUPT);
    assert_non_null(strstr(error.message, "task 1: expected each of the 3 tasks once"));
    vef_import_free(import);
    import = begin(path, 1);
    assert_int_equal(vef_import_finish(import, &report, &error), VEF_INVALID);
    vef_import_free(import);
    const vef_import_facts none = {.format = "nothing"};
    assert_int_equal(vef_import_begin(path, &none, &import, &error), VEF_INVALID);
    assert_null(import);
    assert_int_equal(files_in(folder), 0);
    rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_are_matched),
        cmocka_unit_test(ends_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
