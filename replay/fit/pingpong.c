/* Fitting a machine to measurements. See pingpong.h and docs/fit.md. */
#include "replay/fit/pingpong.h"

#include "common/containers/order.h"
#include "common/memory.h"
#include "replay/fit/segments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Fewer cannot show more than a line. */
enum { LEAST_SIZES = 8, LEAST_SAMPLES = 3, LEAST_POINTS = 4, EAGER_SEGMENTS = 6 };
enum { RENDEZVOUS_SEGMENTS = 4, CONTROL_BYTES = 32 /* the default of mpi.control_bytes */ };

/* Above these, measurements are of a busy machine. MPI libraries poll: a task with a core of its
 * own uses it all the time. */
static const double MOST_SPREAD = 0.5, LEAST_CPU_SHARE = 0.9, MOST_RESIDUAL = 0.25;

/* Times are only reproducible to about this, relatively. */
static const double LEAST_NOISE = 0.005;

enum { MEDIAN = 1 };

/* ---- costs ---- */

/* A power of two between two sizes, if there is one: where libraries switch; else the lower. */
static uint64_t breakpoint(uint64_t below, uint64_t above) {
    uint64_t power = 1;
    while (power < below)
        power *= 2;
    return power < above ? power : below;
}

/* As many digits as the file has (write.c), so that the fit is what a replay uses. */
static double rounded(double value, double step) {
    return round(value / step) * step;
}

static bool add_piece(vef_cost *cost, uint64_t up_to_bytes, double fixed_ns, double per_byte_ns) {
    if (cost->count == VEF_MOST_COST_PIECES)
        return false;
    cost->pieces[cost->count++] =
        (vef_cost_piece){up_to_bytes, rounded(fixed_ns, 0.1), rounded(per_byte_ns, 1e-5)};
    return true;
}

/* Fits points and appends the pieces; the last is up to `up_to_bytes`. */
static void add_pieces(const vef_fit_point *points, size_t count, uint32_t most,
                       uint64_t up_to_bytes, vef_cost *cost) {
    const vef_segment_limits limits = {most, LEAST_POINTS, LEAST_NOISE};
    vef_segmentation best;
    vef_segments_fit(points, count, &limits, &best);
    for (uint32_t i = 0; i < best.count; i++) {
        const vef_segment *segment = &best.segments[i];
        const uint64_t limit = i + 1 == best.count
                                   ? up_to_bytes
                                   : breakpoint((uint64_t)points[segment->end - 1].bytes,
                                                (uint64_t)points[segment->end].bytes);
        add_piece(cost, limit, segment->fixed_ns, segment->per_byte_ns);
    }
}

/* The medians as points of relative noise: the noise of a time grows with the time. */
static vef_fit_point *points_of(const vef_size_times *sizes, size_t count) {
    vef_fit_point *points = vef_calloc(count + 1, sizeof *points);
    for (size_t i = 0; i < count; i++)
        points[i] = (vef_fit_point){(double)sizes[i].bytes, sizes[i].quartile_ns[MEDIAN],
                                    sizes[i].quartile_ns[MEDIAN]};
    return points;
}

static size_t sizes_up_to(const vef_fit_quantity *quantity, uint64_t bytes) {
    size_t count = 0;
    while (count < quantity->count && quantity->sizes[count].bytes <= bytes)
        count++;
    return count;
}

/* Appends pieces for the sizes first … end - 1 of a quantity. */
static void fit_range(const vef_fit_quantity *quantity, size_t first, size_t end, uint32_t most,
                      uint64_t up_to_bytes, vef_cost *cost) {
    if (first == end)
        return;
    vef_fit_point *points = points_of(quantity->sizes + first, end - first);
    add_pieces(points, end - first, most, up_to_bytes, cost);
    free(points);
}

/* ---- the quantities ---- */

