/* The rows of causes. See causes.h. */
#include "replay/explain/causes.h"

#define ROW(cause, row_key, row_name, row_kind, text)                                              \
    [VEF_CAUSE_##                                                                                  \
        cause] = {.key = row_key, .name = row_name, .summary = text, .kind = VEF_CAUSE_##row_kind}

const vef_cause_row vef_causes[VEF_CAUSES] = {
    ROW(COMPUTING, "computing", "computing", BUSY, "computation between MPI calls"),
    ROW(OUTSIDE, "outside", "outside", BUSY, "calls that traces do not store"),
    ROW(OVERHEAD, "overhead", "overhead", BUSY,
        "the processor sends, receives, copies, or reduces for a collective"),
    ROW(LATE_SENDER, "late_sender", "late sender", WAITING,
        "a receive waits until the message is sent"),
    ROW(LATE_RECEIVER, "late_receiver", "late receiver", WAITING,
        "a send with a rendezvous waits until the receive is posted"),
    ROW(COLLECTIVE, "wait_at_collective", "wait at collective", WAITING,
        "both of these, for a message of a collective"),
    ROW(WINDOW, "wait_at_window", "wait at window", WAITING,
        "a synchronisation of a window waits for another task's call"),
    ROW(LOCAL, "wait_in_task", "wait in task", WAITING,
        "for another thread of the task, or a processor or interface that is busy"),
    ROW(HANDSHAKE, "handshake", "handshake", TRANSFER,
        "latency and serialisation of the request and answer of a rendezvous"),
    ROW(INJECTION, "injection", "injection", TRANSFER,
        "behind earlier messages of the same network interface"),
    ROW(SERIALISATION, "serialisation", "serialisation", TRANSFER,
        "the phits of the message cross the slowest link of its way one after another"),
    ROW(LATENCY, "latency", "latency", TRANSFER, "delays of the routers and links on its way"),
    ROW(CONTENTION, "contention", "contention", TRANSFER,
        "the rest: behind other messages at links, in queues and at the destination"),
    ROW(MEMORY, "memory", "memory", TRANSFER, "a message within a node"),
};

uint64_t vef_cause_sum(const vef_cause_ps *ps) {
    uint64_t sum = 0;
    for (unsigned cause = 0; cause < VEF_CAUSES; cause++)
        sum += ps->by_cause[cause];
    return sum;
}

void vef_cause_add(vef_cause_ps *to, const vef_cause_ps *added) {
    for (unsigned cause = 0; cause < VEF_CAUSES; cause++)
        to->by_cause[cause] += added->by_cause[cause];
}
