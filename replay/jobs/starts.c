/* Jobs that start at given times. See starts.h. */
#include "replay/jobs/starts.h"
#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

static uint64_t next(void *context) {
    const vef_job_starts *self = context;
    return self->next < self->count ? self->starts[self->next].start_ps : UINT64_MAX;
}

static vef_code act(void *context, uint64_t now_ps, vef_gate_start *start, vef_error *error) {
    vef_job_starts *self = context;
    (void)now_ps;
    (void)error;
    *start = self->starts[self->next++].tasks;
    return VEF_OK;
}

static int by_time(const void *a, const void *b) {
    const vef_timed_start *x = a, *y = b;
    if (x->start_ps != y->start_ps)
        return x->start_ps < y->start_ps ? -1 : 1;
    return (x->tasks.first > y->tasks.first) - (x->tasks.first < y->tasks.first);
}

void vef_job_starts_begin(vef_job_starts *self, const vef_timed_start *starts, uint32_t count,
                          uint32_t endpoints) {
    *self = (vef_job_starts){
        .gate = {.context = self, .endpoints = endpoints, .next = next, .act = act},
        .count = count};
    self->starts = vef_malloc((count ? count : 1) * sizeof *self->starts);
    memcpy(self->starts, starts, count * sizeof *starts);
    qsort(self->starts, count, sizeof *starts, by_time);
}

void vef_job_starts_release(vef_job_starts *self) {
    free(self->starts);
    *self = (vef_job_starts){0};
}
