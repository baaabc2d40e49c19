/* The machine file of a fit. See pingpong.h. */
#include "common/units.h"
#include "replay/fit/pingpong.h"

#include <inttypes.h>

/* A text of a file of measurements in a comment. */
static void write_text(const char *text, FILE *out) {
    for (; *text; text++)
        fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
}

static void write_origin(const vef_pingpong_fit *fit, FILE *out) {
    const vef_sample_facts *facts = &fit->facts;
    const vef_fit_quantity *half = &fit->parts[VEF_FIT_HALF];
    char least[VEF_QUANTITY_TEXT_BYTES], most[VEF_QUANTITY_TEXT_BYTES];
    fputs("# Written by vef fit pingpong (docs/fit.md).\n# Measured: ", out);
    write_text(facts->library, out);
    fputs(fit->one_node ? "\n# Two tasks on " : "\n# One task on ", out);
    write_text(*facts->host[0] ? facts->host[0] : "an unnamed host", out);
    if (!fit->one_node) {
        fputs(", one on ", out);
        write_text(facts->host[1], out);
    }
    fprintf(out, "; %zu sizes from %s to %s, seed %" PRIu64 "\n", half->count,
            vef_format_bytes(least, half->sizes[0].bytes), vef_format_bytes(most, fit->most_bytes),
            facts->seed[0]);
    if (facts->warm[0])
        fputs("# Warm buffers: times of messages whose data are in caches\n", out);
    fprintf(
        out,
        "# Spread of round trips of one size (quartiles, median over sizes): %.1f %%. Least CPU "
        "share of a task: %.0f %%\n",
        100 * fit->spread, 100 * fit->cpu_share);
    if (*fit->doubt)
        fprintf(out, "# NOT RELIABLE: %s\n", fit->doubt);
}

/* The parts of a fit that the file names: the column of its residuals, and its key in the section
 * host, if it is a cost of that section by size. */
static const struct {
    vef_fit_part part;
    const char *title, *key;
} parts[] = {
    {VEF_FIT_SEND, "send", "send_overhead"},
    {VEF_FIT_ISEND, "isend", "isend_overhead"},
    {VEF_FIT_RECEIVE, "receive", "receive_overhead"},
    {VEF_FIT_TRANSFER, "transfer", "memory_time"},
    {VEF_FIT_HALF, "half trip", NULL},
    {VEF_FIT_EXCHANGE, "exchange", "memory_gap"},
    {VEF_FIT_COPY, "copy", "local_copy"},
    {VEF_FIT_PUT, "put", "put_time"},
    {VEF_FIT_GET, "get", "get_time"},
    {VEF_FIT_ACCUMULATE, "accumulate", "accumulate_time"},
    {VEF_FIT_FLUSH, "flush", "flush_time"},
    {VEF_FIT_TRAIN, "train", "memory_receive_gap"},
    {VEF_FIT_REDUCE, "reduce", NULL},
};

enum { WRITTEN_PARTS = sizeof parts / sizeof *parts };

/* One line per decade of sizes with measurements. */
static void write_residuals(const vef_pingpong_fit *fit, FILE *out) {
    fputs(
        "#\n# Relative residuals in %: median / 95th percentile over the sizes of a decade\n"
        "#   sizes from",
        out);
    for (size_t i = 0; i < WRITTEN_PARTS; i++)
        fprintf(out, "%13s", parts[i].title);
    fputc('\n', out);
    double from = 1;
    for (int d = 0; d < VEF_FIT_DECADES; d++, from *= 10) {
        if (fit->parts[VEF_FIT_HALF].residuals[d].count == 0)
            continue;
        fprintf(out, "#   %8.0f B", from);
        for (size_t i = 0; i < WRITTEN_PARTS; i++) {
            const vef_fit_residuals *residuals = &fit->parts[parts[i].part].residuals[d];
            if (residuals->count == 0)
                fputs("            -", out);
            else
                fprintf(out, "  %4.1f / %4.1f", 100 * residuals->median, 100 * residuals->p95);
        }
        fputc('\n', out);
    }
    fputs("# transfer: relative to half a round trip, of which it is the rest\n", out);
    if (fit->negative > 0)
        fprintf(
            out,
            "# %zu sizes: the overheads exceed half a round trip, since copies overlap; transfer "
            "time 0 there\n",
            fit->negative);
}

static void write_cost(const char *key, const vef_cost *cost, FILE *out) {
    char size[VEF_QUANTITY_TEXT_BYTES];
    fprintf(out, "  %s:\n", key);
    for (uint32_t i = 0; i < cost->count; i++) {
        const vef_cost_piece *piece = &cost->pieces[i];
        fputs("    - {", out);
        if (piece->up_to_bytes != UINT64_MAX)
            fprintf(out, "up_to: %s, ", vef_format_bytes(size, piece->up_to_bytes));
        fprintf(out, "fixed: %.1f ns, per_byte: %.5f ns}\n", piece->fixed_ns, piece->per_byte_ns);
    }
}

static void write_host(const vef_pingpong_fit *fit, FILE *out) {
    fputs("host:\n", out);
    if (fit->one_node && fit->facts.cores[0] > 0)
        fprintf(out, "  cores: %" PRIu64 "    # tasks of a node with --map block\n",
                fit->facts.cores[0]);
    for (size_t i = 0; i < WRITTEN_PARTS; i++)
        if (parts[i].key && fit->parts[parts[i].part].count > 0)
            write_cost(parts[i].part == VEF_FIT_TRANSFER && !fit->one_node ? "receive_overhead"
                                                                           : parts[i].key,
                       &fit->parts[parts[i].part].cost, out);
    if (fit->parts[VEF_FIT_REDUCE].count > 0)
        fprintf(out, "  reduce_cost: %.5f    # ns per byte\n",
                fit->parts[VEF_FIT_REDUCE].cost.pieces[0].per_byte_ns);
    if (fit->one_node)
        fputs("model: ideal\nlink: {bandwidth: 8 Gbit/s, phit: 1 B}    # 1 cycle = 1 ns\n", out);
}

static void write_loggp(const vef_pingpong_fit *fit, FILE *out) {
    const vef_fit_loggp *line = &fit->loggp;
    const uint64_t eager = fit->eager_bytes < fit->most_bytes ? fit->eager_bytes : fit->most_bytes;
    fprintf(out,
            "model: loggp\nlatency: %.0f ns\noverhead: %.0f ns\ngap: 0 ns    # not measured\n"
            "gap_per_byte: %.3f ns\noverhead_per_byte: %.3f ns\nrendezvous_bytes: %" PRIu64 " B\n",
            line->latency_ns, line->overhead_ns, line->gap_per_byte_ns, line->overhead_per_byte_ns,
            eager);
}

void vef_pingpong_fit_write(const vef_pingpong_fit *fit, FILE *out) {
    char size[VEF_QUANTITY_TEXT_BYTES];
    write_origin(fit, out);
    write_residuals(fit, out);
    if (fit->eager_bytes == UINT64_MAX)
        fprintf(out, "mpi:\n  eager_threshold: %s    # the largest measured: none blocks\n",
                vef_format_bytes(size, fit->most_bytes));
    else
        fprintf(out, "mpi:\n  eager_threshold: %s\n", vef_format_bytes(size, fit->eager_bytes));
    if (fit->one_node || vef_fit_knows_network(fit))
        write_host(fit, out);
    else
        write_loggp(fit, out);
}
