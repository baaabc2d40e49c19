/* The members of communicators. A file has the arguments of the calls that make them, not their
 * members: these follow from the calls of all tasks. A first pass keeps those calls; then the tasks
 * go through them, each as far as it can: a communicator is made once all members of its parent
 * have come to the call, as in MPI. */
#include "common/containers/grow.h"
#include "common/containers/order.h"
#include "common/memory.h"
#include "interchange/dumpi/dumpi.h"

#include <stdlib.h>
#include <string.h>

/* A call on groups, or one that makes a communicator. */
typedef struct step {
    uint16_t id;
    vef_dumpi_kind kind;
    uint32_t parent; /* creation of the task, from 2; 0: the world; 1: self; or UNKNOWN */
    uint32_t made;   /* creation of the task that this call is; UNKNOWN: it got no communicator */
    uint16_t groups[3];
    int32_t ints[2];
    uint32_t count, more; /* items of the first list in `list`, and of the second after it */
    int32_t *list;
} step;

typedef struct group {
    uint32_t count;
    uint32_t *list; /* world tasks */
} group;

typedef struct task_state {
    step *steps;
    size_t step_count, step_room, next;
    uint32_t creations; /* with the world and self */
    group *groups;      /* by handle */
    size_t group_room;
    uint32_t *globals; /* by creation: place in comms->list */
} task_state;

typedef struct member {
    int64_t colour, key; /* colour -1: of no new communicator */
    uint32_t rank;
} member;

typedef struct finder {
    vef_dumpi_comms *comms;
    uint32_t tasks;
    task_state *task;
    uint32_t *arrived; /* per communicator: members at their call on it */
    size_t arrived_room;
    uint32_t *ready; /* tasks that may go on */
    size_t ready_count;
    uint8_t *mark; /* per task, for sets */
} finder;

/* ---- the first pass ---- */

static vef_code keep_lists(step *to, const vef_dumpi_call *call, vef_error *error) {
    const bool ranges =
        call->id == VEF_DUMPI_Group_range_incl || call->id == VEF_DUMPI_Group_range_excl;
    const vef_dumpi_list *lists = call->lists;
    to->count = ranges ? 3 * lists[0].count : lists[0].count;
    to->more = ranges ? 0 : lists[1].count;
    const uint64_t items = (uint64_t)to->count + to->more;
    if (items == 0)
        return VEF_OK;
    to->list = vef_malloc(items * sizeof *to->list);
    vef_dumpi_list item = lists[0];
    if (ranges) { /* each an array of three */
        for (uint32_t i = 0; i < lists[0].count; i++) {
            const uint32_t length = (uint32_t)vef_dumpi_int(item, 0);
            if (length != 3)
                return vef_fail(error, VEF_CORRUPT, "%s: a range of %u numbers: expected 3",
                                vef_dumpi_name(call->id), length);
            item.items += 4;
            for (uint32_t j = 0; j < 3; j++, item.items += 4)
                to->list[3 * i + j] = vef_dumpi_int(item, 0);
        }
        return VEF_OK;
    }
    for (uint32_t i = 0; i < to->count; i++)
        to->list[i] = vef_dumpi_int(lists[0], i);
    for (uint32_t i = 0; i < to->more; i++)
        to->list[to->count + i] = vef_dumpi_int(lists[1], i);
    return VEF_OK;
}

/* Adds the call; `current` is the creation that each handle of a communicator means. */
static vef_code keep(task_state *task, const vef_dumpi_call *call, uint32_t *current,
                     vef_error *error) {
    const bool makes = call->kind == VEF_DUMPI_COMM || call->kind == VEF_DUMPI_INTERCOMM;
    step *to = VEF_NEW_ITEM(task->steps, task->step_count, task->step_room);
    *to = (step){.id = call->id,
                 .kind = call->kind,
                 .parent = current[call->handles[0]],
                 .made = VEF_DUMPI_UNKNOWN,
                 .groups = {call->handles[0], call->handles[1], call->handles[2]},
                 .ints = {call->ints[0], call->ints[1]}};
    if (makes && vef_dumpi_made(call) != VEF_DUMPI_NULL)
        to->made = current[vef_dumpi_made(call)] = task->creations++;
    return keep_lists(to, call, error);
}

