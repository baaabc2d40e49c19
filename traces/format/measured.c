/* How the times of a run were measured: see measured.h. */
#include "traces/format/measured.h"

#include "traces/event.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* ---- as bytes ---- */

const vef_measured_field vef_measured_fields[VEF_MEASURED_FIELDS] = {
#define FIELD(name)                                                                                \
    { #name, offsetof(vef_measured, name) }
    FIELD(run_ns),         FIELD(wall_ns),     FIELD(cpu_ns),
    FIELD(core_wait_ns),   FIELD(cpu_clock),   FIELD(threads),
    FIELD(host_tasks),     FIELD(host_cores),  FIELD(clock_compared_ns),
    FIELD(clock_error_ns), FIELD(clock_jumps),
#undef FIELD
};

uint64_t *vef_measured_at(vef_measured *measured, size_t field) {
    return (uint64_t *)(void *)((char *)measured + vef_measured_fields[field].offset);
}

uint64_t vef_measured_value(const vef_measured *measured, size_t field) {
    return *(const uint64_t *)(const void *)((const char *)measured +
                                             vef_measured_fields[field].offset);
}

void vef_measured_forget_times(vef_measured *measured) {
    measured->run_ns = measured->wall_ns = measured->cpu_ns = measured->core_wait_ns = 0;
}

bool vef_measured_has_times(const vef_measured *measured) {
    return measured->run_ns || measured->wall_ns || measured->cpu_ns || measured->core_wait_ns;
}

size_t vef_measured_bound(uint32_t count) {
    return VEF_VARINT_BYTES * (1 + VEF_MEASURED_FIELDS * (1 + (size_t)count));
}

/* The greatest power of 1000 that divides all numbers of a field, by its exponent. */
enum { EXPONENT_LIMIT = 6 }; /* 1000^6 < 2^63 */
static const uint64_t units[EXPONENT_LIMIT + 1] = {
    1, 1000, 1000000, 1000000000, 1000000000000, 1000000000000000, 1000000000000000000};

static unsigned exponent_of(const vef_measured *task, uint32_t count, size_t field) {
    unsigned exponent = EXPONENT_LIMIT;
    bool any = false;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t value = vef_measured_value(&task[i], field);
        any |= value != 0;
        while (value % units[exponent] != 0)
            exponent--;
    }
    return any ? exponent : 0;
}

uint8_t *vef_measured_put(uint8_t *to, const vef_measured *task, uint32_t count) {
    to = vef_put_varint(to, VEF_MEASURED_FIELDS);
    for (size_t field = 0; field < VEF_MEASURED_FIELDS; field++) {
        unsigned exponent = exponent_of(task, count, field);
        to = vef_put_varint(to, exponent);
        for (uint32_t i = 0; i < count; i++)
            to = vef_put_varint(to, vef_measured_value(&task[i], field) / units[exponent]);
    }
    return to;
}

void vef_measured_get(vef_cursor *from, bool rows, vef_measured *task, uint32_t count) {
    enum { ROW_FIELDS = 8 };
    for (uint32_t i = 0; rows && i < count; i++)
        for (size_t field = 0; field < ROW_FIELDS; field++)
            *vef_measured_at(&task[i], field) = vef_get_varint(from);
    const uint64_t fields = rows ? 0 : vef_get_varint(from);
    for (uint64_t field = 0; field < fields && !from->bad; field++) {
        uint64_t exponent = vef_get_varint(from);
        from->bad |= exponent > EXPONENT_LIMIT;
        for (uint32_t i = 0; i < count && !from->bad; i++) {
            uint64_t value = vef_get_varint(from) * units[exponent];
            if (field < VEF_MEASURED_FIELDS)
                *vef_measured_at(&task[i], field) = value;
        }
    }
}

size_t vef_calls_bound(void) {
    return 3 * VEF_VARINT_BYTES * vef_call_count();
}

