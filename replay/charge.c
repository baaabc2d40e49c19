/* The processor time of messages, by the section `host` (replay/host/host.h). */
#include "replay/engine.h"

void vef_charges_prepare(vef_engine *engine) {
    const vef_host *host = &engine->options->host;
    engine->charges_sends =
        !vef_cost_is_zero(&host->send_overhead) || !vef_cost_is_zero(&host->isend_overhead);
    engine->charges_receives = !vef_cost_is_zero(&host->receive_overhead);
}

uint64_t vef_charge_send_cycles(const vef_engine *engine, uint64_t bytes, bool blocking) {
    const vef_host *host = &engine->options->host;
    const vef_cost *cost =
        blocking || host->isend_overhead.count == 0 ? &host->send_overhead : &host->isend_overhead;
    return vef_cycle_clock_round(engine->network, vef_cost_ns(cost, bytes));
}

uint64_t vef_charge_receive_cycles(const vef_engine *engine, const vef_transfer *transfer) {
    const vef_host *host = &engine->options->host;
    return vef_cycle_clock_round(engine->network,
                                 vef_cost_ns(&host->receive_overhead, transfer->bytes));
}