static vef_code need_sizes(const vef_fit_quantity *quantity, size_t first, size_t end, size_t least,
                           const char *what, vef_error *error) {
    if (end - first < least)
        return vef_fail(error, VEF_FAILED,
                        "too few measurements of %s: %zu sizes: expected at least %zu (--sizes, "
                        "--time)",
                        what, end - first, least);
    for (size_t i = first; i < end; i++)
        if (quantity->sizes[i].count < LEAST_SAMPLES)
            return vef_fail(error, VEF_FAILED,
                            "too few measurements of %s of %llu B: %zu: expected at least %d "
                            "(--repetitions, --time)",
                            what, (unsigned long long)quantity->sizes[i].bytes,
                            quantity->sizes[i].count, LEAST_SAMPLES);
    return VEF_OK;
}

/* Where measurements count: everywhere, and then a file must have them; between tasks of one node,
 * of whose memory they are; or also between nodes with a known network, as they are of a task. */
typedef enum measured_where { EVERYWHERE, IN_A_NODE, IN_A_TASK } measured_where;

/* The measurements of a part. */
typedef struct measured_part {
    vef_fit_part part;
    vef_sample_kind kind;
    const char *what;
    bool only_eager;
    measured_where where;
} measured_part;

static const measured_part measured_parts[] = {
    {VEF_FIT_HALF, VEF_SAMPLE_ROUNDTRIP, "round trips", false, EVERYWHERE},
    {VEF_FIT_ISEND, VEF_SAMPLE_ISEND, "Isend", false, EVERYWHERE},
    {VEF_FIT_SEND, VEF_SAMPLE_SEND, "Send", true, EVERYWHERE},
    {VEF_FIT_RECEIVE, VEF_SAMPLE_RECEIVE, "Recv", true, EVERYWHERE},
    {VEF_FIT_EXCHANGE, VEF_SAMPLE_EXCHANGE, "Sendrecv", false, IN_A_NODE},
    {VEF_FIT_COPY, VEF_SAMPLE_COPY, "copies", false, IN_A_TASK},
    {VEF_FIT_PUT, VEF_SAMPLE_PUT, "Put", false, IN_A_NODE},
    {VEF_FIT_GET, VEF_SAMPLE_GET, "Get", false, IN_A_NODE},
    {VEF_FIT_ACCUMULATE, VEF_SAMPLE_ACCUMULATE, "Accumulate", false, IN_A_NODE},
    {VEF_FIT_FLUSH, VEF_SAMPLE_FLUSH, "flushes", false, IN_A_NODE},
    {VEF_FIT_TRAIN, VEF_SAMPLE_TRAIN, "trains of messages", false, IN_A_NODE},
    {VEF_FIT_REDUCE, VEF_SAMPLE_REDUCE, "reductions", false, IN_A_TASK},
};

static bool counts(const vef_pingpong_fit *fit, measured_where where) {
    return where == EVERYWHERE || fit->one_node ||
           (where == IN_A_TASK && vef_fit_knows_network(fit));
}

static vef_code read_sizes(const vef_measurements *measurements, vef_pingpong_fit *fit,
                           vef_error *error) {
    const measured_part *read = measured_parts;
    vef_code code = VEF_OK;
    for (size_t i = 0; i < sizeof measured_parts / sizeof *read && code == VEF_OK; i++) {
        vef_fit_quantity *quantity = &fit->parts[read[i].part];
        vef_measurements_sizes(measurements, read[i].kind, &quantity->sizes, &quantity->count);
        if (read[i].only_eager)
            quantity->count = sizes_up_to(quantity, fit->eager_bytes);
        if (read[i].where != EVERYWHERE && /* older files lack some of these */
            (quantity->count < LEAST_SIZES || !counts(fit, read[i].where))) {
            quantity->count = 0;
            continue;
        }
        const size_t eager = sizes_up_to(quantity, fit->eager_bytes);
        code = need_sizes(quantity, 0, eager, LEAST_SIZES, read[i].what, error);
        if (code == VEF_OK && eager < quantity->count)
            code = need_sizes(quantity, eager, quantity->count, LEAST_POINTS, read[i].what, error);
    }
    return code;
}

/* The processor's work of sends and receives. Above the eager threshold a blocking send's own work
 * is that of Isend: the rest of Send is waiting for the receiver, or the transfer. A receive's is
 * that of the least message: it matches a request; the copy is part of the transfer. */