uint8_t *vef_calls_put(uint8_t *to, const uint64_t *calls, const uint64_t *ns) {
    for (size_t call = 0; call < vef_call_count(); call++) {
        if (calls[call] == 0)
            continue;
        to = vef_put_varint(to, call);
        to = vef_put_varint(to, calls[call]);
        to = vef_put_varint(to, ns[call]);
    }
    return to;
}

void vef_calls_get(vef_cursor *from, uint64_t entries, uint64_t *calls, uint64_t *ns) {
    while (entries-- > 0 && from->next < from->end && !from->bad) {
        const uint64_t call = vef_get_varint(from), times = vef_get_varint(from);
        const uint64_t inside_ns = vef_get_varint(from);
        if (from->bad || call > UINT16_MAX || !vef_call_name((uint16_t)call))
            continue;
        calls[call] = times;
        ns[call] = inside_ns;
    }
}

/* ---- sentences ---- */

vef_measured_warning *const vef_measured_warnings[VEF_MEASURED_WARNINGS] = {
    vef_measured_crowded, vef_measured_clocks, vef_measured_drift, vef_measured_left_out};

/* Appends; truncates at the end of the buffer. */
static void add(char *text, size_t bytes, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void add(char *text, size_t bytes, const char *format, ...) {
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, bytes - used, format, arguments);
    va_end(arguments);
}

/* In double, since the numbers of a damaged file are arbitrary. */
static double seconds(uint64_t ns) {
    return (double)ns * 1e-9;
}

static uint64_t difference(const vef_measured *measured) {
    return measured->wall_ns > measured->cpu_ns ? measured->wall_ns - measured->cpu_ns
                                                : measured->cpu_ns - measured->wall_ns;
}

static bool differs(const vef_measured *measured) {
    enum { LEAST_NS = 1000000, ONE_IN = 20 };
    uint64_t greater = measured->wall_ns > measured->cpu_ns ? measured->wall_ns : measured->cpu_ns;
    return difference(measured) > LEAST_NS && difference(measured) > greater / ONE_IN;
}

static bool is_crowded(const vef_measured *measured) {
    uint64_t threads = measured->threads > 1 ? measured->threads : 1;
    return measured->host_cores > 0 && measured->host_tasks > measured->host_cores / threads;
}

/* With the CPU clock on a host with too few cores a difference is expected. */
static bool is_notable(const vef_measured *measured) {
    return differs(measured) && !(measured->cpu_clock && is_crowded(measured));
}

enum { FEW = 8 };

/* Names the tasks that a warning is about. Returns the one with the greatest value; NULL: there are
 * none. */
static const vef_measured *add_tasks(char *text, size_t bytes, const vef_measured_run *run,
                                     const char *warning, bool (*is_one)(const vef_measured *),
                                     uint64_t (*value)(const vef_measured *)) {
    const vef_measured *most = NULL;
    uint32_t count = 0, shown = 0;
    *text = '\0';
    for (uint32_t i = 0; run->task && i < run->tasks; i++) {
        const vef_measured *task = &run->task[i];
        if (is_one(task) && (count++ == 0 || value(task) > value(most)))
            most = task;
    }
    if (!most)
        return NULL;
    add(text, bytes, "%s in %" PRIu32 " of %" PRIu32 " tasks (", warning, count, run->tasks);
    for (uint32_t i = 0; i < run->tasks && shown < FEW; i++)
        if (is_one(&run->task[i]))
            add(text, bytes, "%s%" PRIu32, shown++ ? ", " : "", i);
    add(text, bytes, "%s), most in task %" PRIu32 ": ", count > FEW ? ", …" : "",
        (uint32_t)(most - run->task));
    return most;
}

bool vef_measured_clocks(const vef_measured_run *run, char *text, size_t bytes) {
    const vef_measured *most = add_tasks(
        text, bytes, run, "computation by wall clock and by CPU clock differs by more than 5 %",
        is_notable, difference);
    if (!most)
        return false;
    add(text, bytes, "%.6g s by wall clock, %.6g s by CPU clock", seconds(most->wall_ns),
        seconds(most->cpu_ns));
    add(text, bytes,
        most->cpu_clock
            ? ". The trace has CPU time, without what the program waited for between MPI calls "
              "(a core, I/O, sleep)"
            : ". The trace has wall time: other load on the host, I/O or sleep counts as "
              "computation in it. Other load: capture with --clock cpu, or on an idle host");
    return true;
}

