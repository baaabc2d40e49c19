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

static const joined_part *part_of(const joint *self, uint32_t task) {
    return &self->parts[self->part_of[task]];
}

uint32_t vef_joint_first_task(const vef_source *source, uint32_t part) {
    const joint *self = joint_of(source);
    return part < self->part_count ? self->parts[part].first_task : self->source.tasks;
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
    translation *self = context;
    if (self->code != VEF_OK)
        return false;
    if ((uint32_t)*task >= self->part->tasks) /* here it would name a task of another part */
        self->code = vef_fail(self->error, VEF_CORRUPT,
                              "%s: task %u: MPI_%s: peer rank %d is out of range (the trace has %u "
                              "tasks)",
                              self->part->part.name, self->task, vef_call_name(place->event->call),
                              *task, self->part->tasks);
    *task += (int32_t)self->part->first_task;
    return self->code == VEF_OK;
}

/* A replay needs the communicator of operations on windows only. */
static bool shift_comm(void *context, const vef_field_place *place, uint32_t *comm) {
    translation *self = context;
    const bool needed =
        !place->operation || vef_call_kind(place->event->call) == VEF_KIND_ONE_SIDED;
    if (*comm == VEF_NO_COMM || (*comm >= self->part->comms && !needed))
        return true;
    if (*comm >= self->part->comms)
        self->code =
            vef_fail(self->error, VEF_CORRUPT,
                     "%s: task %u: MPI_%s: communicator %u is out of range (the trace has %u)",
                     self->part->part.name, self->task, vef_call_name(place->event->call), *comm,
                     self->part->comms);
    *comm += self->part->first_comm;
    return self->code == VEF_OK;
}

/* ---- the source ---- */

static vef_code next_of_joint(vef_source *source, uint32_t task, uint32_t thread,
                              const vef_event **event, vef_error *error) {
    const joint *self = joint_of(source);
    const joined_part *part = part_of(self, task);
    const uint32_t own = task - part->first_task;
    *event = NULL;
    if (part->part.silent)
        return VEF_OK;
    vef_code code = part->part.source->next(part->part.source, own, thread, event, error);
    if (code != VEF_OK || !*event || (part->first_task == 0 && self->part_count == 1))
        return code;
    translated *to = &self->events[self->first_thread[task] + thread];
    translation shift = {part, own, VEF_OK, error};
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
    const joint *self = joint_of(source);
    vef_code code = VEF_OK;
    for (uint32_t i = 0; i < self->part_count && code == VEF_OK; i++)
        if (!self->parts[i].part.silent)
            code = self->parts[i].part.source->restart(self->parts[i].part.source, error);
    return code;
}

static vef_log_end end_of_joint(const vef_source *source, uint32_t task) {
    const joined_part *part = part_of(joint_of(source), task);
    return part->part.silent ? VEF_LOG_FINALIZED
                             : part->part.source->end(part->part.source, task - part->first_task);
}

/* ---- making it ---- */

static uint32_t *shift_members(joint *self, const joined_part *part, const uint32_t *members,
                               uint32_t size, bool *inside) {
    uint32_t *shifted = vef_arena_alloc(&self->arena, size ? size : 1, sizeof *shifted);
    for (uint32_t i = 0; i < size; i++) {
        *inside = *inside && members[i] < part->tasks;
        shifted[i] = members[i] + part->first_task;
    }
    return shifted;
}

static vef_code join_communicators(joint *self, const joined_part *part, vef_communicator *to,
                                   vef_error *error) {
    const vef_source *source = part->part.source;
    for (uint32_t i = 0; i < part->comms; i++) {
        const vef_communicator *from = &source->communicators[i];
        bool inside = true;
        to[i] = *from;
        if (from->parent != VEF_NO_COMM)
            to[i].parent = from->parent + part->first_comm;
        to[i].members = shift_members(self, part, from->members, from->size, &inside);
        if (from->remote_size)
            to[i].remote_members =
                shift_members(self, part, from->remote_members, from->remote_size, &inside);
        if (!inside)
            return vef_fail(error, VEF_CORRUPT,
                            "%s: communicator %u has members beyond its %u tasks", part->part.name,
                            i, part->tasks);
    }
    return VEF_OK;
}

