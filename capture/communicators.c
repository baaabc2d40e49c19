/* The communicators of a task: see communicators.h. */
#include "capture/communicators.h"

#include "capture/real.h"

#include <stdlib.h>

bool vef_comms_init(vef_comms *comms, MPI_Group world) {
    *comms = (vef_comms){.world = world, .capacity = 16};
    comms->list = malloc(comms->capacity * sizeof *comms->list);
    return comms->list != NULL && vef_map_init(&comms->numbers, 6);
}

void vef_comms_release(vef_comms *comms) {
    for (uint32_t i = 0; i < comms->count; i++)
        free(comms->list[i]);
    free(comms->list);
    vef_map_release(&comms->numbers);
    *comms = (vef_comms){0};
}

/* World tasks of a group's ranks into `members`; false when some are outside the world. Frees the
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

/* The communicator's grid, when it has one, into `made`. */
static bool describe_grid(MPI_Comm comm, vef_communicator *made, uint32_t **extents,
                          uint8_t **periodic) {
    int kind = MPI_UNDEFINED, dimensions = 0;
    vef_mpi.Topo_test(comm, &kind);
    if (kind != MPI_CART || vef_mpi.Cartdim_get(comm, &dimensions) != MPI_SUCCESS ||
        dimensions <= 0)
        return true;
    size_t count = (size_t)dimensions;
    int *got = malloc(3 * count * sizeof *got);
    *extents = malloc(count * sizeof **extents);
    *periodic = malloc(count);
    bool ok = got != NULL && *extents != NULL && *periodic != NULL &&
              vef_mpi.Cart_get(comm, dimensions, got, got + count, got + 2 * count) == MPI_SUCCESS;
    for (size_t i = 0; ok && i < count; i++) {
        (*extents)[i] = (uint32_t)got[i];
        (*periodic)[i] = got[count + i] != 0;
    }
    free(got);
    made->dimensions = ok ? (uint32_t)dimensions : 0;
    made->extents = *extents;
    made->periodic = *periodic;
    return ok;
}

static vef_code remember(vef_comms *comms, MPI_Comm comm, vef_comm added, vef_error *error) {
    if (comms->count == comms->capacity) {
        vef_comm **list = realloc(comms->list, 2 * comms->capacity * sizeof *list);
        if (list == NULL)
            return vef_fail_memory(error, "communicators", 2 * comms->capacity * sizeof *list);
        comms->list = list;
        comms->capacity *= 2;
    }
    added.number = comms->count;
    vef_comm *kept = malloc(sizeof *kept);
    if (kept == NULL || !vef_map_put(&comms->numbers, (uint32_t)comm, added.number)) {
        free(kept);
        return vef_fail_memory(error, "communicators", sizeof *kept + sizeof(vef_map_slot));
    }
    *kept = added;
    comms->list[comms->count++] = kept;
    if (added.size > comms->greatest_size)
        comms->greatest_size = added.size;
    return VEF_OK;
}

vef_code vef_comms_add(vef_comms *comms, vef_log *log, MPI_Comm comm, uint32_t parent,
                       uint16_t made_by, uint32_t *number, vef_error *error) {
    *number = VEF_NO_COMM;
    if (comm == MPI_COMM_NULL)
        return VEF_OK;
    int size = 0, remote_size = 0, rank = 0, inter = 0;
    MPI_Group group = MPI_GROUP_NULL;
    vef_mpi.Comm_size(comm, &size);
    vef_mpi.Comm_rank(comm, &rank);
    vef_mpi.Comm_test_inter(comm, &inter);
    if (inter)
        vef_mpi.Comm_remote_size(comm, &remote_size);
    uint32_t *members = malloc((size_t)(size + remote_size) * sizeof *members), *extents = NULL;
    uint8_t *periodic = NULL;
    vef_communicator made = {.parent = parent,
                             .made_by = made_by,
                             .size = (uint32_t)size,
                             .members = members,
                             .remote_size = (uint32_t)remote_size,
                             .remote_members = inter && members != NULL ? members + size : NULL};
    vef_code code = VEF_OK;
    bool inside = members != NULL;
    if (inside) {
        vef_mpi.Comm_group(comm, &group);
        inside = translate(group, size, comms->world, members);
    }
    if (inside && inter) {
        vef_mpi.Comm_remote_group(comm, &group);
        inside = translate(group, remote_size, comms->world, members + size);
    }
    if (inside && (inter || describe_grid(comm, &made, &extents, &periodic))) {
        code = vef_log_communicator(log, &made, error);
        if (code == VEF_OK)
            code = remember(comms, comm, (vef_comm){0, (uint32_t)size, rank, inter != 0}, error);
        if (code == VEF_OK)
            *number = comms->count - 1;
    }
    free(members);
    free(extents);
    free(periodic);
    return code;
}

vef_code vef_comms_add_first(vef_comms *comms, vef_log *log, int rank, int size, vef_error *error) {
    uint32_t *members = malloc((size_t)size * sizeof *members), self = (uint32_t)rank;
    if (members == NULL)
        return vef_fail_memory(error, "the world", (size_t)size * sizeof *members);
    for (int i = 0; i < size; i++)
        members[i] = (uint32_t)i;
    vef_communicator made = {.parent = VEF_NO_COMM,
                             .made_by = VEF_CALL_Init,
                             .size = (uint32_t)size,
                             .members = members};
    vef_code code = vef_log_communicator(log, &made, error);
    if (code == VEF_OK)
        code = remember(comms, MPI_COMM_WORLD, (vef_comm){.size = (uint32_t)size, .rank = rank},
                        error);
    made.size = 1;
    made.members = &self;
    if (code == VEF_OK)
        code = vef_log_communicator(log, &made, error);
    if (code == VEF_OK)
        code = remember(comms, MPI_COMM_SELF, (vef_comm){.size = 1}, error);
    free(members);
    return code;
}

void vef_comms_forget(vef_comms *comms, MPI_Comm comm) {
    vef_map_remove(&comms->numbers, (uint32_t)comm);
    comms->forgotten++;
}
