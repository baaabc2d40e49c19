/* Traces that vef derives from traces: slices of random programs, what is exported and imported
 * again, and texts. Each must be consistent (`vef check`), and slices replay without a stall
 * wherever they are cut. VEF_ROUNDS: number of programs (default: 12), all of whose slices go
 * through all formats. */
#include "interchange/format.h"
#include "tests/replay/random_program.h"
#include "tests/replay/script.h"
#include "tests/traces/trace_support.h"

#include "common/config/config.h"
#include "common/rng.h"
#include "traces/check/check.h"
#include "traces/slice/slice.h"
#include "traces/text/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

enum { TASKS = RANDOM_PROGRAM_TASKS };

static const uint32_t every_task[TASKS] = {0, 1, 2, 3, 4, 5, 6, 7};

static void print_fault(void *context, const char *sentence) {
    print_error("%s: %s\n", (const char *)context, sentence);
}

static vef_netmodel *network_by(const char *yaml) {
    vef_arena arena = {0};
    vef_node *root = NULL;
    vef_netmodel *model = NULL;
    OK(vef_config_parse(yaml, "test", &arena, &root, error));
    OK(vef_netmodel_create(root, &model, error));
    vef_arena_release(&arena);
    return model;
}

/* The trace is consistent and replays to its end. */
static void assert_sound(const char *path, const char *what) {
    vef_trace *trace = NULL;
    const vef_check_options options = {.limit = 5, .report = print_fault, .context = (void *)what};
    vef_replay_options replay = vef_replay_defaults();
    vef_replay_result result;
    uint64_t faults = 0;
    OK(vef_trace_open(path, &trace, NULL, error));
    OK(vef_check(trace, &options, &faults, error));
    if (faults > 0)
        fail_msg("%s: %d faults", what, (int)faults);
    vef_netmodel *network = network_by(script_mesh);
    OK(vef_replay(trace, network, every_task, &replay, NULL, &result, error));
    if (result.stall != VEF_STALL_NONE)
        fail_msg("%s: %s", what, result.stall_text);
    vef_replay_result_release(&result);
    vef_netmodel_destroy(network);
    vef_trace_close(trace);
}

static vef_code slice(const char *from, const vef_slice_options *options, const char *to,
                      vef_slice_result *result) {
    vef_trace *trace = NULL;
    vef_error why = {0};
    OK(vef_trace_open(from, &trace, NULL, error));
    vef_code code = vef_slice(trace, options, to, NULL, result, &why);
    if (code != VEF_OK && !(code == VEF_INVALID && strstr(why.message, "the slice is empty")))
        fail_msg("%s", why.message);
    vef_trace_close(trace);
    return code;
}

/* ---- formats ---- */

static vef_trace *open_trace(const char *path) {
    vef_trace *trace = NULL;
    OK(vef_trace_open(path, &trace, NULL, error));
    return trace;
}

static void assert_consistent(const char *path, const char *what, const char *how) {
    char both[600];
    uint64_t faults = 0;
    snprintf(both, sizeof both, "%s: %s", how, what);
    const vef_check_options options = {.limit = 5, .report = print_fault, .context = both};
    vef_trace *trace = open_trace(path);
    OK(vef_check(trace, &options, &faults, error));
    if (faults > 0)
        fail_msg("%s: %d faults", both, (int)faults);
    vef_trace_close(trace);
}

/* Out and back in each format that goes both ways. */
static void assert_formats(const char *path, const char *what) {
    for (const vef_format *format = vef_formats; format->name; format++) {
        char file[1024], back[1024];
        const char *suffix = strcmp(format->name, "otf2") == 0 ? "/traces.otf2" : "";
        const vef_format_options options = {.poll_gap_ns = 100};
        vef_format_report report;
        vef_error why = {0};
        if (!format->write || !format->read)
            continue;
        snprintf(file, sizeof file, "%s", scratch_path("derived.prv"));
        vef_trace *trace = open_trace(path);
        uint32_t threads = 0;
        for (uint32_t i = 0; i < TASKS; i++)
            threads += vef_trace_get_header(trace)->task[i].threads;
        vef_code code = format->write(file, trace, &options, &report, &why);
        vef_trace_close(trace);
        if (code == VEF_UNSUPPORTED) { /* built without its library; or in no one sequence */
            assert_true(strcmp(format->name, "otf2") == 0 ||
                        (strcmp(format->name, "vef-text") == 0 && threads > TASKS));
            continue;
        }
        if (code == VEF_OK) {
            snprintf(back, sizeof back, "%s", scratch_path("back.vef"));
            snprintf(file + strlen(file), sizeof file - strlen(file), "%s", suffix);
            code = format->read(file, back, &report, &why);
            file[strlen(file) - strlen(suffix)] = 0;
        }
        if (code)
            fail_msg("%s: %s: %s", format->name, what, why.message);
        assert_consistent(back, what, format->name);
        remove_folder(file);
    }
}

