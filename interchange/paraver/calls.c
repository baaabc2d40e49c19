/* The numbers of MPI calls in Paraver traces. See paraver.h. */
#include "interchange/paraver/paraver.h"

#include "traces/call.h"

/* By value; those between have no call. */
static const struct {
    uint32_t type;
    uint16_t call;
} calls[] = {
#define CALL(value, kind, name) [value] = {VEF_PARAVER_##kind, VEF_CALL_##name},
#include "interchange/paraver/calls.def"
#undef CALL
};

enum { CALLS = sizeof calls / sizeof *calls };

uint16_t vef_paraver_call(uint64_t value) {
    const uint64_t further = value - VEF_PARAVER_FURTHER;
    if (value < CALLS)
        return calls[value].call;
    return further < VEF_CALL_COUNT && vef_call_name((uint16_t)further) ? (uint16_t)further : 0;
}

void vef_paraver_value(uint16_t call, uint32_t *type, uint32_t *value) {
    *type = VEF_PARAVER_OTHER;
    *value = (uint32_t)VEF_PARAVER_FURTHER + call;
    for (uint32_t i = 0; i < CALLS; i++)
        if (calls[i].call == call) {
            *type = calls[i].type;
            *value = i;
        }
}
