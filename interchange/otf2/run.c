/* The definitions of an archive. See run.h.
 *
 * The tasks are the members of the group of type COMM_LOCATIONS of MPI: for each rank of the world
 * its location, whose location group has the locations of its threads. Communicators have groups
 * whose members are ranks of that group. */
#include "interchange/otf2/run.h"

#ifdef VEF_HAVE_OTF2

#include "common/containers/grow.h"
#include "common/memory.h"
#include "traces/file/trace.h"

#include <ctype.h>
#include <inttypes.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* EZTrace: version 2.0, as packaged by Debian 12. Found by running programs under it. */
const vef_otf2_tool vef_otf2_tools[] = {
    {.name = "vef",
     .creator = "vef export",
     .outside = VEF_OTF2_NAME_OUTSIDE,
     .end = VEF_OTF2_NAME_END,
     .sizes_known = true,
     .without_place = true,
     .open_ended = true},
    {.name = "Score-P", .creator = "Score-P", .sizes_known = true},
    {.name = "EZTrace",
     .region = "EZTrace finalize",
     .computation = "Working",
     .finalize = "EZTrace finalize",
     .sizes_known = true,
     .without_place = true,
     .arguments = true,
     .starts_only = true,
     .comms_without_calls = true},
    {.name = "another tool"},
};

typedef struct group {
    uint8_t type;
    uint64_t paradigm;
    uint32_t size;
    uint64_t *members;
} group;

/* Definitions refer to later ones, so they are kept until the last. */
typedef struct definitions {
    vef_otf2_run *run; /* that is read */
    group *groups;
    size_t group_count, group_room;
    vef_map64 group_at;   /* reference → place in `groups` */
    vef_map64 process_at; /* location group → place in `others` */
    vef_map64 node_at;    /* node of the system tree → likewise */
    vef_otf2_record
        *others; /* attributes, nodes, location groups, locations, regions, communicators */
    size_t other_count, other_room;
    uint64_t comm_count; /* of `others` */
} definitions;

/* ---- gathering ---- */

static void keep_text(vef_otf2_run *run, const vef_otf2_record *record) {
    vef_map64_set(&run->text_of, record->a, run->text_count);
    *VEF_NEW_ITEM(run->texts, run->text_count, run->text_room) = vef_strdup(record->payload);
}

static void keep_group(definitions *from, const vef_otf2_record *record) {
    vef_grow(&from->groups, &from->group_room, from->group_count + 1, sizeof *from->groups);
    group *made = &from->groups[from->group_count];
    *made = (group){.type = (uint8_t)record->b,
                    .paradigm = record->c,
                    .size = record->count,
                    .members = vef_malloc((record->count + 1ull) * sizeof *made->members)};
    /* Some tools give the locations the number of another group. */
    if (made->type == OTF2_GROUP_TYPE_COMM_GROUP || made->type == OTF2_GROUP_TYPE_COMM_SELF)
        vef_map64_set(&from->group_at, record->a, from->group_count);
    if (record->count > 0)
        memcpy(made->members, record->payload, record->count * sizeof *made->members);
    from->group_count++;
}

static vef_code keep(void *context, const vef_otf2_record *record, vef_error *error) {
    definitions *to = context;
    vef_otf2_run *run = to->run;
    (void)error;
    switch (record->type) {
    case VEF_OTF2_DEF_CREATOR:
        free(run->creator);
        run->creator = vef_strdup(record->payload);
        break;
    case VEF_OTF2_DEF_CLOCK:
        run->resolution = record->a;
        run->offset = record->b;
        run->started_ns = record->c == OTF2_UNDEFINED_TIMESTAMP ? 0 : record->c;
        break;
    case VEF_OTF2_DEF_STRING:
        if (record->count > 0)
            keep_text(run, record);
        break;
    case VEF_OTF2_DEF_GROUP:
        keep_group(to, record);
        break;
    default:
        vef_grow(&to->others, &to->other_room, to->other_count + 1, sizeof *to->others);
        if (record->type == VEF_OTF2_DEF_LOCATION_GROUP)
            vef_map64_set(&to->process_at, record->a, to->other_count);
        else if (record->type == VEF_OTF2_DEF_NODE)
            vef_map64_set(&to->node_at, record->a, to->other_count);
        else if (record->type == VEF_OTF2_DEF_COMM || record->type == VEF_OTF2_DEF_INTERCOMM)
            vef_map64_set(&run->comm_of, record->a, to->comm_count++);
        to->others[to->other_count++] = *record;
    }
    return VEF_OK;
}

/* ---- what they mean ---- */

static const char *text_of(const vef_otf2_run *run, uint64_t reference) {
    const uint64_t *place = vef_map64_get(&run->text_of, reference);
    return place ? run->texts[*place] : "";
}

