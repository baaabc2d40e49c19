/* The state of the processors and network interfaces of hosts: shared by processor.c, which has
 * their rules, and processors.c, which makes them. */
#ifndef VEF_REPLAY_ENGINE_PROCESSORS_H
#define VEF_REPLAY_ENGINE_PROCESSORS_H

#include "replay/engine/executor.h"

/* In the order in which jobs of one event become ready. */
typedef enum vef_host_job_kind {
    VEF_JOB_SEND,
    VEF_JOB_POST,
    VEF_JOB_COMPUTE,
    VEF_JOB_ARRIVAL
} vef_host_job_kind;

enum {
    VEF_NO_JOB = UINT32_MAX,
    VEF_OWN_PROCESSOR = 1 << 16 /* and above: numbers of processors of single threads */
};

/* Processors and interfaces of a task are lists that begin with number 0, whose index is the number
 * of the task. */
typedef struct vef_processor {
    uint64_t free_ps;
    uint64_t overhead_ps;  /* of all jobs that have started */
    uint64_t overhead_end; /* of the last such job */
    uint32_t number, next;
    uint32_t first_waiting,
        last_waiting; /* jobs that have found it busy, by order; or VEF_NO_JOB */
} vef_processor;

typedef struct vef_interface {
    uint64_t send_ps, receive_ps; /* when each side is free */
    uint32_t number, next;
} vef_interface;

/* A strand; background plans use those of the strands that started them. */
typedef struct vef_worker {
    uint32_t processor, interface;
    uint32_t starting; /* jobs since its last wait that have not started */
    uint32_t waits;    /* how many there were */
    bool bound;
    uint64_t seen_ps; /* of its processor's overhead: is accounted for */
} vef_worker;

typedef struct vef_host_job {
    vef_queued_message message; /* SEND, POST */
    uint64_t ready_ps;
    uint64_t amount; /* plan steps: bytes or ps */
    uint32_t processor, interface;
    uint32_t waits;  /* of its worker when it was made */
    uint32_t who;    /* the strand or the plan */
    uint32_t record; /* ARRIVAL: the message */
    uint32_t next_free;
    uint8_t kind;
    bool of_plan;
    bool local;            /* SEND: to a task of the same endpoint */
    bool waiting;          /* in the list of its processor */
    uint32_t next_waiting; /* in the list of its processor, or the next POST of the same time */
    uint64_t order;        /* in the queue; UINT64_MAX: not a job at present */
} vef_host_job;

/* Of a message under way, by the number of its record. */
typedef struct vef_departure {
    uint64_t order;
    uint32_t processor, interface; /* of the sender */
} vef_departure;

typedef struct vef_processors {
    vef_store *store; /* of the lists */
    vef_processor *processors;
    vef_interface *interfaces;
    size_t processor_count, processor_room, interface_count, interface_room;
    vef_worker *workers;
    vef_host_job *jobs;
    size_t job_count, job_room;
    uint32_t free_job;
    vef_pending queue; /* of jobs, by the time at which they are tried, then by their order */
    uint64_t order;    /* of the next job */
    /* Jobs that became ready by the current event, of task `turn`, by kind. */
    struct {
        uint32_t *jobs;
        size_t count, room;
    } fresh[VEF_JOB_ARRIVAL];
    uint32_t turn;
    vef_departure *departures;
    size_t departure_room;
    uint32_t started; /* the job that is starting */
} vef_processors;

/* The task's processor, or interface, of that number, made if absent. */
void vef_processors_find(vef_processors *processors, uint32_t task, uint32_t number,
                         uint32_t *index);
void vef_interfaces_find(vef_processors *processors, uint32_t task, uint32_t number,
                         uint32_t *index);

/* Makes the processors of all tasks; only for a network with costs of hosts. */
void vef_processors_prepare(vef_engine *engine);

/* The strand enters a mark: binds it to a processor if the mark is its first call and names one. */
void vef_processor_bind(vef_engine *engine, uint32_t strand);
/* Without costs of hosts: the computation that the strand has just passed, from `begin_ps` on,
 * waits for those of other strands on its processor. */
void vef_processor_share(vef_engine *engine, uint32_t strand, uint64_t begin_ps);

/* Functions of the policy: see policy.h. */
uint64_t vef_processor_overhead(vef_engine *engine, uint32_t strand, uint64_t ps);
bool vef_processors_several(const vef_engine *engine, uint32_t task);
uint64_t vef_processors_end(const vef_engine *engine, uint32_t task);

#endif
