/* Measurements of the measuring program. See measurements.h. */
#include "replay/fit/measurements.h"

#include "common/containers/grow.h"
#include "common/containers/order.h"
#include "common/memory.h"
#include "common/system/file.h"
#include "common/system/file_kind.h"
#include "common/units.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS = 4, MOST_FILE_BYTES = 1 << 28 };

static const char *const kinds[VEF_SAMPLE_KINDS] = {[VEF_SAMPLE_ROUNDTRIP] = "roundtrip",
                                                    [VEF_SAMPLE_EXCHANGE] = "exchange",
                                                    [VEF_SAMPLE_COPY] = "copy",
                                                    [VEF_SAMPLE_SEND] = "send",
                                                    [VEF_SAMPLE_ISEND] = "isend",
                                                    [VEF_SAMPLE_RECEIVE] = "receive",
                                                    [VEF_SAMPLE_BLOCKED] = "blocked",
                                                    [VEF_SAMPLE_CLOCK] = "clock",
                                                    [VEF_SAMPLE_PUT] = "put",
                                                    [VEF_SAMPLE_GET] = "get",
                                                    [VEF_SAMPLE_ACCUMULATE] = "accumulate",
                                                    [VEF_SAMPLE_FLUSH] = "flush",
                                                    [VEF_SAMPLE_TRAIN] = "train",
                                                    [VEF_SAMPLE_REDUCE] = "reduce"};

static const char FIRST[] = "# vefpingpong 1", HEAD[] = "kind,bytes,ns,delay_ns";

/* ---- reading ---- */

/* A fact as the rest of a line behind "# ". Unknown keys are comments. */
static vef_code read_fact(char *text, vef_sample_facts *facts, vef_error *error) {
    char *save = NULL, *key = strtok_r(text, " ", &save), *task = strtok_r(NULL, " ", &save);
    char *value = strtok_r(NULL, "", &save);
    if (!value || (strcmp(task, "0") != 0 && strcmp(task, "1") != 0))
        return VEF_OK;
    const size_t t = *task == '1';
    if (strcmp(key, "library") == 0)
        snprintf(facts->library, sizeof facts->library, "%s", value);
    else if (strcmp(key, "host") == 0)
        snprintf(facts->host[t], sizeof facts->host[t], "%s", value);
    const struct {
        const char *key;
        uint64_t *value;
    } numbers[] = {{"cores", &facts->cores[t]},
                   {"wall_ns", &facts->wall_ns[t]},
                   {"cpu_ns", &facts->cpu_ns[t]},
                   {"seed", &facts->seed[t]},
                   {"warm", &facts->warm[t]}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(key, numbers[i].key) == 0)
            return vef_parse_uint(value, key, numbers[i].value, error);
    return VEF_OK;
}

static vef_code read_time(const char *text, const char *what, double *ns, vef_error *error) {
    uint64_t whole;
    vef_code code = vef_parse_uint(text, what, &whole, error);
    *ns = code == VEF_OK ? (double)whole : 0;
    return code;
}

static vef_code read_sample(char *text, vef_sample *sample, vef_error *error) {
    char *fields[FIELDS], *rest = text;
    size_t count = 0;
    for (char *field; (field = strsep(&rest, ",")) != NULL; count++)
        if (count < FIELDS)
            fields[count] = field;
    if (count != FIELDS)
        return vef_fail(error, VEF_INVALID, "%zu fields: expected %d: %s", count, FIELDS, HEAD);
    size_t kind = 0;
    while (kind < VEF_SAMPLE_KINDS && strcmp(fields[0], kinds[kind]) != 0)
        kind++;
    if (kind == VEF_SAMPLE_KINDS)
        return vef_fail(
            error, VEF_INVALID,
            "unknown kind '%s': expected roundtrip, exchange, copy, send, isend, receive, "
            "blocked, clock, put, get, accumulate, flush, train or reduce",
            fields[0]);
    sample->kind = (vef_sample_kind)kind;
    vef_code code = vef_parse_uint(fields[1], "bytes", &sample->bytes, error);
    if (code == VEF_OK && kind != VEF_SAMPLE_CLOCK && sample->bytes == 0)
        code = vef_fail(error, VEF_INVALID, "bytes: out of range: expected at least 1");
    if (code == VEF_OK)
        code = read_time(fields[2], "ns", &sample->ns, error);
    return code == VEF_OK ? read_time(fields[3], "delay_ns", &sample->delay_ns, error) : code;
}

/* One line; `*began`: the head is behind. */
static vef_code read_line(char *line, size_t number, bool *began, vef_measurements *measurements,
                          vef_error *error) {
    vef_sample sample;
    if (number == 1)
        return strcmp(line, FIRST) == 0
                   ? VEF_OK
                   : vef_fail(error, VEF_INVALID,
                              "not a file of measurements: expected the line '%s'", FIRST);
    if (*line == '\0')
        return VEF_OK;
    if (*line == '#')
        return read_fact(line + 1, &measurements->facts, error);
    if (!*began) {
        *began = strcmp(line, HEAD) == 0;
        return *began ? VEF_OK
                      : vef_fail(error, VEF_INVALID, "'%.40s': expected the line '%s'", line, HEAD);
    }
    vef_code code = read_sample(line, &sample, error);
    if (code == VEF_OK)
        vef_measurements_add(measurements, &sample);
    return code;
}

