/* The rows of algorithms.def. */
#include "replay/collectives/algorithms.h"
#include "traces/event.h"

const vef_algorithm vef_algorithms[] = {
#define ALGORITHM(call, name, function, needs, segment, degree, summary)                           \
    {VEF_CALL_##call, name, summary, needs, {segment, degree, VEF_PROTOCOL_MPI}, function, false},
#define BETWEEN(call, name, function, summary)                                                     \
    {VEF_CALL_##call, name, summary, 0, {0, 0, VEF_PROTOCOL_MPI}, function, true},
#include "replay/collectives/algorithms.def"
#undef ALGORITHM
#undef BETWEEN
    {0, NULL, NULL, 0, {0, 0, VEF_PROTOCOL_MPI}, NULL, false},
};
const size_t vef_algorithm_count = sizeof vef_algorithms / sizeof *vef_algorithms - 1;
