/* Processors and network interfaces of hosts, for networks that publish the costs of hosts
 * (vef_netmodel.hosts: model loggp).
 *
 * Without such costs a thread's computation and overheads only delay the thread itself. With them
 * every computation, send and arrival is a job that needs a processor, and a message also a side of
 * a network interface. A job starts when both are free. Jobs that could start at the same time
 * start in the order in which they became ready. With s the size of a message in bytes:
 *
 *   job      processor is busy for       interface is busy for
 *   compute  the time computed
 *   send     o + (s - 1) O               g + (s - 1) G, its sending side
 *   post                                                       (a receive; it starts at once)
 *   arrival  o + max((s-1) O, (s-1) G)   g + (s - 1) G, its receiving side
 *
 * An arrival needs the processor whether or not its receive is posted, and is matched when it
 * starts; the receiving call continues when the processor is free again. A rendezvous sends its
 * data at once; its send is complete when the message is matched.
 *
 * The rules are those of LogGOPSim (Hoefler, Schneider and Lumsdaine, HPDC 2010). Jobs that become
 * ready in one task by the same event are ordered as there: sends, receives, computation; within
 * each, in tasks of several threads, by request number or by the number in the mark `calc N`.
 *
 * A task has a processor for each of its threads, except that threads whose first call is a mark
 * `cpu N` or `cpu N nic M` share processor N and interface M (docs/interchange.md). Messages arrive
 * at the processor and the interface with the numbers of the sender's. */
#ifndef VEF_REPLAY_PROCESSOR_H
#define VEF_REPLAY_PROCESSOR_H

#include "replay/match.h"
#include "replay/replay.h"

struct vef_engine;

/* Makes the processors of all tasks; only for a network with costs of hosts. */
vef_code vef_processors_prepare(struct vef_engine *engine);
void vef_processors_release(struct vef_engine *engine);

/* The strand enters a mark: binds it to a processor if the mark is its first call and names one. */
vef_code vef_processor_bind(struct vef_engine *engine, uint32_t strand);
/* Without costs of hosts: the computation that the strand has just passed, from `begin_cycles` on,
 * waits for those of other strands on its processor. */
void vef_processor_share(struct vef_engine *engine, uint32_t strand, uint64_t begin_cycles);

/* The strand has fetched an event: waits until its earlier messages have started, unless the event
 * only starts messages or waits, then computes the event's gap. `*pause`: the strand waits. */
vef_code vef_processor_before(struct vef_engine *engine, uint32_t strand, bool *pause);
/* Makes a job of a send or a receive; when it is complete `token` is. `number` orders it among jobs
 * that become ready at once. A strand waits for the start of a `beside` one, see above. */
typedef struct vef_processor_message {
    vef_transfer_key key;
    uint64_t bytes, token, number;
    uint16_t operation_flags;
    bool send, beside;
} vef_processor_message;
vef_code vef_processor_queue(struct vef_engine *engine, uint32_t strand,
                             const vef_processor_message *message);
/* Makes a job of the next step of the plan `who`: a send of so many bytes (`local`: to a task of
 * the same endpoint), or else a computation of so many cycles. */
vef_code vef_processor_step(struct vef_engine *engine, uint32_t who, bool send, bool local,
                            uint64_t amount);

/* A message leaves, from the job that has just started. */
vef_code vef_processor_departs(struct vef_engine *engine, uint32_t record);
/* A message has arrived: vef_transfer_handled when its job starts. */
vef_code vef_processor_arrives(struct vef_engine *engine, uint32_t record);
/* A rendezvous has matched: its sender has been idle until now. */
void vef_processor_matched(struct vef_engine *engine, uint32_t record);

/* Orders the jobs that became ready by the same event; the next strand, of `task`, may be of
 * another task. UINT32_MAX: no strand is next. */
vef_code vef_processors_turn(struct vef_engine *engine, uint32_t task);
/* The time of the first job; VEF_NO_WAKEUP. */
uint64_t vef_processors_first(const struct vef_engine *engine);
/* Starts, or postpones, the first job if its time has come. */
vef_code vef_processors_run(struct vef_engine *engine);

/* Overhead in the last `cycles` before now on the processor of the strand. */
uint64_t vef_processor_overhead(struct vef_engine *engine, uint32_t strand, uint64_t cycles);
/* When the last job of the task's processors ends. */
uint64_t vef_processors_end(const struct vef_engine *engine, uint32_t task);

#endif
