/* Bernoulli injection: in every cycle an endpoint sends a message with the probability `rate`,
 * whatever it did before; never two in a cycle.
 *
 * The cycles between messages are geometric, drawn by inversion: with u uniform in (0, 1], the
 * number of cycles without a message, floor(log u / log(1 - rate)), is at least k with the
 * probability (1 - rate)^k. */
#include "netmodel/traffic/kinds.h"

#include <math.h>

static const vef_param schema[] = {{.key = NULL}};

enum { INVERSE_LOG_OF_SILENCE };

static vef_code prepare(vef_process *process, vef_error *error) {
    if (process->rate > 1)
        return vef_fail(error, VEF_INVALID,
                        "%.6g phits per cycle and endpoint in messages of %.6g phits are %.6g "
                        "messages per cycle, and a Bernoulli process sends at most one: expected "
                        "at most %.6g phits, longer messages or another process (poisson)",
                        process->rate * process->mean_phits, process->mean_phits, process->rate,
                        process->mean_phits);
    process->constants[INVERSE_LOG_OF_SILENCE] = 1 / log1p(-process->rate); /* -0 for rate 1 */
    return VEF_OK;
}

static uint64_t silent_cycles(const vef_process *process, vef_rng *rng) {
    const double u = 1 - vef_rng_unit(rng);
    return vef_process_cycles(log(u) * process->constants[INVERSE_LOG_OF_SILENCE]);
}

static uint64_t first_cycles(const vef_process *process, vef_process_memory *memory, vef_rng *rng) {
    (void)memory;
    return silent_cycles(process, rng);
}

static uint64_t gap_cycles(const vef_process *process, vef_process_memory *memory, vef_rng *rng) {
    (void)memory;
    const uint64_t silent = silent_cycles(process, rng);
    return silent == VEF_FOREVER ? silent : silent + 1;
}

const vef_process_kind vef_process_bernoulli = {
    .name = "bernoulli",
    .summary = "at most one message per cycle, with constant probability",
    .schema = schema,
    .prepare = prepare,
    .first_cycles = first_cycles,
    .gap_cycles = gap_cycles,
    .samples = VEF_LIST("{}"),
};
