/* The processor time of messages, by the section `host` (replay/host/host.h). */
#include "replay/engine/transfer.h"

void vef_charges_prepare(vef_engine *engine) {
    const vef_host *host = &engine->options->host;
    engine->charges_sends = !vef_cost_is_zero(&host->send_overhead) ||
                            !vef_cost_is_zero(&host->isend_overhead) ||
                            host->send_copy_ns_per_byte > 0;
    engine->charges_receives = !vef_cost_is_zero(&host->receive_overhead) ||
                               host->receive_copy_ns_per_byte > 0 || host->match_ns > 0;
    engine->charges_copies = !vef_cost_is_zero(&host->local_copy);
    engine->settles = engine->charges_receives || engine->options->eager_buffer_bytes;
}

uint64_t vef_charge_send_ps(const vef_engine *engine, uint64_t bytes, bool blocking, bool eager) {
    const vef_host *host = &engine->options->host;
    const vef_cost *cost =
        blocking || host->isend_overhead.count == 0 ? &host->send_overhead : &host->isend_overhead;
    const double copy_ns = eager ? host->send_copy_ns_per_byte * (double)bytes : 0;
    return vef_ps_of(vef_cost_ns(cost, bytes) + copy_ns);
}

uint64_t vef_charge_operation_ps(const vef_engine *engine, uint32_t task, uint16_t call,
                                 const vef_operation *operation) {
    const vef_cost *own = vef_call_kind(call) == VEF_KIND_ONE_SIDED && operation->peer >= 0 &&
                                  (uint32_t)operation->peer < engine->source->tasks &&
                                  vef_hosts_share(engine, task, (uint32_t)operation->peer)
                              ? vef_host_one_sided(&engine->options->host, call)
                              : NULL;
    if (own)
        return vef_ps_of(vef_cost_ns(own, operation->bytes));
    return engine->charges_sends
               ? vef_charge_send_ps(
                     engine, operation->bytes, operation->request == VEF_NO_REQUEST,
                     vef_transfer_is_eager(engine, operation->bytes, operation->flags))
               : 0;
}

uint64_t vef_charge_receive_ps(const vef_engine *engine, uint32_t record, bool unexpected) {
    const vef_transfer *transfer = &engine->matches.records[record];
    const vef_host *host = &engine->options->host;
    double ns = vef_cost_ns(&host->receive_overhead, transfer->bytes);
    if (unexpected && !(transfer->flags & VEF_TRANSFER_RENDEZVOUS))
        ns += host->receive_copy_ns_per_byte * (double)transfer->bytes;
    if (engine->search.ends)
        ns += host->match_ns * (double)engine->search.links[record].passed;
    return vef_ps_of(ns);
}
