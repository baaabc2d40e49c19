/* Bursts: an endpoint is on or off. While it is on it offers `peak` phits per cycle: its messages
 * follow each other at equal distances, of a message's mean length divided by the peak. After each
 * message the burst ends with the probability 1 / messages, so that bursts have `messages` messages
 * on average, geometrically distributed, and the endpoint is off for an exponential time, as long
 * on average as makes the rate what is asked for: messages x (1 / rate - distance).
 *
 * The gaps between messages are therefore independent of each other: the distance, and with the
 * probability 1 / messages an exponential time beside it; their mean is 1 / rate exactly. A stream
 * begins in the middle of such a gap, as if it had been running for ever. */
#include "netmodel/traffic/kinds.h"

#include <math.h>

typedef struct parameters {
    double messages, peak;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(REAL, parameters, messages), .fallback = "8", .minimum = 1, .maximum = 1e9,
     .help = "mean number of messages in a burst"},
    {VEF_KEY(REAL, parameters, peak), .fallback = "1", .minimum = 1e-6, .maximum = 1e6,
     .help = "load during a burst, in phits per cycle"},
    {.key = NULL},
};

enum { DISTANCE_CYCLES, OFF_CYCLES, END_PROBABILITY };
enum { FRACTION }; /* of a cycle by which the last message came after its cycle began */

static vef_code prepare(vef_process *process, vef_error *error) {
    const parameters *given = process->parameters;
    const double load = process->rate * process->mean_phits;
    if (load > given->peak * (1 + 1e-12)) /* the load went through a division */
        return vef_fail(error, VEF_INVALID,
                        "%.6g phits per cycle and endpoint in bursts of %.6g: out of range: "
                        "expected at most %.6g, or a greater peak",
                        load, given->peak, given->peak);
    const double distance = process->mean_phits / given->peak;
    process->constants[DISTANCE_CYCLES] = distance;
    process->constants[OFF_CYCLES] = given->messages * fmax(1 / process->rate - distance, 0);
    process->constants[END_PROBABILITY] = 1 / given->messages;
    return VEF_OK;
}

static uint64_t take(vef_process_memory *memory, double gap) {
    const double time = memory->words[FRACTION] + gap;
    const uint64_t whole = vef_process_cycles(time);
    memory->words[FRACTION] = time - (double)whole;
    return whole;
}

static double off_cycles(const vef_process *process, vef_rng *rng) {
    return -log(1 - vef_rng_unit(rng)) * process->constants[OFF_CYCLES];
}

/* The time off after the distance, if any. */
static double off_behind(const vef_process *process, vef_rng *rng) {
    if (vef_rng_unit(rng) >= process->constants[END_PROBABILITY])
        return 0;
    return off_cycles(process, rng);
}

/* Time 0 falls into the distance with the probability of its share of a mean gap, and then anywhere
 * in it; else into the time off, of which an exponential time is left. */
static uint64_t first_cycles(const vef_process *process, vef_process_memory *memory, vef_rng *rng) {
    const double distance = process->constants[DISTANCE_CYCLES];
    if (vef_rng_unit(rng) >= distance * process->rate)
        return take(memory, off_cycles(process, rng));
    const double left = vef_rng_unit(rng) * distance;
    return take(memory, left + off_behind(process, rng));
}

static uint64_t gap_cycles(const vef_process *process, vef_process_memory *memory, vef_rng *rng) {
    return take(memory, process->constants[DISTANCE_CYCLES] + off_behind(process, rng));
}

const vef_process_kind vef_process_bursts = {
    .name = "bursts",
    .summary = "bursts of messages at a peak load, with exponential times between them (on/off)",
    VEF_PARAMETERS(schema, parameters),
    .prepare = prepare,
    .first_cycles = first_cycles,
    .gap_cycles = gap_cycles,
    .samples =
        VEF_LIST("{}", "{messages: 1}", "{messages: 30, peak: 4}", "{messages: 2.5, peak: 0.5}"),
};
