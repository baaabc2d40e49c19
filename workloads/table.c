/* The rows of kinds.def. */
#include "workloads/kind.h"

const vef_workload_kind *const vef_workload_kinds[] = {
#define WORKLOAD(name) &vef_workload_##name,
#include "workloads/kinds.def"
#undef WORKLOAD
    NULL,
};