/* Whether the call receives from any source, or with any tag, and does not state its message. */
static bool is_wild(const vef_dumpi_call *call) {
    const int32_t *from = vef_dumpi_asked(call);
    return from && (from[0] == VEF_DUMPI_ANY || from[1] == VEF_DUMPI_ANY) &&
           call->statuses.count == 0;
}

void vef_dumpi_handles_begin(uint32_t *current) {
    for (size_t i = 0; i <= UINT16_MAX; i++)
        current[i] = VEF_DUMPI_UNKNOWN;
    current[VEF_DUMPI_WORLD] = 0;
    current[VEF_DUMPI_SELF] = 1;
}

static vef_code scan(finder *search, uint32_t number, const char *path, uint32_t *current,
                     vef_error *error) {
    vef_dumpi_stream stream;
    vef_dumpi_call call;
    task_state *task = &search->task[number];
    vef_dumpi_task *facts = &search->comms->task[number];
    bool more = true;
    vef_dumpi_handles_begin(current);
    vef_code code = vef_dumpi_open(path, &stream, error);
    if (code)
        return code;
    bool cpu = false;
    while (!code && (code = vef_dumpi_next(&stream, &call, &more, error)) == VEF_OK && more) {
        cpu |= call.has_cpu;
        facts->threaded |= call.thread != 0;
        facts->wild |= is_wild(&call);
        search->comms->joint |= call.id == VEF_DUMPI_Alltoallv || call.id == VEF_DUMPI_Alltoallw;
        if (call.kind == VEF_DUMPI_GROUP || call.kind == VEF_DUMPI_COMM ||
            call.kind == VEF_DUMPI_INTERCOMM)
            code = keep(task, &call, current, error);
    }
    search->comms->joint |= facts->wild;
    search->comms->processor_time |= cpu && !facts->threaded;
    vef_dumpi_close(&stream);
    return code;
}

/* ---- groups ---- */

static group *group_of(task_state *task, uint16_t handle) {
    static const group empty = {0};
    return handle < task->group_room ? &task->groups[handle] : (group *)(uintptr_t)&empty;
}

static void set_group(task_state *task, uint16_t handle, group made) {
    vef_grow_zeroed(&task->groups, &task->group_room, handle + 1ull, sizeof *task->groups);
    free(task->groups[handle].list);
    task->groups[handle] = made;
}

/* Ranks of `from` that the lists of incl, excl and their ranges name, in their order. */
static void name_ranks(const step *call, const group *from, group *to, uint8_t *mark) {
    const bool ranges =
        call->id == VEF_DUMPI_Group_range_incl || call->id == VEF_DUMPI_Group_range_excl;
    for (uint32_t i = 0; i < call->count; i += ranges ? 3 : 1) {
        const int64_t first = call->list[i], last = ranges ? call->list[i + 1] : first;
        const int64_t stride = ranges ? call->list[i + 2] : 1;
        for (int64_t rank = first; stride != 0 && (stride > 0 ? rank <= last : rank >= last);
             rank += stride) {
            if (rank < 0 || rank >= from->count || mark[from->list[rank]])
                break;
            mark[from->list[rank]] = 1;
            to->list[to->count++] = from->list[rank];
        }
    }
}

/* The place of the call's communicator among all, or UNKNOWN. */
static uint32_t parent_of(const task_state *task, const step *call) {
    return call->parent == VEF_DUMPI_UNKNOWN ? VEF_DUMPI_UNKNOWN : task->globals[call->parent];
}