static bool has_drifted(const vef_measured *measured) {
    enum { ONE_IN = 1000 };
    return measured->clock_jumps > 0 ||
           measured->clock_error_ns > measured->clock_compared_ns / ONE_IN;
}

static uint64_t clock_error(const vef_measured *measured) {
    return measured->clock_error_ns;
}

bool vef_measured_drift(const vef_measured_run *run, char *text, size_t bytes) {
    const vef_measured *most = add_tasks(
        text, bytes, run,
        "the time-stamp counter differed from CLOCK_MONOTONIC by more than 0.1 %, or jumped,",
        has_drifted, clock_error);
    if (!most)
        return false;
    add(text, bytes,
        "%.6g s in %.6g s, %" PRIu64
        " jump%s (a suspended host, a moved virtual machine). The "
        "times in the trace are wrong by as much",
        seconds(most->clock_error_ns), seconds(most->clock_compared_ns), most->clock_jumps,
        most->clock_jumps == 1 ? "" : "s");
    return true;
}

bool vef_measured_crowded(const vef_measured_run *run, char *text, size_t bytes) {
    uint32_t count = 0, first = 0;
    *text = '\0';
    for (uint32_t i = 0; run->task && i < run->tasks; i++)
        if (is_crowded(&run->task[i]) && count++ == 0)
            first = i;
    if (count == 0)
        return false;
    const vef_measured *task = &run->task[first];
    add(text, bytes, "%" PRIu64 " tasks", task->host_tasks);
    if (task->threads > 1)
        add(text, bytes, " of %" PRIu64 " threads", task->threads);
    add(text, bytes,
        " shared %" PRIu64
        " core%s, so the time in MPI is largely waiting for cores, and the "
        "efficiency is not the program's. A replay gives each thread a core",
        task->host_cores, task->host_cores == 1 ? "" : "s");
    return true;
}

/* A slice has no counts, but the header still has the options of the capture. */
static bool left_out_of_slice(const char *options, char *text, size_t bytes) {
    static const char *const keys[] = {", only: ", ", without: "};
    const char *slice = options ? strstr(options, "; slice:") : NULL;
    for (size_t i = 0; slice && i < sizeof keys / sizeof *keys; i++) {
        const char *found = strstr(options, keys[i]);
        if (!found || found > slice)
            continue;
        add(text, bytes,
            "calls were left out by choice (%.*s), which a slice does not count. A replay does not "
            "wait where they waited",
            (int)(slice - found - 2), found + 2);
        return true;
    }
    return false;
}

bool vef_measured_left_out(const vef_measured_run *run, char *text, size_t bytes) {
    const vef_left_out *left_out = run->left_out;
    double run_ns = 0, inside_ns = 0, calls = 0;
    size_t kinds = 0;
    *text = '\0';
    for (size_t call = 0; left_out && left_out->calls && call < vef_call_count(); call++) {
        if (left_out->calls[call] == 0)
            continue;
        calls += (double)left_out->calls[call];
        inside_ns += (double)left_out->ns[call];
        if (kinds++ < FEW)
            add(text, bytes, "%s%s", kinds > 1 ? ", MPI_" : "MPI_", vef_call_name((uint16_t)call));
    }
    if (kinds == 0)
        return left_out_of_slice(run->options, text, bytes);
    for (uint32_t i = 0; run->task && i < run->tasks; i++)
        run_ns += (double)run->task[i].run_ns;
    add(text, bytes, "%s: %.0f calls were left out by choice with the %.6g s inside them",
        kinds > FEW ? ", …" : "", calls, inside_ns * 1e-9);
    if (run_ns > 0)
        add(text, bytes, ", %.1f %% of the run's time", 100 * inside_ns / run_ns);
    add(text, bytes, ". A replay does not wait where they waited");
    return true;
}
