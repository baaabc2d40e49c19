/* Messages between two tasks, and what they cost the processors (transfer.c); messages to all
 * (broadcast.c). */
#ifndef VEF_REPLAY_ENGINE_TRANSFER_H
#define VEF_REPLAY_ENGINE_TRANSFER_H

#include "replay/engine/hosts.h"

/* ---- cost ---- */

/* Whether a send of this size is eager unless its receiver has no room. */
static inline bool vef_transfer_is_eager(const vef_engine *engine, uint64_t bytes,
                                         uint16_t operation_flags) {
    if (operation_flags & (VEF_OP_BUFFERED | VEF_OP_READY | VEF_OP_UNMATCHED))
        return true;
    return !(operation_flags & VEF_OP_SYNCHRONOUS) && bytes <= engine->eager_bytes;
}
void vef_charges_prepare(vef_engine *engine);
/* Of a send, and of the receive of a message, which is unexpected if it had arrived before: at most
 * VEF_MOST_PS. */
uint64_t vef_charge_send_ps(const vef_engine *engine, uint64_t bytes, bool blocking, bool eager);
/* Of a task's operation in a call that sends one message, or reads or writes a window. */
uint64_t vef_charge_operation_ps(const vef_engine *engine, uint32_t task, uint16_t call,
                                 const vef_operation *operation);
uint64_t vef_charge_receive_ps(const vef_engine *engine, uint32_t record, bool unexpected);

/* ---- messages ---- */

/* Whether messages between the tasks do not enter the network. Those of a task to itself may. */
static inline bool vef_transfer_is_local(const vef_engine *engine, uint32_t sender,
                                         uint32_t receiver) {
    return vef_hosts_share(engine, sender, receiver) &&
           !(engine->policy.loops && sender == receiver);
}
/* Starts a send or a receive now. `*complete_ps`: when it was complete, in the future only if
 * tasks run ahead; its token is then never used. VEF_FOREVER: it is not yet. `key->ordinal`
 * VEF_NO_ORDINAL in a send: it will not be received. `*cost_ps`: processor time of a receive
 * that is complete, else 0. */
vef_code vef_transfer_send(vef_engine *engine, const vef_transfer_key *key, uint64_t bytes,
                           uint16_t operation_flags, uint64_t token, uint64_t *complete_ps);
vef_code vef_transfer_receive(vef_engine *engine, const vef_transfer_key *key, uint64_t token,
                              uint64_t *complete_ps, uint64_t *cost_ps);
/* `*arrived_ps`: when the message (or its request) was sent, if it has arrived; else
 * VEF_FOREVER, and its arrival will reduce the strand's needs. */
void vef_transfer_probe(vef_engine *engine, const vef_transfer_key *key, uint32_t strand,
                        uint64_t *arrived_ps);
/* The data of a message have arrived at its receiver, without rendezvous. `sender`: who sent them
 * in fact, where the key says otherwise (a reduction). */
void vef_transfer_arrive(vef_engine *engine, const vef_transfer_key *key, uint32_t sender,
                         uint64_t bytes, uint64_t sent_ps);
/* A part of a message (VEF_MESSAGE_DATA …) has been delivered: `in_flight` counts one fewer. */
vef_code vef_transfer_delivered(vef_engine *engine, uint32_t record, unsigned part);
/* With processors, of data only: a processor handles them from now on. */
vef_code vef_transfer_handled(vef_engine *engine, uint32_t record);

/* The same of a letter; or a confirmation, for the data of a rendezvous that this part has sent to
 * another.
 */
vef_code vef_transfer_by_letter(vef_engine *engine, uint64_t number, unsigned part,
                                bool confirmation);

/* ---- broadcast.c ---- */

/* The plan sends the data of its collective to all members of its communicator; without an answer.
 */
vef_code vef_broadcast_send(vef_engine *engine, uint32_t who, uint64_t bytes);
vef_code vef_broadcast_delivered(vef_engine *engine, uint32_t number, uint32_t endpoint);
/* Sets what the network can do for a call of a communicator. */
void vef_broadcast_describe(vef_engine *engine, uint32_t comm, vef_collective *call);
/* The plan contributes to its reduction number `step->nth`. */
vef_code vef_broadcast_combine(vef_engine *engine, uint32_t who, const vef_step *step);

#endif