static void make_group(finder *search, task_state *task, const step *call) {
    const bool listed = call->id >= VEF_DUMPI_Group_incl && call->id <= VEF_DUMPI_Group_range_excl;
    const bool of_comm = call->id == VEF_DUMPI_Comm_group,
               joins = call->id == VEF_DUMPI_Group_union;
    const bool included =
        call->id == VEF_DUMPI_Group_incl || call->id == VEF_DUMPI_Group_range_incl;
    const uint32_t comm = of_comm ? parent_of(task, call) : VEF_DUMPI_UNKNOWN;
    group made = {0}, a = *group_of(task, call->groups[0]), b = {0};
    if (of_comm)
        a = comm == VEF_DUMPI_UNKNOWN
                ? b
                : (group){search->comms->list[comm].size, search->comms->list[comm].members};
    else if (!listed)
        b = *group_of(task, call->groups[1]);
    made.list = vef_malloc(((size_t)a.count + b.count + 1) * sizeof *made.list);
    memset(search->mark, 0, search->tasks);
    if (listed)
        name_ranks(call, &a, &made, search->mark);
    for (uint32_t i = 0; i < b.count; i++)
        search->mark[b.list[i]] = 1;
    if (!included) { /* else in the order of the list */
        const bool wanted = call->id == VEF_DUMPI_Group_intersection;
        made.count = 0;
        for (uint32_t i = 0; i < a.count; i++)
            if (joins || search->mark[a.list[i]] == wanted)
                made.list[made.count++] = a.list[i];
    }
    for (uint32_t i = 0; i < a.count; i++)
        search->mark[a.list[i]] = 2;
    for (uint32_t i = 0; i < b.count && joins; i++)
        if (search->mark[b.list[i]] != 2)
            made.list[made.count++] = b.list[i];
    const uint16_t handle = call->groups[of_comm || listed ? 1 : 2];
    set_group(task, handle, made);
}

/* ---- communicators ---- */

static uint64_t volume(const int32_t *extents, uint32_t count) {
    uint64_t product = 1;
    for (uint32_t i = 0; i < count; i++)
        if (extents[i] <= 0 || __builtin_mul_overflow(product, (uint64_t)extents[i], &product))
            return 0;
    return product;
}

/* In which new communicator the member is, and where. */
static member place(finder *search, const vef_dumpi_comm *parent, uint32_t rank) {
    const uint32_t number = parent->members[rank];
    task_state *task = &search->task[number];
    const step *call = &task->steps[task->next];
    member to = {.colour = 0, .key = rank, .rank = rank};
    if (call->made == VEF_DUMPI_UNKNOWN) {
        to.colour = -1;
        return to;
    }
    switch (call->id) {
    case VEF_DUMPI_Comm_split:
        to.colour = (uint32_t)call->ints[0];
        to.key = call->ints[1];
        break;
    case VEF_DUMPI_Comm_create: {
        const group *listed = group_of(task, call->groups[1]);
        uint32_t i = 0;
        while (i < listed->count && listed->list[i] != number)
            i++;
        to.colour = i < listed->count ? (int64_t)listed->list[0] : -1;
        to.key = i;
        break;
    }
    case VEF_DUMPI_Cart_create:
        to.colour = rank < volume(call->list, call->count) ? 0 : -1;
        break;
    case VEF_DUMPI_Graph_create:
        to.colour = rank < (uint32_t)call->ints[1] ? 0 : -1;
        break;
    case VEF_DUMPI_Cart_sub: {
        uint32_t rest = rank;
        int64_t scale = 1;
        for (uint32_t i = parent->dimensions; i-- > 0; rest /= parent->extents[i])
            if (i >= call->count || !call->list[i]) {
                to.colour += scale * (rest % parent->extents[i]);
                scale *= parent->extents[i];
            }
        break;
    }
    default: /* Comm_dup */
        break;
    }
    return to;
}

VEF_ORDER_BY(by_colour, member, colour, key, rank)

