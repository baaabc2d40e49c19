/* The definitions of an OTF2 archive: written after the events, when all regions are known. Strings
 * are defined where they are used. */
#include "interchange/otf2/write.h"

#ifdef VEF_HAVE_OTF2

#include "common/memory.h"
#include "interchange/otf2/names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LOCATIONS_GROUP, SELF_GROUP, FIRST_GROUP };
enum { WORLD_REF, SELF_REF, FIRST_REF };

/* ---- regions ---- */

static OTF2_RegionRole role_of(const vef_name *region) {
    if (region->kind == VEF_OTF2_USER)
        return OTF2_REGION_ROLE_CODE;
    if (region->kind != VEF_OTF2_CALL)
        return OTF2_REGION_ROLE_ARTIFICIAL;
    const uint16_t call = (uint16_t)vef_call_find(region->text + strlen("MPI_"));
    switch (vef_call_kind(call)) {
    case VEF_KIND_TRANSFER:
    case VEF_KIND_COMPLETE:
    case VEF_KIND_PROBE:
        return OTF2_REGION_ROLE_POINT2POINT;
    case VEF_KIND_COLLECTIVE:
        if (vef_call_has(call, VEF_FACT_NO_DATA))
            return OTF2_REGION_ROLE_BARRIER;
        if (!vef_call_has(call, VEF_FACT_ROOTED))
            return vef_call_has(call, VEF_FACT_NEIGHBOURS) ? OTF2_REGION_ROLE_COLL_OTHER
                                                           : OTF2_REGION_ROLE_COLL_ALL2ALL;
        return vef_call_has(call, VEF_FACT_REDUCES) || vef_call_base(call) == VEF_CALL_Gather ||
                       vef_call_has(call, VEF_FACT_RECEIVES_EACH)
                   ? OTF2_REGION_ROLE_COLL_ALL2ONE
                   : OTF2_REGION_ROLE_COLL_ONE2ALL;
    case VEF_KIND_ONE_SIDED:
    case VEF_KIND_SYNC:
        return OTF2_REGION_ROLE_RMA;
    default:
        return OTF2_REGION_ROLE_FUNCTION;
    }
}

/* ---- communicators ---- */

static bool is_self(const vef_otf2_writer *export, uint32_t comm) {
    return comm > 0 && export->header->communicators[comm].made_by == VEF_PREDEFINED;
}

void vef_otf2_number_comms(vef_otf2_writer *export) {
    const uint32_t count = export->header->communicator_count;
    OTF2_CommRef next = FIRST_REF;
    export->comms = vef_calloc(count + 1, sizeof *export->comms);
    vef_replay_comms_init(&export->ranks, export->header->communicators, count);
    for (uint32_t comm = 0; comm < count; comm++) {
        const bool window =
            vef_call_has(export->header->communicators[comm].made_by, VEF_FACT_WINDOW);
        export->comms[comm].reference = comm == 0               ? WORLD_REF
                                        : is_self(export, comm) ? SELF_REF
                                        : window                ? OTF2_UNDEFINED_COMM
                                                                : next++;
    }
}

vef_code vef_otf2_rank_of(vef_otf2_writer *export, uint32_t comm, uint32_t task, uint32_t *rank,
                          vef_error *error) {
    *rank = 0;
    if (is_self(export, comm))
        return VEF_OK;
    const vef_comm_state *about = vef_replay_comms_get(&export->ranks, comm);
    const uint32_t number = vef_comm_rank(about, task), size = about->communicator->size;
    if (number == VEF_NO_RANK)
        return vef_fail(error, VEF_CORRUPT, "task %" PRIu32 " is not in communicator %" PRIu32,
                        task, comm);
    *rank = number < size ? number : number - size;
    return VEF_OK;
}

/* ---- the records ---- */

typedef struct definer {
    vef_otf2_writer *export;
    OTF2_GlobalDefWriter *writer;
    OTF2_StringRef strings;
    OTF2_GroupRef groups;
    bool failed;
} definer;

static void check(definer *on, OTF2_ErrorCode code) {
    on->failed |= code != OTF2_SUCCESS;
}

/* Writes a definition. */
#define DEFINE(on, NAME, ...) check(on, OTF2_GlobalDefWriter_Write##NAME((on)->writer, __VA_ARGS__))

static OTF2_StringRef string(definer *on, const char *text) {
    DEFINE(on, String, on->strings, text);
    return on->strings++;
}

static OTF2_StringRef named(definer *on, const char *what, uint32_t number) {
    char name[64];
    snprintf(name, sizeof name, "%s %" PRIu32, what, number);
    return string(on, name);
}

/* When the program ran, in ns since the epoch. */
static uint64_t started_ns(const vef_trace_header *header) {
    struct tm date = {0};
    const char *end = strptime(header->date, "%Y-%m-%dT%H:%M:%S", &date);
    const time_t seconds = end ? timegm(&date) : -1;
    return seconds > 0 ? (uint64_t)seconds * 1000000000u : OTF2_UNDEFINED_TIMESTAMP;
}

static void define_attributes(definer *on) {
    static const char *const names[VEF_OTF2_ATTRIBUTES] = VEF_OTF2_ATTRIBUTE_NAMES;
    for (OTF2_AttributeRef i = 0; i < VEF_OTF2_ATTRIBUTES; i++) {
        const OTF2_StringRef name = string(on, names[i]);
        DEFINE(on, Attribute, i, name, 0, OTF2_TYPE_UINT64);
    }
}