static void fit_overheads(vef_pingpong_fit *fit) {
    vef_fit_quantity *send = &fit->parts[VEF_FIT_SEND], *isend = &fit->parts[VEF_FIT_ISEND];
    vef_fit_quantity *receive = &fit->parts[VEF_FIT_RECEIVE];
    const size_t eager = sizes_up_to(isend, fit->eager_bytes);
    const bool more = eager < isend->count;
    const uint64_t limit = more ? fit->eager_bytes : UINT64_MAX;
    fit_range(send, 0, send->count, EAGER_SEGMENTS, limit, &send->cost);
    fit_range(isend, 0, eager, EAGER_SEGMENTS, limit, &isend->cost);
    fit_range(receive, 0, receive->count, EAGER_SEGMENTS, limit, &receive->cost);
    if (!more)
        return;
    const uint32_t eager_pieces = isend->cost.count;
    fit_range(isend, eager, isend->count, RENDEZVOUS_SEGMENTS, UINT64_MAX, &isend->cost);
    for (uint32_t i = eager_pieces; i < isend->cost.count; i++)
        send->cost.pieces[send->cost.count++] = isend->cost.pieces[i];
    add_piece(&receive->cost, UINT64_MAX, vef_cost_ns(&receive->cost, 1), 0);
}

/* What a known network takes (vef_net_delivery). */
static double network_ns(const vef_pingpong_fit *fit, uint64_t bytes) {
    const vef_fit_network *network = &fit->network;
    const double phits = (double)vef_packets_phits(&network->packets, bytes);
    return network->cycle_ns * (network->path_cycles + (phits - 1) * network->cycles_per_phit + 1);
}

/* The request and the clearance of a rendezvous in the replay, which are messages too. */
static double handshake_ns(const vef_pingpong_fit *fit, uint64_t bytes) {
    if (bytes <= fit->eager_bytes)
        return 0;
    if (vef_fit_knows_network(fit))
        return 2 * network_ns(fit, CONTROL_BYTES);
    return fit->one_node ? 2 * vef_cost_ns(&fit->parts[VEF_FIT_TRANSFER].cost, CONTROL_BYTES)
                         : 2 * fit->loggp.latency_ns;
}

static double overheads_ns(const vef_pingpong_fit *fit, uint64_t bytes) {
    return vef_cost_ns(&fit->parts[VEF_FIT_SEND].cost, bytes) +
           vef_cost_ns(&fit->parts[VEF_FIT_RECEIVE].cost, bytes);
}

/* Half a round trip but for what is to be fitted. */
static double known_ns(const vef_pingpong_fit *fit, uint64_t bytes) {
    return overheads_ns(fit, bytes) + handshake_ns(fit, bytes) +
           (vef_fit_knows_network(fit) ? network_ns(fit, bytes) : 0);
}

/* Points of the transfer time for sizes first … end - 1: what remains of half a round trip. The
 * noise is that of half a round trip. */
static void set_rest(vef_pingpong_fit *fit, size_t first, size_t end, vef_fit_point *points) {
    const vef_fit_quantity *half = &fit->parts[VEF_FIT_HALF];
    for (size_t i = first; i < end; i++) {
        const vef_size_times *size = &half->sizes[i];
        vef_size_times *rest = &fit->parts[VEF_FIT_TRANSFER].sizes[i];
        const double other_ns = known_ns(fit, size->bytes);
        *rest = *size;
        for (int q = 0; q < 3; q++)
            rest->quartile_ns[q] = fmax(0, size->quartile_ns[q] - other_ns);
        fit->negative += size->quartile_ns[MEDIAN] < other_ns;
        points[i] = (vef_fit_point){(double)size->bytes, rest->quartile_ns[MEDIAN],
                                    size->quartile_ns[MEDIAN]};
    }
}

