/* Jobs that start at given times. See starts.h. */
#include "replay/jobs/starts.h"
#include "common/containers/order.h"
#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

static uint64_t next(void *context) {
    const vef_job_starts *starts = context;
    return starts->next < starts->count ? starts->starts[starts->next].start_ps : UINT64_MAX;
}

static vef_code act(void *context, uint64_t now_ps, vef_gate_start *start, vef_error *error) {
    vef_job_starts *starts = context;
    (void)now_ps;
    (void)error;
    *start = starts->starts[starts->next++].tasks;
    return VEF_OK;
}

VEF_ORDER_BY(by_time, vef_timed_start, start_ps, tasks.first)

void vef_job_starts_begin(vef_job_starts *starts, const vef_timed_start *listed, uint32_t count,
                          uint32_t endpoints) {
    *starts = (vef_job_starts){
        .gate = {.context = starts, .endpoints = endpoints, .next = next, .act = act},
        .count = count};
    starts->starts = vef_malloc((count ? count : 1) * sizeof *starts->starts);
    memcpy(starts->starts, listed, count * sizeof *listed);
    qsort(starts->starts, count, sizeof *listed, by_time);
}

void vef_job_starts_release(vef_job_starts *starts) {
    free(starts->starts);
    *starts = (vef_job_starts){0};
}