static void define_regions(definer *on) {
    static const char *const about[] = {"", "MPI calls that a trace only counts", "",
                                        VEF_OTF2_ABOUT_MARK};
    for (OTF2_RegionRef i = 0; i < on->export->regions.count; i++) {
        const vef_name *region = &on->export->regions.list[i];
        const bool mpi = region->kind == VEF_OTF2_CALL || region->kind == VEF_OTF2_OUTSIDE;
        const OTF2_StringRef name = string(on, region->text);
        const OTF2_StringRef description =
            *about[region->kind] ? string(on, about[region->kind]) : 0;
        DEFINE(on, Region, i, name, name, description, role_of(region),
               mpi ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE,
               OTF2_UNDEFINED_STRING, 0, 0);
    }
}

/* A process for each task. A trace does not store the hosts. */
static void define_locations(definer *on) {
    const vef_otf2_writer *export = on->export;
    const OTF2_StringRef machine = string(on, "machine");
    const OTF2_StringRef unknown = string(on, "hosts not recorded");
    DEFINE(on, SystemTreeNode, 0, unknown, machine, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    for (uint32_t task = 0; task < export->header->tasks; task++) {
        const OTF2_StringRef name = named(on, "MPI Rank", task);
        DEFINE(on, LocationGroup, task, name, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
               OTF2_UNDEFINED_LOCATION_GROUP);
    }
    const OTF2_StringRef master = string(on, "Master thread");
    for (size_t i = 0; i < export->location_count; i++) {
        const vef_otf2_written_location *location = &export->locations[i];
        const uint32_t thread = (uint32_t)(location->reference >> 32);
        const OTF2_StringRef name = thread ? named(on, "MPI thread", thread) : master;
        DEFINE(on, Location, location->reference, name, OTF2_LOCATION_TYPE_CPU_THREAD,
               location->events, (uint32_t)location->reference);
    }
}

static OTF2_GroupRef define_group(definer *on, const uint32_t *members, uint32_t size,
                                  uint64_t *list) {
    for (uint32_t i = 0; i < size; i++)
        list[i] = members[i];
    DEFINE(on, Group, on->groups, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
           OTF2_GROUP_FLAG_NONE, size, list);
    return on->groups++;
}

static void define_comm(definer *on, uint32_t comm, uint64_t *list) {
    const vef_otf2_writer *export = on->export;
    const vef_communicator *about = &export->header->communicators[comm];
    const vef_otf2_written_comm *written = &export->comms[comm];
    const OTF2_CommRef parent = about->parent < export->header->communicator_count
                                    ? export->comms[about->parent].reference
                                    : OTF2_UNDEFINED_COMM;
    const OTF2_CommFlag flags =
        written->created ? OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS : OTF2_COMM_FLAG_NONE;
    const OTF2_StringRef name = comm == 0 ? string(on, "MPI_COMM_WORLD") : 0;
    const OTF2_GroupRef group = define_group(on, about->members, about->size, list);
    if (about->remote_size > 0) {
        const OTF2_GroupRef remote =
            define_group(on, about->remote_members, about->remote_size, list);
        DEFINE(on, InterComm, written->reference, name, group, remote, parent, flags);
    } else {
        DEFINE(on, Comm, written->reference, name, group, parent, flags);
    }
}

static void define_comms(definer *on) {
    const vef_trace_header *header = on->export->header;
    uint64_t *list = vef_malloc((header->tasks + 1ull) * sizeof *list);
    for (uint32_t task = 0; task < header->tasks; task++)
        list[task] = task;
    DEFINE(on, Group, LOCATIONS_GROUP, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
           OTF2_GROUP_FLAG_NONE, header->tasks, list);
    DEFINE(on, Group, SELF_GROUP, 0, OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI,
           OTF2_GROUP_FLAG_NONE, 0, NULL);
    define_comm(on, 0, list);
    const OTF2_StringRef self_name = string(on, "MPI_COMM_SELF");
    DEFINE(on, Comm, SELF_REF, self_name, SELF_GROUP, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    for (uint32_t comm = 1; comm < header->communicator_count; comm++)
        if (!is_self(on->export, comm) && on->export->comms[comm].reference != OTF2_UNDEFINED_COMM)
            define_comm(on, comm, list);
    free(list);
}

vef_code vef_otf2_define(vef_otf2_writer *export, vef_error *error) {
    definer on = {export, OTF2_Archive_GetGlobalDefWriter(export->archive), 0, FIRST_GROUP, false};
    if (!on.writer)
        return vef_otf2_failed(export, "definitions", error);
    DEFINE(&on, ClockProperties, 1000000000, VEF_OTF2_FIRST_NS, export->last_ns,
           started_ns(export->header));
    string(&on, "");
    const OTF2_StringRef mpi = string(&on, "MPI");
    DEFINE(&on, Paradigm, OTF2_PARADIGM_MPI, mpi, OTF2_PARADIGM_CLASS_PROCESS);
    define_attributes(&on);
    define_regions(&on);
    define_locations(&on);
    define_comms(&on);
    if (OTF2_Archive_CloseGlobalDefWriter(export->archive, on.writer) != OTF2_SUCCESS || on.failed)
        return vef_otf2_failed(export, "definitions", error);
    return VEF_OK;
}

#endif