/* The topology of a new communicator. */
static void shape(const vef_dumpi_comm *parent, const step *call, vef_dumpi_comm *made) {
    const bool whole = call->id == VEF_DUMPI_Cart_create || call->id == VEF_DUMPI_Comm_dup;
    const bool dup = call->id == VEF_DUMPI_Comm_dup;
    const uint32_t most = call->id == VEF_DUMPI_Cart_create ? call->count : parent->dimensions;
    if (call->id == VEF_DUMPI_Graph_create) {
        const uint64_t items = (uint64_t)call->count + call->more;
        if (call->count != made->size)
            return; /* without its neighbours */
        made->index = vef_malloc((items + 1) * sizeof *made->index);
        if (items)
            memcpy(made->index, call->list, items * sizeof *made->index);
        made->edges = made->index + call->count;
        made->edge_count = call->more;
        return;
    }
    if ((!whole && call->id != VEF_DUMPI_Cart_sub) || most == 0)
        return;
    made->extents = vef_malloc(most * sizeof *made->extents);
    made->periodic = vef_malloc(most * sizeof *made->periodic);
    for (uint32_t i = 0; i < most; i++) {
        const bool stated = call->id == VEF_DUMPI_Cart_create;
        if (!dup && !stated && (i >= call->count || !call->list[i]))
            continue;
        made->extents[made->dimensions] = stated ? (uint32_t)call->list[i] : parent->extents[i];
        made->periodic[made->dimensions++] =
            stated ? i < call->more && call->list[call->count + i] != 0 : parent->periodic[i] != 0;
    }
}

/* The communicator of `count` members of one colour. */
static void add(finder *search, uint32_t parent, const member *members, uint32_t count) {
    vef_dumpi_comms *comms = search->comms;
    vef_grow(&comms->list, &comms->room, comms->count + 1, sizeof *comms->list);
    vef_grow_zeroed(&search->arrived, &search->arrived_room, comms->count + 1,
                    sizeof *search->arrived);
    const uint32_t number = (uint32_t)comms->count;
    vef_dumpi_comm *made = &comms->list[number];
    const vef_dumpi_comm *from = &comms->list[parent];
    task_state *first = &search->task[from->members[members[0].rank]];
    const step *call = &first->steps[first->next];
    *made = (vef_dumpi_comm){.size = count,
                             .parent = parent,
                             .made_by = (uint16_t)vef_call_find(vef_dumpi_name(call->id)),
                             .members = vef_malloc(count * sizeof *made->members)};
    comms->count++;
    for (uint32_t i = 0; i < count; i++) {
        made->members[i] = from->members[members[i].rank];
        task_state *task = &search->task[made->members[i]];
        task->globals[task->steps[task->next].made] = number;
    }
    shape(from, call, made);
}

/* All members of `parent` are at their call. */
static void settle(finder *search, uint32_t parent) {
    const uint32_t size = search->comms->list[parent].size;
    const uint32_t *members = search->comms->list[parent].members;
    member *list = vef_malloc(size * sizeof *list);
    bool alike = true;
    for (uint32_t i = 0; i < size; i++) {
        list[i] = place(search, &search->comms->list[parent], i);
        const task_state *one = &search->task[members[i]], *first = &search->task[members[0]];
        alike &= one->steps[one->next].id == first->steps[first->next].id;
    }
    if (alike)
        qsort(list, size, sizeof *list, by_colour);
    else
        search->comms->unsettled += size;
    for (uint32_t from = 0, to = 0; alike && from < size; from = to) {
        while (to < size && list[to].colour == list[from].colour)
            to++;
        if (list[from].colour >= 0)
            add(search, parent, list + from, to - from);
    }
    free(list);
    members = search->comms->list[parent].members;
    search->arrived[parent] = 0;
    for (uint32_t i = 0; i < size; i++) {
        search->task[members[i]].next++;
        search->ready[search->ready_count++] = members[i];
    }
}

static void advance(finder *search, uint32_t number) {
    task_state *task = &search->task[number];
    while (task->next < task->step_count) {
        const step *call = &task->steps[task->next];
        if (call->kind == VEF_DUMPI_GROUP) {
            make_group(search, task, call);
            task->next++;
            continue;
        }
        const uint32_t parent = parent_of(task, call);
        if (call->kind == VEF_DUMPI_INTERCOMM || parent == VEF_DUMPI_UNKNOWN) {
            search->comms->unsettled += call->made != VEF_DUMPI_UNKNOWN;
            task->next++;
            continue;
        }
        if (++search->arrived[parent] >= search->comms->list[parent].size)
            settle(search, parent);
        return;
    }
}

