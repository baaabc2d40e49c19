/* The numbers of MPI calls in Paraver traces. See paraver.h. */
#include "interchange/paraver/paraver.h"

#include "traces/call.h"

#include <stddef.h>

static const struct {
    uint32_t value, type;
    uint16_t call;
} calls[] = {
#define CALL(value, kind, name) {value, VEF_PARAVER_##kind, VEF_CALL_##name},
#include "interchange/paraver/calls.def"
#undef CALL
};

enum { CALLS = sizeof calls / sizeof *calls };

uint16_t vef_paraver_call(uint64_t value) {
    /* In the order of values. */
    size_t first = 0, end = CALLS;
    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        if (calls[middle].value < value)
            first = middle + 1;
        else
            end = middle;
    }
    if (first < CALLS && calls[first].value == value)
        return calls[first].call;
    const uint64_t further = value - VEF_PARAVER_FURTHER;
    return value >= VEF_PARAVER_FURTHER && further < VEF_CALL_COUNT &&
                   vef_call_name((uint16_t)further)
               ? (uint16_t)further
               : 0;
}

void vef_paraver_value(uint16_t call, uint32_t *type, uint32_t *value) {
    *type = VEF_PARAVER_OTHER;
    *value = (uint32_t)VEF_PARAVER_FURTHER + call;
    for (size_t i = 0; i < CALLS; i++)
        if (calls[i].call == call) {
            *type = calls[i].type;
            *value = calls[i].value;
        }
}