/* How the times of all parts were measured, and the calls that they lack. */
static void join_facts(joint *self) {
    const size_t calls = vef_call_count();
    const uint32_t tasks = self->source.tasks;
    vef_measured *measured = NULL;
    for (uint32_t i = 0; i < self->part_count; i++) {
        const joined_part *part = &self->parts[i];
        const vef_source *source = part->part.source;
        const vef_left_out *left_out = source->measured.left_out;
        if (part->part.silent)
            continue;
        if (source->not_recorded && !self->not_recorded)
            self->not_recorded = vef_arena_alloc(&self->arena, calls, sizeof(uint64_t));
        if (source->measured.task && !measured)
            measured = vef_arena_alloc(&self->arena, tasks, sizeof *measured);
        if (left_out && left_out->calls && !self->left_out.calls) {
            self->left_out.calls = vef_arena_alloc(&self->arena, calls, sizeof(uint64_t));
            self->left_out.ns = vef_arena_alloc(&self->arena, calls, sizeof(uint64_t));
        }
        for (size_t call = 0; call < calls; call++) {
            if (source->not_recorded)
                self->not_recorded[call] += source->not_recorded[call];
            if (left_out && left_out->calls) {
                self->left_out.calls[call] += left_out->calls[call];
                self->left_out.ns[call] += left_out->ns[call];
            }
        }
        if (source->measured.task)
            memcpy(measured + part->first_task, source->measured.task,
                   part->tasks * sizeof *measured);
    }
    self->source.not_recorded = self->not_recorded;
    self->source.measured = (vef_measured_run){tasks, measured, &self->left_out, NULL};
}

/* Numbers the tasks and communicators. */
static vef_code number(joint *self, const vef_joint_part *parts, uint64_t *tasks, uint64_t *comms,
                       vef_error *error) {
    *tasks = *comms = 0;
    for (uint32_t i = 0; i < self->part_count; i++) {
        const vef_source *source = parts[i].source;
        const uint32_t own = parts[i].silent ? 0 : source->communicator_count;
        self->parts[i] = (joined_part){.part = parts[i],
                                       .first_task = (uint32_t)*tasks,
                                       .tasks = source->tasks,
                                       .first_comm = (uint32_t)*comms,
                                       .comms = own};
        *tasks += source->tasks;
        *comms += own;
        if (*tasks > VEF_TASK_LIMIT || *comms >= INT32_MAX)
            return vef_fail(error, VEF_UNSUPPORTED,
                            "%s: too many tasks or communicators in all jobs: expected at most %d "
                            "tasks and %d communicators",
                            parts[i].name, VEF_TASK_LIMIT, INT32_MAX);
        if (!parts[i].silent)
            self->source.events += source->events;
    }
    return vef_limit_check(VEF_LIMIT_TASKS, *tasks, error);
}

/* What is kept per task and thread. */
static void make_threads(joint *self) {
    const uint32_t tasks = self->source.tasks;
    self->part_of = vef_arena_alloc(&self->arena, tasks ? tasks : 1, sizeof *self->part_of);
    self->first_thread = vef_arena_alloc(&self->arena, tasks + (size_t)1, sizeof(size_t));
    for (uint32_t i = 0; i < self->part_count; i++)
        for (uint32_t task = 0; task < self->parts[i].tasks; task++) {
            const uint32_t own = self->parts[i].first_task + task;
            self->part_of[own] = i;
            self->first_thread[own + 1] =
                self->first_thread[own] + threads_of_joint(&self->source, own);
        }
    const size_t threads = self->first_thread[tasks];
    self->events = vef_calloc(threads ? threads : 1, sizeof *self->events);
}

static vef_code fill_in(joint *self, const vef_joint_part *parts, vef_error *error) {
    uint64_t tasks, comms;
    bool repeats = true;
    self->parts = vef_arena_alloc(&self->arena, self->part_count, sizeof *self->parts);
    vef_code code = number(self, parts, &tasks, &comms, error);
    if (code != VEF_OK)
        return code;
    vef_communicator *all = vef_arena_alloc(&self->arena, comms ? comms : 1, sizeof *all);
    for (uint32_t i = 0; i < self->part_count && code == VEF_OK; i++) {
        code = join_communicators(self, &self->parts[i], all + self->parts[i].first_comm, error);
        repeats = repeats && (parts[i].silent || parts[i].source->restart);
    }
    self->source.tasks = (uint32_t)tasks;
    self->source.communicator_count = (uint32_t)comms;
    self->source.communicators = all;
    self->source.threads = threads_of_joint;
    self->source.next = next_of_joint;
    self->source.prefetch = prefetch_of_joint;
    self->source.restart = repeats ? restart_joint : NULL;
    self->source.end = end_of_joint;
    if (code != VEF_OK)
        return code;
    make_threads(self);
    join_facts(self);
    return VEF_OK;
}

vef_code vef_joint_create(const vef_joint_part *parts, uint32_t count, vef_source **made,
                          vef_error *error) {
    joint *self = vef_calloc(1, sizeof *self);
    self->part_count = count;
    const vef_code code = fill_in(self, parts, error);
    if (code == VEF_OK)
        *made = &self->source;
    else
        vef_joint_destroy(&self->source);
    return code;
}

void vef_joint_destroy(vef_source *source) {
    joint *self = (joint *)(void *)source;
    if (!self)
        return;
    const size_t threads = self->events ? self->first_thread[self->source.tasks] : 0;
    for (size_t i = 0; i < threads; i++)
        vef_event_room_free(&self->events[i].room);
    free(self->events);
    vef_arena_release(&self->arena);
    free(self);
}