static void fit_memory(vef_pingpong_fit *fit, vef_fit_point *points) {
    vef_fit_quantity *rest = &fit->parts[VEF_FIT_TRANSFER];
    const size_t eager = sizes_up_to(&fit->parts[VEF_FIT_HALF], fit->eager_bytes);
    vef_cost cost = {0};
    set_rest(fit, 0, eager, points);
    add_pieces(points, eager, EAGER_SEGMENTS, eager < rest->count ? fit->eager_bytes : UINT64_MAX,
               &cost);
    rest->cost = cost;
    if (eager == rest->count)
        return;
    set_rest(fit, eager, rest->count, points); /* with the handshake, now known */
    add_pieces(points + eager, rest->count - eager, RENDEZVOUS_SEGMENTS, UINT64_MAX, &rest->cost);
}

/* One line for overheads, the mean of both sides, and one for the rest. The latency of the
 * handshake is that of the line itself: 3 latencies above the threshold, so two passes. */
static void fit_loggp(vef_pingpong_fit *fit, vef_fit_point *points) {
    const vef_fit_quantity *half = &fit->parts[VEF_FIT_HALF];
    vef_fit_loggp *line = &fit->loggp;
    double fixed, per_byte;
    for (size_t i = 0; i < half->count; i++)
        points[i] = (vef_fit_point){(double)half->sizes[i].bytes,
                                    overheads_ns(fit, half->sizes[i].bytes) / 2,
                                    half->sizes[i].quartile_ns[MEDIAN]};
    vef_segment_line(points, half->count, &fixed, &per_byte);
    line->overhead_ns = round(fixed);
    line->overhead_per_byte_ns = rounded(per_byte, 1e-3);
    vef_cost both = vef_cost_of(line->overhead_ns, line->overhead_per_byte_ns);
    fit->parts[VEF_FIT_SEND].cost = fit->parts[VEF_FIT_ISEND].cost = both;
    fit->parts[VEF_FIT_RECEIVE].cost = both;
    const size_t eager = sizes_up_to(half, fit->eager_bytes);
    set_rest(fit, 0, eager, points);
    vef_segment_line(points, eager, &fixed, &per_byte);
    line->latency_ns = round(fixed);
    fit->negative = 0;
    set_rest(fit, 0, half->count, points);
    vef_segment_line(points, half->count, &fixed, &per_byte);
    line->latency_ns = round(fixed);
    line->gap_per_byte_ns = rounded(per_byte, 1e-3);
    fit->parts[VEF_FIT_TRANSFER].cost = vef_cost_of(line->latency_ns, line->gap_per_byte_ns);
}

static void fit_transfer(vef_pingpong_fit *fit) {
    vef_fit_quantity *half = &fit->parts[VEF_FIT_HALF], *rest = &fit->parts[VEF_FIT_TRANSFER];
    vef_fit_point *points = vef_calloc(half->count + 1, sizeof *points);
    rest->sizes = vef_calloc(half->count + 1, sizeof *rest->sizes);
    rest->count = half->count;
    if (vef_fit_knows_network(fit)) { /* the rest replaces the time of Recv after the arrival */
        fit->parts[VEF_FIT_RECEIVE].cost.count = 0;
        fit->parts[VEF_FIT_RECEIVE].count = 0;
    }
    if (fit->one_node || vef_fit_knows_network(fit))
        fit_memory(fit, points);
    else
        fit_loggp(fit, points);
    free(points);
}

/* The gap between the data of two messages that cross: an exchange takes half a round trip, and a
 * gap (docs/semantics.md, Memory). Of sizes whose round trip is measured too. */
static void fit_gap(vef_pingpong_fit *fit) {
    vef_fit_quantity *both = &fit->parts[VEF_FIT_EXCHANGE];
    const vef_fit_quantity *half = &fit->parts[VEF_FIT_HALF];
    vef_fit_point *points = vef_calloc(both->count + 1, sizeof *points);
    size_t count = 0, eager = 0;
    for (size_t i = 0, h = 0; i < both->count; i++) {
        const vef_size_times *size = &both->sizes[i];
        while (h < half->count && half->sizes[h].bytes < size->bytes)
            h++;
        if (h == half->count || half->sizes[h].bytes != size->bytes)
            continue;
        const double both_ns = size->quartile_ns[MEDIAN],
                     half_ns = half->sizes[h].quartile_ns[MEDIAN];
        points[count++] = (vef_fit_point){(double)size->bytes, fmax(0, both_ns - half_ns), both_ns};
        eager += size->bytes <= fit->eager_bytes;
    }
    if (eager > 0)
        add_pieces(points, eager, EAGER_SEGMENTS, eager < count ? fit->eager_bytes : UINT64_MAX,
                   &both->cost);
    if (eager < count)
        add_pieces(points + eager, count - eager, RENDEZVOUS_SEGMENTS, UINT64_MAX, &both->cost);
    free(points);
}

