/* What a mapping may ask of a traced program. See program.h. */
#include "replay/program.h"
#include "replay/traffic.h"

/* Whether a communicator's ranks are the tasks in order. */
static bool is_whole_world(const vef_communicator *communicator, uint32_t tasks) {
    if (communicator->size != tasks || communicator->remote_size != 0)
        return false;
    for (uint32_t rank = 0; rank < tasks; rank++)
        if (communicator->members[rank] != rank)
            return false;
    return true;
}

vef_grid vef_program_grid(const vef_communicator *communicators, uint32_t count, uint32_t tasks,
                          uint32_t dimensions) {
    const uint32_t wanted = dimensions < 2 ? 2 : dimensions;
    for (uint32_t k = 0; k < count; k++)
        if (communicators[k].dimensions == wanted && wanted <= VEF_MAX_DIMENSIONS &&
            is_whole_world(&communicators[k], tasks)) {
            vef_grid grid = {{0}};
            for (uint32_t d = 0; d < wanted; d++)
                grid.size[d] = communicators[k].extents[wanted - 1 - d];
            return grid;
        }
    return (vef_grid){{0}};
}

static vef_code find_traffic(void *context, vef_traffic_matrix *traffic, vef_error *error) {
    const vef_traced_program *program = context;
    return vef_replay_traffic(program->trace, program->machine, traffic, error);
}

vef_mapping_request vef_program_request(vef_traced_program *program, const vef_topology *topology) {
    const vef_trace_header *header = vef_trace_get_header(program->trace);
    return (vef_mapping_request){
        .tasks = header->tasks,
        .cores = program->machine->host.cores,
        .nics = program->machine->host.nics,
        .find_traffic = find_traffic,
        .context = program,
        .program_grid = vef_program_grid(header->communicators, header->communicator_count,
                                         header->tasks, topology ? topology->dimensions : 0)};
}
