/* Writing the trace of a workload, task after task. */
#include "common/memory.h"
#include "workloads/state.h"

#include <stdio.h>
#include <stdlib.h>

static void write_task(const vef_workload *workload, vef_program *program, uint32_t task) {
    vef_program_begin_task(program, task);
    const uint16_t call = vef_workload_makes(workload);
    for (size_t i = 0; i < workload->split_count; i++)
        vef_program_make(program, call, workload->splits[i].comm[task]);
    for (uint32_t turn = 0; turn < workload->root.repeat; turn++)
        for (uint32_t i = 0; i < workload->step_count; i++) {
            const vef_workload_step *step = &workload->steps[i];
            vef_program_begin_step(program, &step->compute, step->node);
            for (uint32_t k = 0; k < step->iterations && !program->code; k++, program->iteration++)
                step->kind->emit(step, program);
        }
    vef_program_end_task(program);
}

/* The workload with all defaults, as text that `vef generate` reads. */
static char *describe(const vef_workload *workload) {
    char *text = NULL;
    size_t bytes = 0;
    vef_arena arena = {0};
    vef_node *config = vef_config_new(&arena);
    vef_config_put_schema(config, vef_workload_root_schema, &workload->root);
    vef_node *steps = vef_config_list(config, "steps");
    for (uint32_t i = 0; i < workload->step_count; i++) {
        const vef_workload_step *step = &workload->steps[i];
        vef_node *into = vef_config_section(steps, NULL);
        vef_config_put(into, "workload", step->kind->name);
        vef_config_put_int(into, "iterations", step->iterations);
        vef_config_put_schema(into, step->kind->schema, step->parameters);
        vef_config_put_schema(vef_config_section(into, "compute"), vef_compute_schema,
                              &step->compute);
    }
    FILE *out = vef_memory_stream(&text, &bytes);
    vef_node_write_flow(config, out);
    fclose(out);
    vef_arena_release(&arena);
    return text;
}

vef_code vef_workload_write(const vef_workload *workload, const char *path, vef_progress *progress,
                            vef_error *error) {
    char *options = describe(workload), application[96];
    snprintf(application, sizeof application, "workload %s%s", workload->steps[0].kind->name,
             workload->step_count > 1 ? " and others" : "");
    const vef_trace_header header = {
        .tasks = workload->root.tasks,
        .application = application,
        .command = "vef generate",
        .options = options,
        .times = "compute",
        .communicator_count = (uint32_t)workload->communicator_count,
        .communicators = workload->communicators,
    };
    vef_program program = {.error = error};
    vef_code code = vef_writer_open(path, &header, &program.writer, error);
    for (uint32_t task = 0; task < workload->root.tasks && !code; task++) {
        write_task(workload, &program, task);
        code = program.code;
        if (progress)
            vef_progress_update(progress, task + 1, workload->root.tasks);
        if (!code)
            code = vef_writer_end_task(program.writer, task, VEF_LOG_FINALIZED, error);
    }
    if (code)
        vef_writer_discard(program.writer);
    else
        code = vef_writer_finish(program.writer, error);
    vef_program_release(&program);
    free(options);
    return code;
}
