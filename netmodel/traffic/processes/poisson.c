/* Poisson injection: the times between the messages of an endpoint are exponential, whatever it
 * sent before, so that the messages of any time are Poisson distributed (Camara et al., TPDS 2010,
 * section 6.2; Camarero et al., "Task Mapping in Rectangular Twisted Tori", section 4.1). Times are
 * real numbers, of which a message has the whole cycles: several may fall in one. */
#include "netmodel/traffic/kinds.h"

#include <math.h>

static const vef_param schema[] = {{.key = NULL}};

enum { MEAN_CYCLES }; /* the constant */
enum { FRACTION };    /* of a cycle by which the last message came after its cycle began */

static vef_code prepare(vef_process *process, vef_error *error) {
    (void)error; /* any rate will do */
    process->constants[MEAN_CYCLES] = 1 / process->rate;
    return VEF_OK;
}

static uint64_t gap_cycles(const vef_process *process, vef_process_memory *memory, vef_rng *rng) {
    const double time =
        memory->words[FRACTION] - log(1 - vef_rng_unit(rng)) * process->constants[MEAN_CYCLES];
    const uint64_t whole = vef_process_cycles(time);
    memory->words[FRACTION] = time - (double)whole;
    return whole;
}

const vef_process_kind vef_process_poisson = {
    .name = "poisson",
    .summary = "exponential times between messages; a cycle may have several messages",
    .schema = schema,
    .prepare = prepare,
    .first_cycles = gap_cycles, /* the time that is left of an exponential one is as long */
    .gap_cycles = gap_cycles,
    .samples = VEF_LIST("{}"),
};