/* What does not change with the protocol at the eager threshold; trains may, within the segments.
 * A reduction has one time per byte: a line. */
static void fit_alone(vef_pingpong_fit *fit) {
    for (int part = VEF_FIT_COPY; part <= VEF_FIT_REDUCE; part++) {
        vef_fit_quantity *quantity = &fit->parts[part];
        const bool line = part == VEF_FIT_REDUCE;
        fit_range(quantity, 0, quantity->count, line ? 1 : EAGER_SEGMENTS, UINT64_MAX,
                  &quantity->cost);
    }
}

double vef_pingpong_fit_ns(const vef_pingpong_fit *fit, vef_fit_part part, uint64_t bytes) {
    const double own_ns = vef_cost_ns(&fit->parts[part].cost, bytes);
    if (part == VEF_FIT_EXCHANGE)
        return own_ns + vef_pingpong_fit_ns(fit, VEF_FIT_HALF, bytes);
    if (part != VEF_FIT_HALF)
        return own_ns;
    return known_ns(fit, bytes) + vef_cost_ns(&fit->parts[VEF_FIT_TRANSFER].cost, bytes);
}

/* ---- quality ---- */

VEF_ORDER_NUMBERS(compare, double)

/* The value below which that share of `values` is; sorts them. */
static double quantile(double *values, size_t count, double share) {
    qsort(values, count, sizeof *values, compare);
    return values[(size_t)(share * (double)(count - 1) + 0.5)];
}

static vef_fit_residuals residuals_of(double *values, size_t count) {
    if (count == 0)
        return (vef_fit_residuals){0};
    const double median = quantile(values, count, 0.5);
    return (vef_fit_residuals){count, median, quantile(values, count, 0.95)};
}

/* Relative to the measured time; of the transfer time to half a round trip, since it may be 0. */
static void set_residuals(vef_pingpong_fit *fit, vef_fit_part part) {
    vef_fit_quantity *quantity = &fit->parts[part];
    const vef_size_times *whole =
        part == VEF_FIT_TRANSFER ? fit->parts[VEF_FIT_HALF].sizes : quantity->sizes;
    double *values = vef_calloc(2 * quantity->count + 1, sizeof *values);
    double *decade = values + quantity->count, from = 1;
    size_t place = 0;
    for (size_t i = 0; i < quantity->count; i++) {
        const vef_size_times *size = &quantity->sizes[i];
        values[i] = fabs(vef_pingpong_fit_ns(fit, part, size->bytes) - size->quartile_ns[MEDIAN]) /
                    whole[i].quartile_ns[MEDIAN];
    }
    for (int d = 0; d < VEF_FIT_DECADES; d++, from *= 10) {
        size_t count = 0;
        for (; place < quantity->count && (double)quantity->sizes[place].bytes < from * 10; place++)
            decade[count++] = values[place];
        quantity->residuals[d] = residuals_of(decade, count);
    }
    quantity->overall = residuals_of(values, quantity->count);
    free(values);
}

static void set_spread(vef_pingpong_fit *fit) {
    const vef_fit_quantity *half = &fit->parts[VEF_FIT_HALF];
    double *values = vef_calloc(half->count + 1, sizeof *values);
    for (size_t i = 0; i < half->count; i++) {
        const double *quartile = half->sizes[i].quartile_ns;
        values[i] = (quartile[2] - quartile[0]) / quartile[MEDIAN];
    }
    fit->spread = quantile(values, half->count, 0.5);
    free(values);
}

