/* The names and kinds of the MPI calls, from the table calls.def. See event.h. */
#include "traces/event.h"

#include <string.h>

typedef struct call_row {
    const char *name;
    vef_kind kind;
} call_row;

static const call_row rows[] = {
#define CALL(number, call, sort, ...) [number] = {#call, VEF_KIND_##sort},
#include "traces/calls.def"
#undef CALL
};

size_t vef_call_count(void) {
    return sizeof rows / sizeof *rows;
}

const char *vef_call_name(uint16_t call) {
    return call < vef_call_count() ? rows[call].name : NULL;
}

vef_kind vef_call_kind(uint16_t call) {
    return call < vef_call_count() && rows[call].name ? rows[call].kind : VEF_KIND_COUNTED;
}

int vef_call_find(const char *name) {
    for (size_t call = 0; call < vef_call_count(); call++)
        if (rows[call].name && strcmp(rows[call].name, name) == 0)
            return (int)call;
    return -1;
}
