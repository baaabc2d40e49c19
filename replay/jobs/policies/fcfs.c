/* First come, first served: jobs start in the order of their arrival. */
#include "replay/jobs/batch_policy.h"

static size_t choose(const vef_batch_view *view) {
    return view->waiting[0].nodes <= view->free ? 0 : VEF_NO_START;
}

const vef_batch_policy vef_batch_policy_fcfs = {
    .name = "fcfs",
    .aliases = "fifo first-come-first-served",
    .summary = "first come, first served",
    .choose = choose,
};
