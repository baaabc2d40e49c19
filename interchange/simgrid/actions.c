/* The actions and datatypes: see simgrid.h. */
#include "interchange/simgrid/simgrid.h"

/* clang-format off */
const vef_ti_action vef_ti_actions[] = {
    {"init", "", VEF_TI_INIT, 0, NULL},
    {"finalize", "", VEF_TI_NO_CALL, 0, NULL},
    {"comm_size", "", VEF_TI_NO_CALL, 0, NULL},
    {"comm_split", "", VEF_TI_NO_CALL, 0, NULL},
    {"comm_dup", "", VEF_TI_NO_CALL, 0, NULL},
    {"location", "", VEF_TI_NO_CALL, 0, NULL},
    {"compute", "f", VEF_TI_COMPUTE, 0, NULL},
    {"sleep", "f", VEF_TI_SLEEP, 0, NULL},
    {"send", "pgst", VEF_TI_MESSAGE, VEF_CALL_Send, NULL},
    {"isend", "pgst", VEF_TI_MESSAGE, VEF_CALL_Isend, NULL},
    {"recv", "qgnt", VEF_TI_MESSAGE, VEF_CALL_Recv, NULL},
    {"irecv", "qgnt", VEF_TI_MESSAGE, VEF_CALL_Irecv, NULL},
    {"sendRecv", "sprqtu", VEF_TI_MESSAGE, VEF_CALL_Sendrecv, NULL},
    {"test", "qpg", VEF_TI_TEST, 0, NULL},
    {"wait", "qpg", VEF_TI_WAIT, VEF_CALL_Wait, NULL},
    {"waitall", "", VEF_TI_WAIT, VEF_CALL_Waitall, NULL},
    {"barrier", "", VEF_TI_COLLECTIVE, VEF_CALL_Barrier, "00"},
    {"bcast", "sot", VEF_TI_COLLECTIVE, VEF_CALL_Bcast, "ss"},
    {"reduce", "sfot", VEF_TI_COLLECTIVE, VEF_CALL_Reduce, "ss"},
    {"allreduce", "sft", VEF_TI_COLLECTIVE, VEF_CALL_Allreduce, "ss"},
    {"scan", "sft", VEF_TI_COLLECTIVE, VEF_CALL_Scan, "ss"},
    {"exscan", "sft", VEF_TI_COLLECTIVE, VEF_CALL_Exscan, "ss"},
    {"reducescatter", "Rfu", VEF_TI_COLLECTIVE, VEF_CALL_Reduce_scatter, "RR"},
    {"alltoall", "srtu", VEF_TI_COLLECTIVE, VEF_CALL_Alltoall, "ss"},
    {"alltoallv", "sSrRtu", VEF_TI_COLLECTIVE, VEF_CALL_Alltoallv, "00"},
    {"gather", "srotu", VEF_TI_COLLECTIVE, VEF_CALL_Gather, "rs"},
    {"gatherv", "sRotu", VEF_TI_COLLECTIVE, VEF_CALL_Gatherv, "Rs"},
    {"scatter", "srotu", VEF_TI_COLLECTIVE, VEF_CALL_Scatter, "sr"},
    {"scatterv", "Srotu", VEF_TI_COLLECTIVE, VEF_CALL_Scatterv, "Sr"},
    {"allgather", "srtu", VEF_TI_COLLECTIVE, VEF_CALL_Allgather, "ss"},
    {"allgatherv", "sRtu", VEF_TI_COLLECTIVE, VEF_CALL_Allgatherv, "RR"},
    {NULL, NULL, VEF_TI_NO_CALL, 0, NULL},
};

const uint8_t vef_ti_type_bytes[VEF_TI_TYPES] = {
    8, 4, 1, 2, 8, 4, 1, 8, 1, 1, 2, 4, 8, 8, 16, 4, 1, 1, 2, 4, /* to 19: double … INT32_T */
    8, 1, 2, 4, 8, 8, 16, 32, 8, 8, 8, 16, 16, 8, 8, 8, 16, 16, 4, 4, /* to 39: … REAL4 */
    8, 16, 8, 16, 16, 4, 2, 4, 8, 16, 32, 1, 8, 16, 32, 0, 0, 1, 8, 8, /* to 59: … COUNT */
};
/* clang-format on */