static void take_attribute(vef_otf2_run *run, const vef_otf2_record *record) {
    static const char *const names[VEF_OTF2_ATTRIBUTES] = VEF_OTF2_ATTRIBUTE_NAMES;
    for (int i = 0; i < VEF_OTF2_ATTRIBUTES; i++)
        if (record->c == OTF2_TYPE_UINT64 && strcmp(text_of(run, record->b), names[i]) == 0)
            run->attributes[i] = (uint32_t)record->a;
}

static bool is_named(const char *name, const char *by_tool) {
    return by_tool && strcmp(name, by_tool) == 0;
}

/* The call of a function MPI_Send, or in Fortran mpi_send_; -1: none. */
static int call_of(const char *function) {
    char name[64] = "";
    if (strncmp(function, "MPI_", 4) == 0)
        return vef_call_find(function + 4);
    if (strncmp(function, "mpi_", 4) != 0)
        return -1;
    snprintf(name, sizeof name, "%s", function + 4);
    for (size_t end = strlen(name); end > 0 && name[end - 1] == '_'; end--)
        name[end - 1] = 0;
    name[0] = (char)toupper((unsigned char)name[0]);
    return vef_call_find(name);
}

static vef_otf2_known_region meaning_of(const vef_otf2_run *run, const vef_otf2_record *record) {
    const char *name = text_of(run, record->b), *canonical = text_of(run, record->c);
    const uint64_t *place = vef_map64_get(&run->text_of, record->b);
    vef_otf2_known_region region = {.name = place ? (uint32_t)*place : UINT32_MAX};
    if (is_named(name, run->tool->computation))
        return region;
    if (is_named(name, run->tool->finalize)) {
        region.meaning = VEF_OTF2_IS_CALL;
        region.call = VEF_CALL_Finalize;
        return region;
    }
    if (record->e == OTF2_PARADIGM_USER && place && strncasecmp(name, "MPI_", 4) != 0) {
        region.meaning = strcmp(text_of(run, record->d), VEF_OTF2_ABOUT_MARK) == 0
                             ? VEF_OTF2_IS_MARK
                             : VEF_OTF2_IS_REGION;
        return region;
    }
    if (record->e == OTF2_PARADIGM_MPI &&
        (is_named(name, run->tool->outside) || is_named(name, run->tool->end))) {
        region.meaning = is_named(name, run->tool->end) ? VEF_OTF2_IS_END : VEF_OTF2_IS_OUTSIDE;
        return region;
    }
    const int call = call_of(strncasecmp(canonical, "MPI_", 4) == 0 ? canonical : name);
    if (call > 0) {
        region.meaning = VEF_OTF2_IS_CALL;
        region.call = (uint16_t)call;
        if (vef_call_kind(region.call) == VEF_KIND_AS)
            region.call = vef_call_base(region.call);
    }
    return region;
}

static void take_region(vef_otf2_run *run, const vef_otf2_record *record) {
    vef_grow(&run->regions, &run->region_room, run->region_count + 1, sizeof *run->regions);
    run->regions[run->region_count] = meaning_of(run, record);
    vef_map64_set(&run->region_of, record->a, run->region_count++);
}

static const group *group_of(const definitions *from, uint64_t reference) {
    const uint64_t *place = vef_map64_get(&from->group_at, reference);
    return place ? &from->groups[*place] : NULL;
}

/* A communicator is of tasks that exist, each once; otherwise it stays unknown. */
static void take_members(const vef_otf2_run *run, const group *from, vef_otf2_comm *comm) {
    uint32_t *members = vef_malloc((from->size + 1ull) * sizeof *members);
    comm->members = members;
    comm->size = from->size;
    for (uint32_t rank = 0; rank < from->size; rank++) {
        const uint64_t task = from->members[rank];
        if (task >= run->task_count || vef_map64_get(&comm->ranks, task))
            return;
        members[rank] = (uint32_t)task;
        vef_map64_set(&comm->ranks, task, rank);
    }
    comm->kind = from->size > 0 ? VEF_OTF2_COMM_OTHER : VEF_OTF2_COMM_UNKNOWN;
}

static bool is_whole(const vef_otf2_run *run, const vef_otf2_comm *comm) {
    uint32_t rank = 0;
    while (rank < comm->size && comm->members[rank] == rank)
        rank++;
    return rank == run->task_count && rank == comm->size;
}

