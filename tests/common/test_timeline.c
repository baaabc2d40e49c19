/* The writer of timelines, event by event as the Trace Event Format defines them. (That whole files
 * are what viewers read is in tests/cli/test_export_chrome.sh.) */
#include "common/report/timeline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void every_kind_of_event(void **state) {
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    const vef_timeline_argument facts[] = {{.key = "program", .text = "a \"b\"\x01\xff</script>"},
                                           {.key = "tasks", .number = UINT64_MAX}};
    vef_timeline timeline;
    vef_timeline_begin(&timeline, out, facts, 2);
    vef_timeline_group(&timeline, 1, "tasks");
    vef_timeline_track(&timeline, 1, 7, "task 6");
    vef_timeline_slice(&timeline, 1, 7, 1234567, "MPI", "MPI_Send", &facts[1], 1);
    vef_timeline_arrow end = {.group = 1, .track = 7, .time_ns = 1234567, .number = 5};
    vef_timeline_arrow_end(&timeline, &end);
    end.name = "from 3";
    vef_timeline_arrow_end(&timeline, &end);
    vef_timeline_slice_end(&timeline, 1, 7, 1234999, "MPI_Send");
    vef_timeline_mark(&timeline, 1, 7, 1235000, "half\n");
    vef_timeline_counter(&timeline, 2, 5, "load", 0.25);
    vef_timeline_end(&timeline);
    fclose(out);
    assert_string_equal(
        text,
        "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"program\":\"a \\\"b\\\"\\u0001\xef\xbf\xbd"
        "</script>\",\"tasks\":18446744073709551615},\n\"traceEvents\":[\n"
        "{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"tasks\"}},\n"
        "{\"ph\":\"M\",\"pid\":1,\"name\":\"process_sort_index\",\"args\":{\"sort_index\":1}},\n"
        "{\"ph\":\"M\",\"pid\":1,\"tid\":7,\"name\":\"thread_name\",\"args\":{\"name\":\"task "
        "6\"}},\n"
        "{\"ph\":\"M\",\"pid\":1,\"tid\":7,\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":"
        "7}},\n"
        "{\"ph\":\"B\",\"pid\":1,\"tid\":7,\"ts\":1234.567,\"cat\":\"MPI\",\"name\":\"MPI_Send\","
        "\"args\":{\"tasks\":18446744073709551615}},\n"
        "{\"ph\":\"s\",\"pid\":1,\"tid\":7,\"ts\":1234.567,\"cat\":\"arrow\",\"name\":\"arrow\","
        "\"id\":5},\n"
        "{\"ph\":\"B\",\"pid\":1,\"tid\":7,\"ts\":1234.567,\"cat\":\"arrow\",\"name\":\"from "
        "3\"},\n"
        "{\"ph\":\"f\",\"pid\":1,\"tid\":7,\"ts\":1234.567,\"cat\":\"arrow\",\"name\":\"arrow\","
        "\"id\":5,\"bp\":\"e\"},\n"
        "{\"ph\":\"E\",\"pid\":1,\"tid\":7,\"ts\":1234.567,\"name\":\"from 3\"},\n"
        "{\"ph\":\"E\",\"pid\":1,\"tid\":7,\"ts\":1234.999,\"name\":\"MPI_Send\"},\n"
        "{\"ph\":\"i\",\"pid\":1,\"tid\":7,\"ts\":1235.000,\"s\":\"t\",\"name\":\"half\\n\"},\n"
        "{\"ph\":\"C\",\"pid\":2,\"ts\":0.005,\"name\":\"load\",\"args\":{\"value\":0.25}}\n]}\n");
    assert_int_equal(timeline.bytes, size);
    assert_int_equal(timeline.events, 12);
    free(text);
}

static void nothing_is_a_file_too(void **state) {
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    vef_timeline timeline;
    vef_timeline_begin(&timeline, out, NULL, 0);
    vef_timeline_end(&timeline);
    fclose(out);
    assert_string_equal(text,
                        "{\"displayTimeUnit\":\"ns\",\"otherData\":{},\n\"traceEvents\":[\n]}\n");
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_event),
        cmocka_unit_test(nothing_is_a_file_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
