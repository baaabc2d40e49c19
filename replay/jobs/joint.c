/* Several sources as one. See joint.h. */
#include "replay/jobs/joint.h"

#include "common/arena.h"
#include "common/limits.h"
#include "common/memory.h"
#include "traces/rewrite/rewrite.h"

#include <stdlib.h>
#include <string.h>

/* The translated event of a thread; valid until the thread's next one. */
typedef struct translated {
    vef_event event;
    vef_event_room room;
} translated;

typedef struct joined_part {
    vef_joint_part part;
    uint32_t first_task, tasks;
    uint32_t first_comm, comms; /* 0 of a silent part */
} joined_part;

typedef struct joint {
    vef_source source;
    joined_part *parts;
    uint32_t part_count;
    uint32_t *part_of;    /* per task */
    size_t *first_thread; /* per task: the index in `events` of its thread 0; one more at the end */
    translated *events;
    uint64_t *not_recorded; /* per call; NULL: no part has counts */
    vef_left_out left_out;
    vef_arena arena;
} joint;

static const joint *joint_of(const vef_source *source) {
    return (const joint *)(const void *)source;
}

static const joined_part *part_of(const joint *joined, uint32_t task) {
    return &joined->parts[joined->part_of[task]];
}

uint32_t vef_joint_first_task(const vef_source *source, uint32_t part) {
    const joint *joined = joint_of(source);
    return part < joined->part_count ? joined->parts[part].first_task : joined->source.tasks;
}

uint32_t vef_joint_part_of(const vef_source *source, uint32_t task) {
    return joint_of(source)->part_of[task];
}

/* ---- translation ---- */

/* Where an event is, for messages, and the first error in it. */
typedef struct translation {
    const joined_part *part;
    uint32_t task; /* of the part */
    vef_code code;
    vef_error *error;
} translation;

static bool shift_task(void *context, const vef_field_place *place, int32_t *task) {
    translation *shift = context;
    if (shift->code != VEF_OK)
        return false;
    if ((uint32_t)*task >= shift->part->tasks) /* here it would name a task of another part */
        shift->code =
            vef_fail(shift->error, VEF_CORRUPT,
                     "%s: task %u: MPI_%s: peer rank %d is out of range (the trace has %u "
                     "tasks)",
                     shift->part->part.name, shift->task, vef_call_name(place->event->call), *task,
                     shift->part->tasks);
    *task += (int32_t)shift->part->first_task;
    return shift->code == VEF_OK;
}

/* A replay needs the communicator of operations on windows only. */
static bool shift_comm(void *context, const vef_field_place *place, uint32_t *comm) {
    translation *shift = context;
    const bool needed =
        !place->operation || vef_call_kind(place->event->call) == VEF_KIND_ONE_SIDED;
    if (*comm == VEF_NO_COMM || (*comm >= shift->part->comms && !needed))
        return true;
    if (*comm >= shift->part->comms)
        shift->code =
            vef_fail(shift->error, VEF_CORRUPT,
                     "%s: task %u: MPI_%s: communicator %u is out of range (the trace has %u)",
                     shift->part->part.name, shift->task, vef_call_name(place->event->call), *comm,
                     shift->part->comms);
    *comm += shift->part->first_comm;
    return shift->code == VEF_OK;
}

/* ---- the source ---- */

static vef_code next_of_joint(vef_source *source, uint32_t task, uint32_t thread,
                              const vef_event **event, vef_error *error) {
    const joint *joined = joint_of(source);
    const joined_part *part = part_of(joined, task);
    const uint32_t local = task - part->first_task;
    *event = NULL;
    if (part->part.silent)
        return VEF_OK;
    vef_code code = part->part.source->next(part->part.source, local, thread, event, error);
    if (code != VEF_OK || !*event || (part->first_task == 0 && joined->part_count == 1))
        return code;
    translated *to = &joined->events[joined->first_thread[task] + thread];
    translation shift = {part, local, VEF_OK, error};
    vef_rewriter rewriter = {
        .context = &shift, .task = shift_task, .comm = shift_comm, .room = &to->room};
    vef_rewrite(&rewriter, *event, &to->event);
    *event = &to->event;
    return shift.code;
}

