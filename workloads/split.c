/* The communicators of a workload: the world, and divisions of it. See kind.h. */
#include "common/containers/grow.h"
#include "workloads/state.h"

static void add_communicator(vef_workload *workload, const vef_communicator *communicator) {
    *VEF_NEW_ITEM(workload->communicators, workload->communicator_count,
                  workload->communicator_room) = *communicator;
}

uint16_t vef_workload_makes(const vef_workload *workload) {
    return workload->root.communicators == VEF_MADE_BY_GROUP ? VEF_CALL_Comm_create_group
                                                             : VEF_CALL_Comm_split;
}

void vef_workload_add_world(vef_workload *workload) {
    uint32_t *members = vef_arena_alloc(&workload->arena, workload->root.tasks, sizeof *members);
    for (uint32_t i = 0; i < workload->root.tasks; i++)
        members[i] = i;
    add_communicator(workload, &(vef_communicator){.parent = VEF_NO_COMM,
                                                   .made_by = VEF_PREDEFINED,
                                                   .size = workload->root.tasks,
                                                   .members = members});
}

/* A division of another step into the same groups. */
static const vef_workload_split *find_split(const vef_workload *workload, const uint32_t *color) {
    for (size_t i = 0; i < workload->split_count; i++) {
        const uint32_t *comm = workload->splits[i].comm;
        /* Colors are numbers from 0 on, as are the communicators of a division. */
        const uint32_t first = comm[0] - color[0];
        uint32_t t = 0;
        while (t < workload->root.tasks && comm[t] - color[t] == first)
            t++;
        if (t == workload->root.tasks)
            return &workload->splits[i];
    }
    return NULL;
}

vef_code vef_workload_divide(vef_workload_step *step, const uint32_t *color, uint32_t colors,
                             vef_workload_split *split, vef_error *error) {
    vef_workload *workload = step->workload;
    const vef_workload_split *same = find_split(workload, color);
    if (same) {
        *split = *same;
        return VEF_OK;
    }
    if ((workload->split_count + 1) * step->tasks > VEF_MOST_PAIR_COUNTS)
        return vef_workload_fail(step, error, NULL,
                                 "%zu different divisions of %u tasks into communicators: expected "
                                 "fewer steps with communicators",
                                 workload->split_count + 1, step->tasks);
    const uint16_t made_by = vef_workload_makes(workload);
    const uint32_t tasks = step->tasks, first = (uint32_t)workload->communicator_count;
    uint32_t *members = vef_arena_alloc(step->arena, tasks, sizeof *members);
    uint32_t *begin = vef_arena_alloc(step->arena, colors + 1ull, sizeof *begin);
    uint32_t *comm = vef_arena_alloc(step->arena, tasks, sizeof *comm);
    for (uint32_t i = 0; i < tasks; i++)
        begin[color[i]]++;
    for (uint32_t c = 0, sum = 0; c <= colors;
         c++) { /* where each color's members end, then begin */
        sum += c < colors ? begin[c] : 0;
        begin[c] = sum;
    }
    for (uint32_t i = tasks; i-- > 0;) {
        members[--begin[color[i]]] = i;
        comm[i] = first + color[i];
    }
    *split = (vef_workload_split){.comm = comm};
    *VEF_NEW_ITEM(workload->splits, workload->split_count, workload->split_room) = *split;
    for (uint32_t c = 0; c < colors; c++)
        add_communicator(workload, &(vef_communicator){.parent = 0,
                                                       .made_by = made_by,
                                                       .size = begin[c + 1] - begin[c],
                                                       .members = members + begin[c]});
    return VEF_OK;
}