/* As text and back: the same text again. */
static void assert_text(const char *path, const char *what) {
    char *text[2], back[1024];
    size_t bytes[2];
    snprintf(back, sizeof back, "%s", scratch_path("text.vef"));
    for (int i = 0; i < 2; i++) {
        vef_trace *trace = open_trace(i ? back : path);
        FILE *out = open_memstream(&text[i], &bytes[i]);
        OK(vef_text_dump(trace, -1, out, error));
        fclose(out);
        vef_trace_close(trace);
        if (i == 0)
            OK(vef_text_assemble(text[0], bytes[0], "text", back, error));
    }
    assert_consistent(back, what, "text");
    assert_string_equal(text[0], text[1]);
    free(text[0]);
    free(text[1]);
}

/* ---- slices ---- */

static void cut_somewhere(const char *path, const char *part, vef_rng *rng, bool formats) {
    const uint64_t longest_ns = 250000;
    vef_slice_options options = {.drop_outside = vef_rng_below(rng, 3) == 0};
    vef_slice_result result;
    bool chosen[TASKS];
    char what[256];
    uint32_t kinds = 1 + vef_rng_below(rng, 15);
    uint64_t a = vef_rng_next(rng) % longest_ns, b = vef_rng_next(rng) % longest_ns;
    if (kinds & 1) {
        options.by_time = true;
        options.from_ns = a < b ? a : b;
        options.to_ns = (a < b ? b : a) + 1;
    }
    if (kinds & 2 && vef_rng_below(rng, 2)) {
        options.region = "iteration";
        options.first_entry = 1 + vef_rng_below(rng, 6);
        options.last_entry = options.first_entry + vef_rng_below(rng, 3);
    }
    if (kinds & 4 && vef_rng_below(rng, 2)) {
        static const char *const names[] = {"top", "Allreduce", "Isend", "Win_fence", "Sendrecv"};
        options.between = names[vef_rng_below(rng, 5)];
        options.first_call = 1 + vef_rng_below(rng, 4);
        options.last_call = options.first_call + vef_rng_below(rng, 4);
    }
    for (uint32_t i = 0; i < TASKS; i++)
        chosen[i] = vef_rng_below(rng, 2);
    if (kinds & 8)
        options.chosen = chosen;
    if (slice(path, &options, part, &result) != VEF_OK)
        return;
    snprintf(what, sizeof what,
             "time %d %llu-%llu, region %llu-%llu, %s %llu-%llu, tasks %d (%d%d%d%d%d%d%d%d), "
             "drop %d",
             options.by_time, (unsigned long long)options.from_ns,
             (unsigned long long)options.to_ns, (unsigned long long)options.first_entry,
             (unsigned long long)options.last_entry, options.between ? options.between : "-",
             (unsigned long long)options.first_call, (unsigned long long)options.last_call,
             options.chosen != NULL, chosen[0], chosen[1], chosen[2], chosen[3], chosen[4],
             chosen[5], chosen[6], chosen[7], options.drop_outside);
    assert_sound(part, what);
    assert_text(part, what);
    if (formats)
        assert_formats(part, what);
}

static void test_random_slices(void **state) {
    (void)state;
    char path[1024], part[1024], what[64];
    const char *rounds = getenv("VEF_ROUNDS");
    const uint64_t last = rounds && *rounds ? strtoull(rounds, NULL, 10) : 12;
    snprintf(path, sizeof path, "%s", scratch_path("whole.vef"));
    snprintf(part, sizeof part, "%s", scratch_path("part.vef"));
    for (uint64_t seed = 1; seed <= last; seed++) {
        random_program(path, seed);
        snprintf(what, sizeof what, "program %llu", (unsigned long long)seed);
        assert_sound(path, what);
        assert_text(path, what);
        assert_formats(path, what);
        vef_rng rng = vef_rng_make(seed, VEF_RNG_TEST, 78);
        for (int i = 0; i < 25; i++)
            cut_somewhere(path, part, &rng, rounds || i % 12 == 0);
    }
}

/* All of it is what it was, event by event. */
static void test_everything(void **state) {
    (void)state;
    char path[1024], part[1024];
    snprintf(path, sizeof path, "%s", scratch_path("whole.vef"));
    snprintf(part, sizeof part, "%s", scratch_path("part.vef"));
    random_program(path, 4); /* of one thread: read_task reads the first */
    const vef_slice_options options = {.by_time = true, .to_ns = UINT64_MAX};
    vef_slice_result result;
    assert_int_equal(slice(path, &options, part, &result), VEF_OK);
    assert_true(result.from_outside + result.unmatched_receives + result.unmatched_sends +
                    result.collectives + result.one_sided + result.requests ==
                0);
    for (uint32_t task = 0; task < TASKS; task++) {
        event_list before = read_task(path, task), after = read_task(part, task);
        assert_int_equal(before.count, after.count);
        for (size_t i = 1; i < before.count; i++) /* the computation before Init is outside */
            assert_same_event(&before.events[i], &after.events[i]);
        free_events(&before);
        free_events(&after);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_everything),
                                       cmocka_unit_test(test_random_slices)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