static uint32_t threads_of_joint(const vef_source *source, uint32_t task) {
    const joined_part *part = part_of(joint_of(source), task);
    return part->part.source->threads(part->part.source, task - part->first_task);
}

static void prefetch_of_joint(const vef_source *source, uint32_t task, uint32_t thread, bool near) {
    const joined_part *part = part_of(joint_of(source), task);
    if (!part->part.silent && part->part.source->prefetch)
        part->part.source->prefetch(part->part.source, task - part->first_task, thread, near);
}

static vef_code restart_joint(vef_source *source, vef_error *error) {
    const joint *joined = joint_of(source);
    vef_code code = VEF_OK;
    for (uint32_t i = 0; i < joined->part_count && code == VEF_OK; i++)
        if (!joined->parts[i].part.silent)
            code = joined->parts[i].part.source->restart(joined->parts[i].part.source, error);
    return code;
}

static vef_log_end end_of_joint(const vef_source *source, uint32_t task) {
    const joined_part *part = part_of(joint_of(source), task);
    return part->part.silent ? VEF_LOG_FINALIZED
                             : part->part.source->end(part->part.source, task - part->first_task);
}

/* ---- making it ---- */

static uint32_t *shift_members(joint *joined, const joined_part *part, const uint32_t *members,
                               uint32_t size, bool *inside) {
    uint32_t *shifted = vef_arena_alloc(&joined->arena, size ? size : 1, sizeof *shifted);
    for (uint32_t i = 0; i < size; i++) {
        *inside = *inside && members[i] < part->tasks;
        shifted[i] = members[i] + part->first_task;
    }
    return shifted;
}

static vef_code join_communicators(joint *joined, const joined_part *part, vef_communicator *to,
                                   vef_error *error) {
    const vef_source *source = part->part.source;
    for (uint32_t i = 0; i < part->comms; i++) {
        const vef_communicator *from = &source->communicators[i];
        bool inside = true;
        to[i] = *from;
        if (from->parent != VEF_NO_COMM)
            to[i].parent = from->parent + part->first_comm;
        to[i].members = shift_members(joined, part, from->members, from->size, &inside);
        if (from->remote_size)
            to[i].remote_members =
                shift_members(joined, part, from->remote_members, from->remote_size, &inside);
        if (!inside)
            return vef_fail(error, VEF_CORRUPT,
                            "%s: communicator %u has members beyond its %u tasks", part->part.name,
                            i, part->tasks);
    }
    return VEF_OK;
}

/* How the times of all parts were measured, and the calls that they lack. */
static void join_facts(joint *joined) {
    const size_t calls = vef_call_count();
    const uint32_t tasks = joined->source.tasks;
    vef_measured *measured = NULL;
    for (uint32_t i = 0; i < joined->part_count; i++) {
        const joined_part *part = &joined->parts[i];
        const vef_source *source = part->part.source;
        const vef_left_out *left_out = source->measured.left_out;
        if (part->part.silent)
            continue;
        if (source->not_recorded && !joined->not_recorded)
            joined->not_recorded = vef_arena_alloc(&joined->arena, calls, sizeof(uint64_t));
        if (source->measured.task && !measured)
            measured = vef_arena_alloc(&joined->arena, tasks, sizeof *measured);
        if (left_out && left_out->calls && !joined->left_out.calls) {
            joined->left_out.calls = vef_arena_alloc(&joined->arena, calls, sizeof(uint64_t));
            joined->left_out.ns = vef_arena_alloc(&joined->arena, calls, sizeof(uint64_t));
        }
        for (size_t call = 0; call < calls; call++) {
            if (source->not_recorded)
                joined->not_recorded[call] += source->not_recorded[call];
            if (left_out && left_out->calls) {
                joined->left_out.calls[call] += left_out->calls[call];
                joined->left_out.ns[call] += left_out->ns[call];
            }
        }
        if (source->measured.task)
            memcpy(measured + part->first_task, source->measured.task,
                   part->tasks * sizeof *measured);
    }
    joined->source.not_recorded = joined->not_recorded;
    joined->source.measured = (vef_measured_run){tasks, measured, &joined->left_out, NULL};
}