static void take_comm(vef_otf2_run *run, const definitions *from, const vef_otf2_record *record) {
    vef_otf2_comm *made = VEF_NEW_ITEM(run->comms, run->comm_count, run->comm_room);
    const bool intra = record->type == VEF_OTF2_DEF_COMM;
    const group *members = intra ? group_of(from, record->c) : NULL;
    const bool alone = members && members->type == OTF2_GROUP_TYPE_COMM_SELF;
    *made = (vef_otf2_comm){.kind = alone ? VEF_OTF2_COMM_SELF : VEF_OTF2_COMM_UNKNOWN,
                            .parent = intra ? vef_otf2_run_comm(run, record->d) : VEF_NO_COMM,
                            .size = alone};
    if (members && !alone)
        take_members(run, members, made);
    /* Score-P names it; elsewhere it is the first of all tasks. */
    bool world = made->kind == VEF_OTF2_COMM_OTHER && is_whole(run, made);
    for (size_t i = 0; i + 1 < run->comm_count; i++)
        world &= run->comms[i].kind != VEF_OTF2_COMM_WORLD;
    if (world)
        made->kind = VEF_OTF2_COMM_WORLD;
}

/* ---- tasks ---- */

static const vef_otf2_record *find(const definitions *from, const vef_map64 *places,
                                   uint64_t reference) {
    const uint64_t *place = vef_map64_get(places, reference);
    return place ? &from->others[*place] : NULL;
}

static const char *host_of(const vef_otf2_run *run, const definitions *from,
                           uint64_t location_group) {
    const vef_otf2_record *process = find(from, &from->process_at, location_group);
    const vef_otf2_record *node = process ? find(from, &from->node_at, process->c) : NULL;
    const bool is_node = node && strcmp(text_of(run, node->c), "node") == 0;
    return is_node && *text_of(run, node->b) ? text_of(run, node->b) : NULL;
}

static bool is_thread_with_events(const vef_otf2_record *record) {
    return record->type == VEF_OTF2_DEF_LOCATION && record->b == OTF2_LOCATION_TYPE_CPU_THREAD &&
           record->d > 0;
}

/* The locations of each process: its own one first. */
static void take_locations(vef_otf2_run *run, const definitions *from, const group *ranks,
                           const vef_map64 *task_of) {
    size_t *room = vef_calloc(run->task_count, sizeof *room);
    for (int further = 0; further <= 1; further++)
        for (size_t i = 0; i < from->other_count; i++) {
            const vef_otf2_record *record = &from->others[i];
            const uint64_t *task =
                is_thread_with_events(record) ? vef_map64_get(task_of, record->c) : NULL;
            if (!task || (ranks->members[*task] == record->a) == further)
                continue;
            vef_otf2_task *process = &run->tasks[*task];
            uint64_t *locations = (uint64_t *)(uintptr_t)process->locations;
            vef_grow(&locations, &room[*task], process->location_count + 1ull, sizeof *locations);
            process->locations = locations;
            locations[process->location_count++] = record->a;
        }
    free(room);
}

static vef_code take_tasks(vef_otf2_run *run, const definitions *from, vef_error *error) {
    const group *ranks = NULL;
    vef_map64 task_of = {0}, group_at = {0}; /* location group → task; location → its group */
    vef_code code = VEF_OK;
    for (size_t i = 0; i < from->group_count && !ranks; i++)
        if (from->groups[i].type == OTF2_GROUP_TYPE_COMM_LOCATIONS &&
            from->groups[i].paradigm == OTF2_PARADIGM_MPI)
            ranks = &from->groups[i];
    if (!ranks || ranks->size == 0 || ranks->size > VEF_TASK_LIMIT)
        return vef_fail(error, VEF_INVALID,
                        "%s: no MPI tasks: expected a group of type COMM_LOCATIONS of MPI with up "
                        "to %d members",
                        run->path, VEF_TASK_LIMIT);
    run->task_count = ranks->size;
    run->tasks = vef_calloc(ranks->size, sizeof *run->tasks);
    for (size_t i = 0; i < from->other_count; i++)
        if (from->others[i].type == VEF_OTF2_DEF_LOCATION)
            vef_map64_set(&group_at, from->others[i].a, from->others[i].c);
    for (uint32_t task = 0; task < ranks->size && !code; task++) {
        const uint64_t *process = vef_map64_get(&group_at, ranks->members[task]);
        if (!process || vef_map64_get(&task_of, *process))
            code = vef_fail(error, VEF_CORRUPT,
                            "%s: rank %" PRIu32 ": expected a location of a process of its own",
                            run->path, task);
        else {
            vef_map64_set(&task_of, *process, task);
            run->tasks[task].host = host_of(run, from, *process);
        }
    }
    if (!code)
        take_locations(run, from, ranks, &task_of);
    vef_map64_free(&task_of);
    vef_map64_free(&group_at);
    return code;
}

