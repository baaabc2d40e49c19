/* The communicators of a task: see communicators.h. */
#include "capture/objects/communicators.h"

#include "capture/real.h"
#include "common/containers/grow.h"

#include <stdlib.h>
#include <string.h>

bool vef_comms_init(vef_comms *comms, MPI_Group world) {
    *comms = (vef_comms){.world = world, .capacity = 16};
    comms->list = malloc(comms->capacity * sizeof *comms->list);
    return comms->list != NULL && vef_map_init(&comms->numbers, 6);
}

/* World tasks of a group's ranks into `members`; false if some are outside the world. Frees the
 * group. */
static bool translate(MPI_Group group, int size, MPI_Group world, uint32_t *members) {
    int *ranks = calloc(2 * (size_t)size, sizeof *ranks);
    bool inside = ranks != NULL;
    for (int i = 0; inside && i < size; i++)
        ranks[i] = i;
    inside = inside &&
             vef_mpi.Group_translate_ranks(group, size, ranks, world, ranks + size) == MPI_SUCCESS;
    for (int i = 0; inside && i < size; i++) {
        inside = ranks[size + i] >= 0; /* else MPI_UNDEFINED */
        members[i] = (uint32_t)ranks[size + i];
    }
    free(ranks);
    vef_mpi.Group_free(&group);
    return inside;
}

/* The properties of a communicator, with their memory. */
typedef struct learned {
    vef_communicator made;
    vef_comm comm;
    vef_neighbours neighbours;
    uint32_t *members, *extents;
    uint8_t *periodic;
    int *lists; /* neighbours in MPI's order; weights follow */
} learned;

static void forget(learned *found) {
    free(found->members);
    free(found->extents);
    free(found->periodic);
    free(found->lists);
}

static bool learn_grid(MPI_Comm comm, learned *found) {
    int dimensions = 0;
    if (vef_mpi.Cartdim_get(comm, &dimensions) != MPI_SUCCESS)
        return false;
    if (dimensions <= 0) /* a grid of one task */
        return true;
    size_t count = (size_t)dimensions;
    int *got = malloc(3 * count * sizeof *got);
    found->extents = malloc(count * sizeof *found->extents);
    found->periodic = malloc(count);
    bool ok = got != NULL && found->extents != NULL && found->periodic != NULL &&
              vef_mpi.Cart_get(comm, dimensions, got, got + count, got + 2 * count) == MPI_SUCCESS;
    for (size_t i = 0; ok && i < count; i++) {
        found->extents[i] = (uint32_t)got[i];
        found->periodic[i] = got[count + i] != 0;
    }
    free(got);
    found->made.dimensions = ok ? (uint32_t)dimensions : 0;
    found->made.extents = found->extents;
    found->made.periodic = found->periodic;
    found->comm.in = found->comm.out = 2 * found->made.dimensions;
    return ok;
}

/* The neighbours in a graph; those of MPI_Graph_create send to each other in both directions. */
static bool learn_graph(MPI_Comm comm, bool distributed, learned *found) {
    int in = 0, out = 0, weighted = 0;
    if ((distributed ? vef_mpi.Dist_graph_neighbors_count(comm, &in, &out, &weighted)
                     : vef_mpi.Graph_neighbors_count(comm, found->comm.rank, &in)) != MPI_SUCCESS)
        return false;
    if (!distributed)
        out = in;
    size_t counts[2] = {(size_t)in, (size_t)out}, both = counts[0] + counts[1];
    found->lists = malloc((2 * both + 1) * sizeof *found->lists);
    if (found->lists == NULL)
        return false;
    /* (MPI_UNWEIGHTED is a variable of the MPI library, with which this library is not linked.) */
    int *sources = found->lists, *targets = sources + counts[0], *weights = sources + both;
    if (distributed ? vef_mpi.Dist_graph_neighbors(comm, in, sources, weights, out, targets,
                                                   weights + counts[0])
                    : vef_mpi.Graph_neighbors(comm, found->comm.rank, in, sources))
        return false;
    if (!distributed)
        memcpy(targets, sources, counts[0] * sizeof *sources);
    found->neighbours = (vef_neighbours){(uint32_t)in, (uint32_t)out, (const uint32_t *)sources,
                                         (const uint32_t *)targets};
    found->made.neighbours = &found->neighbours;
    found->comm.in = (uint32_t)in;
    found->comm.out = (uint32_t)out;
    return true;
}

static bool learn_topology(MPI_Comm comm, learned *found) {
    int kind = MPI_UNDEFINED;
    vef_mpi.Topo_test(comm, &kind);
    if (kind == MPI_CART)
        return learn_grid(comm, found);
    return kind == MPI_UNDEFINED || learn_graph(comm, kind == MPI_DIST_GRAPH, found);
}

