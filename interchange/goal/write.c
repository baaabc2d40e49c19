/* Writing GOAL, the schedules of LogGOPSim (Hoefler, Schneider, Lumsdaine, "LogGOPSim: simulating
 * large-scale applications in the LogGOPS model", LSAP 2010) and ATLAHS, in their text form.
 *
 * A rank is a graph of send, recv and calc; `A requires B`: A starts once B has ended, `A irequires
 * B`: once B has started. A chain is the current position of a thread, or of a background
 * collective: the labels on which its next statement depends. Statements depend only on the start
 * of a message that is not waited for. Times are in ns, the unit of the simulator's L, o, g and G.
 */
#include "common/containers/grow.h"
#include "common/system/file.h"
#include "interchange/walk/walk.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    LONGEST_LIST = 8, /* maximum number of dependencies of a chain before a join replaces them */
    MOST_CPUS = 256,
};

typedef struct dependency {
    uint64_t label;
    bool start; /* on its start */
} dependency;

typedef struct chain {
    dependency *list;
    size_t count, capacity;
    uint32_t cpu, nic;
} chain;

typedef struct goal {
    FILE *out;
    chain *chains;
    size_t chain_count;
    uint64_t labels; /* given out in this rank */
    uint64_t lines;
} goal;

static chain *find_chain(goal *writer, uint32_t number) {
    vef_grow_zeroed(&writer->chains, &writer->chain_count, number + 1ull, sizeof *writer->chains);
    chain *on = &writer->chains[number];
    vef_grow(&on->list, &on->capacity, LONGEST_LIST, sizeof *on->list);
    return on;
}

/* Adds a dependency; one on an end implies one on the start. */
static void depend(chain *on, dependency added) {
    for (size_t i = 0; i < on->count; i++)
        if (on->list[i].label == added.label) {
            on->list[i].start = on->list[i].start && added.start;
            return;
        }
    *VEF_NEW_ITEM(on->list, on->count, on->capacity) = added;
}

/* After a statement of the chain: the chain depends only on it, which depends on all before.
 * Returns its label. */
static uint64_t depend_only(goal *writer, chain *on, bool start) {
    const uint64_t label = writer->labels++;
    for (size_t i = 0; i < on->count; i++)
        fprintf(writer->out, "l%" PRIu64 " %s l%" PRIu64 "\n", label,
                on->list[i].start ? "irequires" : "requires", on->list[i].label);
    writer->lines += 1 + on->count;
    on->count = 1;
    on->list[0] = (dependency){label, start};
    return label;
}

static void put_cpu(goal *writer, const chain *on, bool message) {
    if (on->cpu)
        fprintf(writer->out, " cpu %" PRIu32, on->cpu);
    if (message && on->nic)
        fprintf(writer->out, " nic %" PRIu32, on->nic);
    fputc('\n', writer->out);
}

static void compute(void *to, uint32_t number, uint64_t ns) {
    goal *writer = to;
    chain *on = find_chain(writer, number);
    fprintf(writer->out, "l%" PRIu64 ": calc %" PRIu64, writer->labels, ns);
    put_cpu(writer, on, false);
    depend_only(writer, on, false);
}

static void start(void *to, uint32_t number, vef_walk_message *message) {
    goal *writer = to;
    chain *on = find_chain(writer, number);
    fprintf(writer->out, "l%" PRIu64 ": %s %" PRIu64 "b %s %" PRIu32 " tag %" PRIu32,
            writer->labels, message->send ? "send" : "recv", message->bytes,
            message->send ? "to" : "from", message->peer, message->tag);
    put_cpu(writer, on, true);
    message->mark = depend_only(writer, on, true);
}

static void wait(void *to, uint32_t number, const vef_walk_message *const *messages, size_t count) {
    chain *on = find_chain(to, number);
    for (size_t i = 0; i < count; i++)
        depend(on, (dependency){messages[i]->mark, false});
    if (on->count > LONGEST_LIST)
        compute(to, number, 0);
}

static void copy(goal *writer, uint32_t from_number, uint32_t number, bool afresh) {
    find_chain(writer, from_number);
    chain *on = find_chain(writer, number); /* which may move the other */
    const chain *from = &writer->chains[from_number];
    if (afresh) {
        on->count = 0;
        on->cpu = from->cpu;
        on->nic = from->nic;
    }
    for (size_t i = 0; i < from->count; i++)
        depend(on, from->list[i]);
}

static void fork_chain(void *to, uint32_t from, uint32_t number) {
    copy(to, from, number, true);
}

static void join(void *to, uint32_t number, uint32_t other) {
    goal *writer = to;
    copy(writer, other, number, false);
    if (writer->chains[number].count > LONGEST_LIST)
        compute(to, number, 0);
}

/* The marks of read.c: the cpu and nic of a thread, and a calc that takes no time. */
static void mark(void *to, uint32_t number, const vef_event *event) {
    unsigned cpu, nic = 0;
    if (event->gap_ns == 0 && strncmp(event->name, "calc", 4) == 0) {
        compute(to, number, 0);
        return;
    }
    if (sscanf(event->name, "cpu %u nic %u", &cpu, &nic) < 1 || cpu >= MOST_CPUS ||
        nic >= MOST_CPUS)
        return;
    chain *on = find_chain(to, number);
    on->cpu = cpu;
    on->nic = nic;
}

static vef_code begin_task(void *to, uint32_t task, uint32_t threads, vef_error *error) {
    goal *writer = to;
    (void)error;
    writer->labels = 0;
    for (size_t i = 0; i < writer->chain_count; i++)
        writer->chains[i].count = 0;
    for (uint32_t i = 0; i < threads; i++) {
        chain *on = find_chain(writer, i);
        on->cpu = i % MOST_CPUS;
        on->nic = 0;
    }
    fprintf(writer->out, "\nrank %" PRIu32 " {\n", task);
    writer->lines += 2;
    return VEF_OK;
}

/* Readers of the format do not accept a rank without statements. */
static vef_code end_task(void *to, vef_error *error) {
    goal *writer = to;
    (void)error;
    if (writer->labels == 0)
        compute(to, 0, 0);
    fputs("}\n", writer->out);
    writer->lines++;
    return VEF_OK;
}

vef_code vef_goal_write(const char *path, vef_trace *trace, const vef_format_options *options,
                        vef_format_report *report, vef_error *error) {
    vef_output output;
    *report = (vef_format_report){0};
    vef_code code = vef_output_open(&output, path, error);
    if (code)
        return code;
    goal writer = {.out = output.stream};
    const vef_walk_sink sink = {.context = &writer,
                                .chains = true,
                                .begin_task = begin_task,
                                .compute = compute,
                                .start = start,
                                .wait = wait,
                                .fork = fork_chain,
                                .join = join,
                                .mark = mark,
                                .end_task = end_task};
    fprintf(writer.out, "num_ranks %" PRIu32 "\n", vef_trace_get_header(trace)->tasks);
    code = vef_walk(trace, options, &sink, report, error);
    report->lines = writer.lines + 1;
    for (size_t i = 0; i < writer.chain_count; i++)
        free(writer.chains[i].list);
    free(writer.chains);
    if (!code)
        return vef_output_commit(&output, error);
    vef_output_discard(&output);
    return code;
}
