/* The other threads of a task: those that the program creates and that do not call MPI themselves
 * (OpenMP's, pthreads). A thread that calls MPI often waits for their work between two calls, which
 * its own CPU clock does not show. So between two calls the maximum CPU time over these threads
 * counts, if it exceeds its own.
 *
 * Threads are found at their creation: pthread_create is replaced. Threads that the MPI library
 * and its transports create are excluded: they poll. A thread is excluded from its first MPI call
 * on: it has its own stream of events.
 *
 * A slot represents one thread after another, never two at once, and adds up their CPU times. So
 * work for which a program creates a new thread each time counts as that of one long thread, and
 * concurrent threads are in different slots.
 *
 * The maximum CPU time within a stretch is too little if the stretch has serial parts: 1 ms by the
 * master, then 1 ms by a worker, are 2 ms. So a stretch also ends at forks and joins: at the begin
 * and end of an OpenMP parallel region (libgomp; fork_join.c), at the creation of the first thread
 * and the join of the last. Outside parallel regions libgomp's threads only wait for the next one,
 * some of them actively: then they do not count. */
#ifndef VEF_CAPTURE_CLOCK_WORKERS_H
#define VEF_CAPTURE_CLOCK_WORKERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* State of the slots for a thread that calls MPI: their CPU times at the start of its stretch. */
typedef struct vef_stretch {
    uint64_t *cpu_ns;
    uint32_t room, count;
} vef_stretch;

/* Number of slots so far. 0: there never were other threads. */
extern atomic_uint vef_worker_slots;

/* Threads in slots now. */
unsigned vef_workers_now(void);
/* Maximum number of concurrent threads of the process, including those that call MPI and the first.
 */
unsigned vef_workers_most_threads(void);

/* A stretch begins now: reads all slots. Allocates if there are more than before. */
void vef_workers_begin(vef_stretch *stretch);
/* The maximum CPU time, ns, of any slot since the stretch began; of OpenMP's threads only if that
 * was `inside` a parallel region. */
uint64_t vef_workers_longest(const vef_stretch *stretch, bool inside);

/* The calling thread is new: it is a worker until it ends. `openmp`: created by libgomp. */
void vef_workers_add(bool openmp);

/* The calling thread calls MPI: it is not a worker any more. */
void vef_workers_leave(void);

/* The calling thread is the first to call MPI: if it is not the process's first thread, that one is
 * a worker. */
void vef_workers_add_main(void);

/* In the child of a fork, where no other thread is. */
void vef_workers_forked(void);

#endif