/* Queries a communicator; false if the log cannot represent it. */
static bool learn(vef_comms *comms, MPI_Comm comm, bool topology, learned *found) {
    int size = 0, remote_size = 0, rank = 0, inter = 0;
    MPI_Group group = MPI_GROUP_NULL;
    vef_mpi.Comm_size(comm, &size);
    vef_mpi.Comm_rank(comm, &rank);
    vef_mpi.Comm_test_inter(comm, &inter);
    if (inter)
        vef_mpi.Comm_remote_size(comm, &remote_size);
    found->members = malloc((size_t)(size + remote_size) * sizeof *found->members);
    if (found->members == NULL)
        return false;
    found->made.size = (uint32_t)size;
    found->made.members = found->members;
    found->made.remote_size = (uint32_t)remote_size;
    found->made.remote_members = inter ? found->members + size : NULL;
    found->comm.size = (uint32_t)size;
    found->comm.others = (uint32_t)(inter ? remote_size : size);
    found->comm.rank = rank;
    found->comm.inter = inter != 0;
    vef_mpi.Comm_group(comm, &group);
    if (!translate(group, size, comms->world, found->members))
        return false;
    if (!inter)
        return !topology || learn_topology(comm, found);
    vef_mpi.Comm_remote_group(comm, &group);
    return translate(group, remote_size, comms->world, found->members + size);
}

static uint32_t greater(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

/* Appends to the list; `handle` MPI_COMM_NULL: without handle. */
static vef_code remember(vef_comms *comms, MPI_Comm handle, vef_comm added, vef_error *error) {
    if (!vef_grow(&comms->list, &comms->capacity, comms->count + 1, sizeof *comms->list))
        return vef_fail_memory(error, "communicators", (comms->count + 1) * sizeof *comms->list);
    added.number = comms->count;
    added.longest = greater(greater(added.size, added.others), greater(added.in, added.out));
    vef_comm *kept = malloc(sizeof *kept);
    if (kept == NULL ||
        (handle != MPI_COMM_NULL && !vef_map_put(&comms->numbers, VEF_KEY(handle), added.number))) {
        free(kept);
        return vef_fail_memory(error, "communicators", sizeof *kept + sizeof(vef_map_slot));
    }
    *kept = added;
    comms->list[comms->count++] = kept;
    comms->greatest_size = greater(comms->greatest_size, added.longest);
    return VEF_OK;
}

/* Adds a copy of `like` for `handle`. */
static vef_code add(vef_comms *comms, vef_log *log, MPI_Comm handle, MPI_Comm like, bool topology,
                    uint32_t parent, uint16_t made_by, uint32_t *number, vef_error *error) {
    learned found = {.made = {.parent = parent, .made_by = made_by}};
    vef_code code = VEF_OK;
    *number = VEF_NO_COMM;
    if (learn(comms, like, topology, &found)) {
        code = vef_log_communicator(log, &found.made, error);
        if (code == VEF_OK)
            code = remember(comms, handle, found.comm, error);
        if (code == VEF_OK)
            *number = comms->count - 1;
    }
    forget(&found);
    return code;
}

vef_code vef_comms_add(vef_comms *comms, vef_log *log, MPI_Comm comm, uint32_t parent,
                       uint16_t made_by, uint32_t *number, vef_error *error) {
    return vef_comms_add_copy(comms, log, comm, comm, parent, made_by, number, error);
}

vef_code vef_comms_add_copy(vef_comms *comms, vef_log *log, MPI_Comm comm, MPI_Comm original,
                            uint32_t parent, uint16_t made_by, uint32_t *number, vef_error *error) {
    *number = VEF_NO_COMM;
    if (comm == MPI_COMM_NULL)
        return VEF_OK;
    return add(comms, log, comm, original, true, parent, made_by, number, error);
}

vef_code vef_comms_add_window(vef_comms *comms, vef_log *log, MPI_Comm comm, uint32_t parent,
                              uint16_t made_by, uint32_t *number, vef_error *error) {
    return add(comms, log, MPI_COMM_NULL, comm, false, parent, made_by, number, error);
}

vef_code vef_comms_add_first(vef_comms *comms, vef_log *log, int rank, int size, vef_error *error) {
    uint32_t *members = malloc((size_t)size * sizeof *members), me = (uint32_t)rank;
    if (members == NULL)
        return vef_fail_memory(error, "the world", (size_t)size * sizeof *members);
    for (int i = 0; i < size; i++)
        members[i] = (uint32_t)i;
    vef_communicator made = {.parent = VEF_NO_COMM,
                             .made_by = VEF_PREDEFINED,
                             .size = (uint32_t)size,
                             .members = members};
    vef_code code = vef_log_communicator(log, &made, error);
    if (code == VEF_OK)
        code = remember(comms, MPI_COMM_WORLD,
                        (vef_comm){.size = (uint32_t)size, .others = (uint32_t)size, .rank = rank},
                        error);
    made.size = 1;
    made.members = &me;
    if (code == VEF_OK)
        code = vef_log_communicator(log, &made, error);
    if (code == VEF_OK)
        code = remember(comms, MPI_COMM_SELF, (vef_comm){.size = 1, .others = 1}, error);
    free(members);
    return code;
}

void vef_comms_forget(vef_comms *comms, MPI_Comm comm) {
    vef_map_remove(&comms->numbers, VEF_KEY(comm));
    comms->forgotten++;
}

void vef_comms_restore(vef_comms *comms, MPI_Comm comm, uint32_t number) {
    vef_map_put(&comms->numbers, VEF_KEY(comm), number); /* else it stays unknown */
    comms->forgotten++;
}