static bool defines_region(const vef_otf2_run *run, const definitions *from, const char *name) {
    for (size_t i = 0; i < from->other_count; i++)
        if (from->others[i].type == VEF_OTF2_DEF_REGION &&
            strcmp(text_of(run, from->others[i].b), name) == 0)
            return true;
    return false;
}

static const vef_otf2_tool *tool_of(const vef_otf2_run *run, const definitions *from) {
    const vef_otf2_tool *tool = vef_otf2_tools;
    for (; tool->creator || tool->region; tool++) {
        if (tool->creator && run->creator &&
            strncmp(run->creator, tool->creator, strlen(tool->creator)) == 0)
            break;
        if (tool->region && defines_region(run, from, tool->region))
            break;
    }
    return tool;
}

static vef_code take_all(vef_otf2_run *run, const definitions *from, vef_error *error) {
    vef_code code = take_tasks(run, from, error);
    run->tool = tool_of(run, from);
    for (size_t i = 0; i < from->other_count && !code; i++) {
        const vef_otf2_record *record = &from->others[i];
        if (record->type == VEF_OTF2_DEF_ATTRIBUTE)
            take_attribute(run, record);
        else if (record->type == VEF_OTF2_DEF_REGION)
            take_region(run, record);
        else if (record->type == VEF_OTF2_DEF_COMM || record->type == VEF_OTF2_DEF_INTERCOMM)
            take_comm(run, from, record);
    }
    if (!code && run->resolution == 0)
        code = vef_fail(error, VEF_CORRUPT, "%s: no clock: expected its resolution", run->path);
    return code;
}

vef_code vef_otf2_run_read(const char *path, vef_otf2_run *run, vef_error *error) {
    definitions from = {.run = run};
    *run = (vef_otf2_run){.path = path};
    for (int i = 0; i < VEF_OTF2_ATTRIBUTES; i++)
        run->attributes[i] = VEF_OTF2_NO_ATTRIBUTE;
    const vef_otf2_wanted wanted = {.path = path, .take = keep, .context = &from};
    vef_code code = vef_otf2_archive_read(&wanted, error);
    code = code ? code : take_all(run, &from, error);
    for (size_t i = 0; i < from.group_count; i++)
        free(from.groups[i].members);
    vef_map64_free(&from.group_at);
    vef_map64_free(&from.process_at);
    vef_map64_free(&from.node_at);
    free(from.groups);
    free(from.others);
    return code;
}

void vef_otf2_run_release(vef_otf2_run *run) {
    for (size_t i = 0; i < run->text_count; i++)
        free(run->texts[i]);
    for (size_t i = 0; i < run->comm_count; i++) {
        free((uint32_t *)(uintptr_t)run->comms[i].members);
        vef_map64_free(&run->comms[i].ranks);
    }
    for (uint32_t i = 0; i < run->task_count; i++)
        free((uint64_t *)(uintptr_t)run->tasks[i].locations);
    free(run->creator);
    free(run->texts);
    free(run->regions);
    free(run->comms);
    free(run->tasks);
    vef_map64_free(&run->text_of);
    vef_map64_free(&run->region_of);
    vef_map64_free(&run->comm_of);
}

/* ---- asking ---- */

const vef_otf2_known_region *vef_otf2_run_region(const vef_otf2_run *run, uint64_t reference) {
    static const vef_otf2_known_region computation;
    const uint64_t *place = vef_map64_get(&run->region_of, reference);
    return place ? &run->regions[*place] : &computation;
}

uint32_t vef_otf2_run_comm(const vef_otf2_run *run, uint64_t reference) {
    const uint64_t *place = vef_map64_get(&run->comm_of, reference);
    return place ? (uint32_t)*place : VEF_NO_COMM;
}

bool vef_otf2_run_rank(const vef_otf2_comm *comm, uint32_t task, uint32_t *rank) {
    *rank = comm->kind == VEF_OTF2_COMM_SELF ? 0 : task;
    if (comm->kind != VEF_OTF2_COMM_OTHER)
        return comm->kind != VEF_OTF2_COMM_UNKNOWN;
    const uint64_t *known = vef_map64_get(&comm->ranks, task);
    *rank = known ? (uint32_t)*known : 0;
    return known != NULL;
}

/* Later times are not plausible, and sums of gaps must not overflow. */
#define MOST_NS ((uint64_t)1 << 61)

uint64_t vef_otf2_run_ns(const vef_otf2_run *run, uint64_t time) {
    const uint64_t ticks = time > run->offset ? time - run->offset : 0;
    const unsigned __int128 ns = (unsigned __int128)ticks * 1000000000u / run->resolution;
    return ns < MOST_NS ? (uint64_t)ns : MOST_NS;
}

#endif