static void resolve(finder *search) {
    vef_dumpi_comms *comms = search->comms;
    for (uint32_t i = 0; i < search->tasks; i++) {
        task_state *task = &search->task[i];
        task->globals = vef_malloc(task->creations * sizeof *task->globals);
        for (uint32_t k = 0; k < task->creations; k++)
            task->globals[k] = VEF_DUMPI_UNKNOWN;
        task->globals[0] = 0;
        task->globals[1] = i + 1;
        comms->task[i].made = task->globals;
        search->ready[search->ready_count++] = i;
    }
    while (search->ready_count > 0)
        advance(search, search->ready[--search->ready_count]);
    for (uint32_t i = 0; i < search->tasks; i++)
        for (size_t k = search->task[i].next; k < search->task[i].step_count; k++)
            comms->unsettled += search->task[i].steps[k].made != VEF_DUMPI_UNKNOWN;
}

static void begin(finder *search) {
    vef_dumpi_comms *comms = search->comms;
    const size_t tasks = search->tasks;
    search->task = vef_calloc(tasks, sizeof *search->task);
    search->ready = vef_malloc(tasks * sizeof *search->ready);
    search->mark = vef_malloc(tasks);
    search->arrived = vef_calloc(tasks + 1, sizeof *search->arrived);
    search->arrived_room = tasks + 1;
    comms->task = vef_calloc(tasks, sizeof *comms->task);
    comms->list = vef_calloc(tasks + 1, sizeof *comms->list);
    comms->room = tasks + 1;
    comms->count = tasks + 1;
    for (uint32_t i = 0; i <= search->tasks; i++) {
        const uint32_t size = i == 0 ? search->tasks : 1;
        comms->list[i] = (vef_dumpi_comm){.size = size,
                                          .parent = VEF_DUMPI_UNKNOWN,
                                          .made_by = VEF_PREDEFINED,
                                          .members = vef_malloc(size * sizeof(uint32_t))};
        comms->list[i].members[0] = i == 0 ? 0 : i - 1;
    }
    for (uint32_t i = 0; i < search->tasks; i++) {
        comms->list[0].members[i] = i;
        search->task[i].creations = 2;
    }
}

vef_code vef_dumpi_comms_find(const vef_dumpi_run *run, vef_dumpi_comms *comms, vef_error *error) {
    finder search = {.comms = comms, .tasks = run->tasks};
    *comms = (vef_dumpi_comms){0};
    uint32_t *current = vef_malloc((UINT16_MAX + 1ull) * sizeof *current);
    begin(&search);
    vef_code code = VEF_OK;
    for (uint32_t i = 0; !code && i < run->tasks; i++)
        if (run->paths[i])
            code = scan(&search, i, run->paths[i], current, error);
    if (!code)
        resolve(&search);
    for (uint32_t i = 0; i < run->tasks; i++) {
        for (size_t k = 0; k < search.task[i].step_count; k++)
            free(search.task[i].steps[k].list);
        for (size_t k = 0; k < search.task[i].group_room; k++)
            free(search.task[i].groups[k].list);
        free(search.task[i].steps);
        free(search.task[i].groups);
    }
    free(search.task);
    free(search.ready);
    free(search.mark);
    free(search.arrived);
    free(current);
    return code;
}

uint32_t vef_dumpi_rank(const vef_dumpi_comm *comm, uint32_t task) {
    uint32_t rank = 0;
    if (task < comm->size && comm->members[task] == task)
        return task;
    while (rank + 1 < comm->size && comm->members[rank] != task)
        rank++;
    return rank;
}

void vef_dumpi_comms_release(vef_dumpi_comms *comms, uint32_t tasks) {
    for (size_t i = 0; i < comms->count; i++) {
        free(comms->list[i].members);
        free(comms->list[i].extents);
        free(comms->list[i].periodic);
        free(comms->list[i].index);
    }
    for (uint32_t i = 0; comms->task && i < tasks; i++)
        free(comms->task[i].made);
    free(comms->list);
    free(comms->task);
    *comms = (vef_dumpi_comms){0};
}
