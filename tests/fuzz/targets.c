/* The readers under test: see fuzz.h. Each states the properties of its result. */
#include "common/config/config.h"
#include "common/config/json.h"
#include "common/system/file.h"
#include "interchange/format.h"
#include "netmodel/netmodel.h"
#include "replay/jobs/spec.h"
#include "replay/machine.h"
#include "tests/fuzz/fuzz.h"
#include "traces/check/check.h"
#include "traces/file/trace.h"
#include "traces/merge/merge.h"
#include "traces/text/text.h"
#include "workloads/workload.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Under ASan too an impossible allocation is an error to report, as in the readers. */
const char *__asan_default_options(void)
    __attribute__((weak, visibility("default"))); /* a test may have its own */
const char *__asan_default_options(void) {
    return "allocator_may_return_null=1";
}

static void must(bool holds, const char *what) {
    if (holds)
        return;
    fprintf(stderr, "does not hold: %s\n", what);
    abort();
}

static void ignore(void *context, const char *sentence) {
    (void)context;
    must(sentence[0] != '\0', "a fault is told in words");
}

/* All events of all threads; a failure says something. */
static bool read_events(vef_trace *trace) {
    const vef_trace_header *header = vef_trace_get_header(trace);
    vef_error error = {0};
    for (uint32_t task = 0; task < header->tasks; task++)
        for (uint32_t thread = 0; thread < header->task[task].threads; thread++) {
            vef_stream *stream = NULL;
            const vef_event *event = NULL;
            vef_code code = vef_stream_open(trace, task, thread, &stream, &error);
            do
                code = code ? code : vef_stream_next(stream, &event, &error);
            while (!code && event);
            vef_stream_close(stream);
            must(!code || error.message[0] != '\0', "a failure has a message");
            if (code)
                return false;
        }
    return true;
}

/* A replay of a trace that passes the check completes or reports a stall. */
static void replay(vef_trace *trace) {
    static const char ideal[] = "model: ideal\nlink: {bandwidth: 32 Gbit/s, phit: 4 B}\n";
    const uint32_t tasks = vef_trace_get_header(trace)->tasks;
    vef_arena arena = {0};
    vef_node *root = NULL;
    vef_netmodel *network = NULL;
    vef_error error;
    vef_replay_options options = vef_replay_defaults();
    vef_replay_result result = {0};
    uint32_t *mapping = malloc(tasks * sizeof *mapping);
    must(mapping && !vef_config_parse(ideal, "ideal", &arena, &root, &error) &&
             !vef_netmodel_create(root, &network, &error),
         "the ideal network is there");
    for (uint32_t task = 0; task < tasks; task++)
        mapping[task] = task;
    if (!vef_replay(trace, network, mapping, &options, NULL, &result, &error))
        must(result.stall == VEF_STALL_NONE || result.stall_text[0] != '\0', "a stall has a cause");
    vef_replay_result_release(&result);
    vef_netmodel_destroy(network);
    vef_arena_release(&arena);
    free(mapping);
}

/* The text of a trace is that of the trace made from it. */
static void round_trip(vef_trace *trace, const char *folder) {
    char path[4096], *text[2] = {NULL, NULL};
    size_t size[2] = {0, 0};
    vef_error error;
    vef_trace *again = NULL;
    snprintf(path, sizeof path, "%s/again.vef", folder);
    for (int i = 0; i < 2; i++) {
        FILE *out = open_memstream(&text[i], &size[i]);
        must(out != NULL, "memory");
        vef_code code = vef_text_dump(i == 0 ? trace : again, -1, out, &error);
        fclose(out);
        must(!code, "what was read can be dumped");
        if (i == 0) {
            code = vef_text_assemble(text[0], size[0], "dump", path, &error);
            if (code)
                fprintf(stderr, "%s\n", error.message);
            must(!code, "what was dumped can be assembled");
            must(!vef_trace_open(path, &again, NULL, &error), "what was assembled can be opened");
        }
    }
    must(size[0] == size[1] && memcmp(text[0], text[1], size[0]) == 0,
         "what was assembled dumps alike");
    vef_trace_close(again);
    free(text[0]);
    free(text[1]);
}

