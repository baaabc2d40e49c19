/* The other threads of a task: those that the program makes and that do not call MPI themselves
 * (OpenMP's, pthreads). What a thread that calls MPI waits for between two calls is often their
 * work, which its own CPU clock does not show. So between two calls the longest CPU time of any of
 * them counts, if that is more than its own.
 *
 * Threads are known by their making: pthread_create is interposed. Threads that the MPI library and
 * its transports make are left out: they poll. A thread that calls MPI is left out from then on: it
 * has a stream of events of its own.
 *
 * A slot holds one thread after another, never two at once, and adds up their CPU times. So work
 * that a program gives to a new thread each time counts as that of one long thread, and threads
 * that work at the same time are in different slots.
 *
 * The longest CPU time within a stretch is too little where the stretch has serial parts: 1 ms by
 * the master, then 1 ms by a worker, are 2 ms. So a stretch also ends where the program forks and
 * joins: where an OpenMP parallel region begins and ends (libgomp; fork_join.c), where the first
 * thread is made and where the last is joined. Outside parallel regions libgomp's threads do
 * nothing but wait for the next one, some of them actively: then they do not count. */
#ifndef VEF_CAPTURE_WORKERS_H
#define VEF_CAPTURE_WORKERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* What a thread that calls MPI remembers of the slots: their CPU times when its stretch began. */
typedef struct vef_stretch {
    uint64_t *cpu_ns;
    uint32_t room, count;
} vef_stretch;

/* Slots so far. 0: nobody but threads that call MPI has ever been there. */
extern atomic_uint vef_worker_slots;

/* Threads in slots now. */
unsigned vef_workers_now(void);
/* The most threads that the process had at once, those that call MPI and the first among them. */
unsigned vef_workers_most_threads(void);

/* A stretch begins now: notes what all slots show. Allocates when there are more than before. */
void vef_workers_begin(vef_stretch *stretch);
/* The most CPU time, ns, of any slot since the stretch began; of OpenMP's threads only if that was
 * `inside` a parallel region. */
uint64_t vef_workers_longest(const vef_stretch *stretch, bool inside);

/* The calling thread is new: it is a worker until it ends. `openmp`: libgomp made it. */
void vef_workers_add(bool openmp);

/* The calling thread calls MPI: it is no worker. */
void vef_workers_leave(void);

/* The calling thread is the first that calls MPI: if it is not the process's first thread, that is
 * a worker. */
void vef_workers_add_main(void);

/* In the child of a fork, where no other thread is. */
void vef_workers_forked(void);

#endif