vef_code vef_measurements_read(const char *path, vef_measurements *measurements, vef_error *error) {
    char *text, *rest;
    size_t bytes, number = 1;
    bool began = false;
    *measurements = (vef_measurements){0};
    vef_code code = vef_file_read(path, MOST_FILE_BYTES, &text, &bytes, error);
    if (code != VEF_OK)
        return code;
    rest = text;
    for (char *line; code == VEF_OK && (line = strsep(&rest, "\n")) != NULL; number++) {
        if ((size_t)(line - text) + strlen(line) < bytes && !rest)
            code = vef_fail(error, VEF_INVALID, "a zero byte: expected text");
        else if (!rest && *line != '\0')
            code = vef_fail(error, VEF_INVALID, "the line is cut: expected a line feed at its end");
        else
            code = read_line(line, number, &began, measurements, error);
        if (code == VEF_INVALID)
            vef_fail_within(error, "%s:%zu", path, number);
    }
    free(text);
    vef_measurements_sort(measurements);
    return code == VEF_OK
               ? code
               : vef_fail_kind(error, path, "measurements", "measurements of vef fit --save");
}

void vef_measurements_add(vef_measurements *measurements, const vef_sample *sample) {
    *VEF_NEW_ITEM(measurements->samples, measurements->count, measurements->room) = *sample;
}

VEF_ORDER_BY(compare, vef_sample, kind, bytes, ns)

void vef_measurements_sort(vef_measurements *measurements) {
    if (measurements->count > 0)
        qsort(measurements->samples, measurements->count, sizeof *measurements->samples, compare);
}

void vef_measurements_free(vef_measurements *measurements) {
    free(measurements->samples);
    *measurements = (vef_measurements){0};
}

/* ---- sizes ---- */

/* The samples of one kind. */
static const vef_sample *of_kind(const vef_measurements *measurements, vef_sample_kind kind,
                                 size_t *count) {
    size_t first = 0, end;
    while (first < measurements->count && measurements->samples[first].kind != kind)
        first++;
    for (end = first; end < measurements->count && measurements->samples[end].kind == kind; end++)
        ;
    *count = end - first;
    return measurements->samples + first;
}

/* The samples with the size of the first. */
static size_t same_size(const vef_sample *samples, size_t count) {
    size_t same = 1;
    while (same < count && samples[same].bytes == samples[0].bytes)
        same++;
    return same;
}

/* A quantile of sorted times, between the two nearest. */
static double quantile(const vef_sample *samples, size_t count, double share) {
    const double position = share * (double)(count - 1);
    const size_t below = (size_t)position, above = below + 1 < count ? below + 1 : below;
    return samples[below].ns + (position - (double)below) * (samples[above].ns - samples[below].ns);
}

void vef_measurements_sizes(const vef_measurements *measurements, vef_sample_kind kind,
                            vef_size_times **sizes, size_t *count) {
    size_t clock_count, sample_count;
    const vef_sample *clock = of_kind(measurements, VEF_SAMPLE_CLOCK, &clock_count);
    const vef_sample *sample = of_kind(measurements, kind, &sample_count);
    const double clock_ns = clock_count > 0 ? quantile(clock, clock_count, 0.5) : 0;
    *count = 0;
    *sizes = vef_calloc(sample_count + 1, sizeof **sizes);
    for (size_t same; sample_count > 0; sample += same, sample_count -= same) {
        same = same_size(sample, sample_count);
        vef_size_times *size = &(*sizes)[(*count)++];
        *size = (vef_size_times){.bytes = sample->bytes, .count = same};
        for (int q = 0; q < 3; q++) {
            const double ns = quantile(sample, same, 0.25 * (q + 1)) - clock_ns;
            size->quartile_ns[q] = ns > 1 ? ns : 1; /* a time is not below the clock's step */
        }
    }
}

/* ---- the eager threshold ---- */

static bool blocks(const vef_sample *samples, size_t count) {
    size_t votes = 0;
    for (size_t i = 0; i < count; i++)
        votes += samples[i].ns >= samples[i].delay_ns / 2;
    return 2 * votes > count;
}

vef_code vef_measurements_threshold(const vef_measurements *measurements, uint64_t *eager_bytes,
                                    size_t *contradictions, vef_error *error) {
    size_t count, blocked = 0, same, below_blocked = 0, below_free = 0;
    const vef_sample *samples = of_kind(measurements, VEF_SAMPLE_BLOCKED, &count);
    if (count == 0)
        return vef_fail(error, VEF_FAILED,
                        "no samples of kind 'blocked': the eager threshold is not measured");
    size_t free_sizes = 0;
    for (size_t i = 0; i < count; i += same) {
        same = same_size(samples + i, count - i);
        if (blocks(samples + i, same))
            blocked++;
        else
            free_sizes++;
    }
    /* T = 0 first, then T after each size. */
    *eager_bytes = 0;
    *contradictions = free_sizes;
    for (size_t i = 0; i < count; i += same) {
        same = same_size(samples + i, count - i);
        if (blocks(samples + i, same))
            below_blocked++;
        else
            below_free++;
        if (below_blocked + free_sizes - below_free < *contradictions) {
            *contradictions = below_blocked + free_sizes - below_free;
            *eager_bytes = samples[i].bytes;
        }
    }
    if (blocked == *contradictions && free_sizes > 0 && *eager_bytes == samples[count - 1].bytes)
        *eager_bytes = UINT64_MAX;
    return VEF_OK;
}