/* Opens, reads, checks; what is whole goes through text and back; what is sound is replayed. */
static void use_trace(const char *path, const char *folder) {
    vef_trace *trace = NULL;
    const char *missing = NULL;
    vef_error error = {0};
    uint64_t faults = 0;
    const vef_check_options options = {.limit = 8, .report = ignore};
    if (vef_trace_open(path, &trace, &missing, &error)) {
        must(error.message[0] != '\0', "a failure has a message");
        return;
    }
    bool whole = read_events(trace) && !missing;
    bool sound = vef_check(trace, &options, &faults, &error) == VEF_OK && faults == 0;
    if (whole)
        round_trip(trace, folder);
    if (whole && sound && vef_trace_get_header(trace)->tasks <= 64)
        replay(trace);
    vef_trace_close(trace);
}

static void run_text(const char *path, const char *folder) {
    char made[4096];
    vef_error error = {0};
    FILE *in = fopen(path, "r");
    char *text = NULL;
    size_t capacity = 0;
    ssize_t size = in ? getdelim(&text, &capacity, EOF, in) : -1;
    if (in)
        fclose(in);
    snprintf(made, sizeof made, "%s/made.vef", folder);
    if (size >= 0 && !vef_text_assemble(text, (size_t)size, "text", made, &error))
        use_trace(made, folder);
    else
        must(size < 0 || strstr(error.message, "text"), "a failure names the file");
    free(text);
}

/* Imports a file of another tool's. */
static void import_file(const char *path, const char *folder, const char *format) {
    char made[4096];
    vef_error error = {0};
    vef_format_report report;
    snprintf(made, sizeof made, "%s/made.vef", folder);
    if (!vef_format_find(format)->read(path, made, &report, &error))
        use_trace(made, folder);
    else
        must(error.message[0] != '\0', "a failure has a message");
}

static void run_goal(const char *path, const char *folder) {
    import_file(path, folder, "goal");
}

static void run_simgrid(const char *path, const char *folder) {
    import_file(path, folder, "simgrid-ti");
}

static void run_paraver(const char *path, const char *folder) {
    import_file(path, folder, "paraver");
}

static void run_vef_text(const char *path, const char *folder) {
    import_file(path, folder, "vef-text");
}

static void put_file(const char *folder, const char *name, const char *data, size_t size) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *out = fopen(path, "wb");
    must(out && fwrite(data, 1, size, out) == size && fclose(out) == 0, "a file can be written");
}

/* Two files, after the length of the first, a big-endian number of so many bytes. */
static void split_file(const char *path, size_t length_bytes, const char *folder, const char *one,
                       const char *other) {
    char *data = NULL;
    size_t size = 0, first = 0;
    vef_error error = {0};
    must(!vef_file_read(path, 1 << 20, &data, &size, &error), "the input can be read");
    if (size < length_bytes)
        length_bytes = size;
    for (size_t i = 0; i < length_bytes; i++)
        first = first << 8 | (uint8_t)data[i];
    const size_t total = size - length_bytes;
    first = first < total ? first : total;
    put_file(folder, one, data + length_bytes, first);
    put_file(folder, other, data + length_bytes + first, total - first);
    free(data);
}

static void run_dumpi(const char *path, const char *folder) {
    static const char meta[] = "numprocs=2\nfileprefix=run\n";
    char made[4096];
    put_file(folder, "run.meta", meta, sizeof meta - 1);
    split_file(path, 4, folder, "run-0000.bin", "run-0001.bin");
    snprintf(made, sizeof made, "%s/run.meta", folder);
    import_file(made, folder, "dumpi");
}

static void run_chakra(const char *path, const char *folder) {
    char made[4096];
    split_file(path, 2, folder, "run.0.et", "run.1.et");
    snprintf(made, sizeof made, "%s/run.1.et", folder);
    import_file(made, folder, "chakra");
}