/* Numbers the tasks and communicators. */
static vef_code number(joint *joined, const vef_joint_part *parts, uint64_t *tasks, uint64_t *comms,
                       vef_error *error) {
    *tasks = *comms = 0;
    for (uint32_t i = 0; i < joined->part_count; i++) {
        const vef_source *source = parts[i].source;
        const uint32_t added = parts[i].silent ? 0 : source->communicator_count;
        joined->parts[i] = (joined_part){.part = parts[i],
                                         .first_task = (uint32_t)*tasks,
                                         .tasks = source->tasks,
                                         .first_comm = (uint32_t)*comms,
                                         .comms = added};
        *tasks += source->tasks;
        *comms += added;
        if (*tasks > VEF_TASK_LIMIT || *comms >= INT32_MAX)
            return vef_fail(error, VEF_UNSUPPORTED,
                            "%s: too many tasks or communicators in all jobs: expected at most %d "
                            "tasks and %d communicators",
                            parts[i].name, VEF_TASK_LIMIT, INT32_MAX);
        if (!parts[i].silent)
            joined->source.events += source->events;
    }
    return vef_limit_check(VEF_LIMIT_TASKS, *tasks, error);
}

/* What is kept per task and thread. */
static void make_threads(joint *joined) {
    const uint32_t tasks = joined->source.tasks;
    joined->part_of = vef_arena_alloc(&joined->arena, tasks ? tasks : 1, sizeof *joined->part_of);
    joined->first_thread = vef_arena_alloc(&joined->arena, tasks + (size_t)1, sizeof(size_t));
    for (uint32_t i = 0; i < joined->part_count; i++)
        for (uint32_t task = 0; task < joined->parts[i].tasks; task++) {
            const uint32_t number = joined->parts[i].first_task + task;
            joined->part_of[number] = i;
            joined->first_thread[number + 1] =
                joined->first_thread[number] + threads_of_joint(&joined->source, number);
        }
    const size_t threads = joined->first_thread[tasks];
    joined->events = vef_calloc(threads ? threads : 1, sizeof *joined->events);
}

static vef_code fill_in(joint *joined, const vef_joint_part *parts, vef_error *error) {
    uint64_t tasks, comms;
    bool repeats = true;
    joined->parts = vef_arena_alloc(&joined->arena, joined->part_count, sizeof *joined->parts);
    vef_code code = number(joined, parts, &tasks, &comms, error);
    if (code != VEF_OK)
        return code;
    vef_communicator *communicators =
        vef_arena_alloc(&joined->arena, comms ? comms : 1, sizeof *communicators);
    for (uint32_t i = 0; i < joined->part_count && code == VEF_OK; i++) {
        code = join_communicators(joined, &joined->parts[i],
                                  communicators + joined->parts[i].first_comm, error);
        repeats = repeats && (parts[i].silent || parts[i].source->restart);
    }
    joined->source.tasks = (uint32_t)tasks;
    joined->source.communicator_count = (uint32_t)comms;
    joined->source.communicators = communicators;
    joined->source.threads = threads_of_joint;
    joined->source.next = next_of_joint;
    joined->source.prefetch = prefetch_of_joint;
    joined->source.restart = repeats ? restart_joint : NULL;
    joined->source.end = end_of_joint;
    if (code != VEF_OK)
        return code;
    make_threads(joined);
    join_facts(joined);
    return VEF_OK;
}

vef_code vef_joint_create(const vef_joint_part *parts, uint32_t count, vef_source **made,
                          vef_error *error) {
    joint *joined = vef_calloc(1, sizeof *joined);
    joined->part_count = count;
    const vef_code code = fill_in(joined, parts, error);
    if (code == VEF_OK)
        *made = &joined->source;
    else
        vef_joint_destroy(&joined->source);
    return code;
}

void vef_joint_destroy(vef_source *source) {
    joint *joined = (joint *)(void *)source;
    if (!joined)
        return;
    const size_t threads = joined->events ? joined->first_thread[joined->source.tasks] : 0;
    for (size_t i = 0; i < threads; i++)
        vef_event_room_free(&joined->events[i].room);
    free(joined->events);
    vef_arena_release(&joined->arena);
    free(joined);
}