static void set_doubt(vef_pingpong_fit *fit) {
    const vef_sample_facts *facts = &fit->facts;
    const vef_fit_residuals *half = &fit->parts[VEF_FIT_HALF].overall;
    fit->cpu_share = 1;
    for (int task = 0; task < 2; task++)
        if (facts->wall_ns[task] > 0)
            fit->cpu_share =
                fmin(fit->cpu_share, (double)facts->cpu_ns[task] / (double)facts->wall_ns[task]);
    if (fit->one_node && facts->cores[0] == 1)
        snprintf(fit->doubt, sizeof fit->doubt, "one core: the two tasks shared it");
    else if (fit->cpu_share < LEAST_CPU_SHARE)
        snprintf(fit->doubt, sizeof fit->doubt,
                 "busy machine, or tasks that share a core: a task ran for %.0f %% of the time: "
                 "expected at least %.0f %%",
                 100 * fit->cpu_share, 100 * LEAST_CPU_SHARE);
    else if (fit->spread > MOST_SPREAD)
        snprintf(fit->doubt, sizeof fit->doubt,
                 "busy machine: round trips of one size differ by %.0f %% (range of quartiles): "
                 "expected at most %.0f %%",
                 100 * fit->spread, 100 * MOST_SPREAD);
    else if (half->median > MOST_RESIDUAL)
        snprintf(fit->doubt, sizeof fit->doubt,
                 "poor fit: half a round trip is off by %.0f %% in the median: expected at most "
                 "%.0f %%",
                 100 * half->median, 100 * MOST_RESIDUAL);
}

vef_code vef_fit_network_of(vef_netmodel *model, vef_fit_network *network, vef_error *error) {
    const vef_net_message message = {.destination = 1, .bytes = 1};
    const vef_net_delivery *deliveries = NULL;
    size_t count = 0;
    if (!model->topology || model->endpoints < 2)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "expected a network of at least two endpoints with links");
    vef_code code = model->kind->inject(model, &message, error);
    while (code == VEF_OK && count == 0)
        code = model->kind->advance(model, VEF_FOREVER, &deliveries, &count, error);
    if (code == VEF_OK)
        *network =
            (vef_fit_network){.packets = {model->phit_bytes, model->header_bytes,
                                          model->payload_bytes ? model->payload_bytes : UINT64_MAX},
                              .cycle_ns = model->timing.cycle_ns,
                              .path_cycles = deliveries->path_cycles,
                              .cycles_per_phit = deliveries->cycles_per_phit};
    return code;
}

vef_code vef_pingpong_fit_to(const vef_measurements *measurements, const vef_fit_network *network,
                             vef_pingpong_fit *fit, vef_error *error) {
    size_t contradictions;
    *fit = (vef_pingpong_fit){.facts = measurements->facts};
    fit->one_node = strcmp(fit->facts.host[0], fit->facts.host[1]) == 0;
    if (network && fit->one_node)
        return vef_fail(error, VEF_FAILED,
                        "a network between two tasks on host '%s': expected two hosts",
                        fit->facts.host[0]);
    if (network)
        fit->network = *network;
    vef_code code =
        vef_measurements_threshold(measurements, &fit->eager_bytes, &contradictions, error);
    if (code == VEF_OK)
        code = read_sizes(measurements, fit, error);
    if (code != VEF_OK)
        return code;
    vef_fit_quantity *half = &fit->parts[VEF_FIT_HALF];
    fit->most_bytes = half->sizes[half->count - 1].bytes;
    set_spread(fit);
    for (size_t i = 0; i < half->count; i++)
        for (int q = 0; q < 3; q++)
            half->sizes[i].quartile_ns[q] /= 2;
    fit_overheads(fit);
    fit_transfer(fit);
    fit_gap(fit);
    fit_alone(fit);
    for (int part = 0; part < VEF_FIT_PARTS; part++)
        set_residuals(fit, (vef_fit_part)part);
    set_doubt(fit);
    return VEF_OK;
}

void vef_pingpong_fit_free(vef_pingpong_fit *fit) {
    for (int part = 0; part < VEF_FIT_PARTS; part++)
        free(fit->parts[part].sizes);
    *fit = (vef_pingpong_fit){0};
}