static void run_log(const char *path, const char *folder) {
    char made[4096];
    vef_error error = {0};
    vef_merge_summary summary;
    snprintf(made, sizeof made, "%s/made.vef", folder);
    (void)path;
    if (!vef_merge(folder, made, NULL, &summary, &error))
        use_trace(made, folder);
    else
        must(error.message[0] != '\0', "a failure has a message");
}

/* What is accepted with a tree is also accepted where it is only checked. */
static void run_json(const char *path, const char *folder) {
    static const char *const none[] = {NULL};
    char *text = NULL;
    size_t size = 0;
    vef_arena arena = {0};
    vef_error error = {0};
    vef_node *root = NULL, *checked = NULL;
    (void)folder;
    must(!vef_file_read(path, 1 << 20, &text, &size, &error), "the input can be read");
    const vef_code code = vef_json_parse(text, size, "in", NULL, &arena, &root, &error);
    must(!code == !!root, "a document has a tree");
    if (code)
        must(strncmp(error.message, "in:", 3) == 0, "a failure names the place");
    else
        must(!vef_json_parse(text, size, "in", none, &arena, &checked, NULL) &&
                 checked->count == root->count,
             "a document that is only checked has the same members");
    vef_arena_release(&arena);
    free(text);
}

static void must_say(vef_code code, const vef_error *error) {
    must(!code || error->message[0] != '\0', "a failure has a message");
}

/* The file as a workload, as jobs, and as the sections of a machine. */
static void run_yaml(const char *path, const char *folder) {
    vef_arena arena = {0};
    vef_node *root = NULL;
    vef_error error = {0};
    vef_workload *workload = NULL;
    vef_job_list jobs = {0};
    vef_replay_options options = vef_replay_defaults();
    (void)folder;
    vef_code code = vef_workload_read(path, NULL, 0, &arena, &root, &error);
    must_say(code ? code : vef_workload_create(root, &workload, &error), &error);
    vef_workload_destroy(workload);
    error = (vef_error){0};
    code = vef_job_list_read(&jobs, path, &arena, &error);
    must_say(code ? code : vef_job_list_end(&jobs, &arena, &error), &error);
    vef_job_list_release(&jobs);
    error = (vef_error){0};
    must_say(vef_machine_open(path, NULL, 0, &arena, &root, &options, &error), &error);
    vef_arena_release(&arena);
}

/* clang-format off */
const fuzz_target fuzz_targets[] = {
    {"trace", "in.vef",           use_trace, fuzz_repair},
    {"log",   "task-000000.job.vlog", run_log,   fuzz_repair},
    {"text",  "in.txt",           run_text,  NULL},
    {"goal",  "in.goal",          run_goal,  NULL},
    {"dumpi", "in.dumpi",         run_dumpi, NULL},
    {"paraver", "in.prv",         run_paraver, NULL},
    {"chakra", "in.chakra",       run_chakra, NULL},
    {"vef-text", "in.vef-text",   run_vef_text, NULL},
    {"json",  "in.json",          run_json,  NULL},
    {"yaml",  "in.yaml",          run_yaml,  NULL},
    {"simgrid-ti", "in.ti",       run_simgrid, NULL},
    {NULL, NULL, NULL, NULL},
};
/* clang-format on */

void fuzz_run(const fuzz_target *target, const uint8_t *data, size_t size, const char *scratch) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", scratch, target->input);
    FILE *out = fopen(path, "wb");
    must(out && fwrite(data, 1, size, out) == size && fclose(out) == 0, "the input can be written");
    target->run(path, scratch);
    DIR *folder = opendir(scratch);
    must(folder != NULL, "the folder is there");
    for (struct dirent *entry; (entry = readdir(folder));)
        if (entry->d_name[0] != '.')
            unlinkat(dirfd(folder), entry->d_name, 0);
    closedir(folder);
}
