/* The names and kinds of the MPI calls, from the table calls.def. See event.h. */
#include "traces/event.h"

#include <string.h>

typedef struct call_row {
    const char *name;
    vef_kind kind;
    uint16_t base;       /* 0: the call itself */
    vef_counted_way way; /* of a COUNTED call */
} call_row;

/* The fields that follow the kind in a row. */
#define REST_LOCAL(...) .base = 0
#define REST_TRANSFER(...) .base = 0
#define REST_COMPLETE(...) .base = 0
#define REST_PROBE(...) .base = 0
#define REST_COLLECTIVE(name) .base = VEF_CALL_##name
#define REST_COMM(...) .base = 0
#define REST_ONE_SIDED(...) .base = 0
#define REST_SYNC(...) .base = 0
#define REST_REGION(...) .base = 0
#define REST_AS(name) .base = VEF_CALL_##name
#define REST_COUNTED(how, ...) .way = VEF_COUNTED_##how

static const call_row rows[] = {
#define CALL(number, call, sort, ...) [number] = {#call, VEF_KIND_##sort, REST_##sort(__VA_ARGS__)},
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

bool vef_call_is_held(uint16_t call) {
    vef_kind kind = vef_call_kind(call);
    return kind != VEF_KIND_COUNTED && kind != VEF_KIND_AS;
}

static bool is_counted(uint16_t call) {
    return call < vef_call_count() && rows[call].name && rows[call].kind == VEF_KIND_COUNTED;
}

bool vef_call_may_block(uint16_t call) {
    return !is_counted(call) || rows[call].way != VEF_COUNTED_LOCAL;
}

bool vef_call_is_bookkeeping(uint16_t call) {
    return is_counted(call) && rows[call].way != VEF_COUNTED_CONNECTS;
}

uint16_t vef_call_base(uint16_t call) {
    uint16_t base = call < vef_call_count() ? rows[call].base : 0;
    return base ? base : call;
}

bool vef_call_is_persistent(uint16_t call) {
    const char *name = vef_call_base(call) == call ? NULL : vef_call_name(call);
    size_t length = name ? strlen(name) : 0;
    return length > 5 && strcmp(name + length - 5, "_init") == 0;
}

bool vef_event_is_making(const vef_event *event) {
    return !(event->flags & VEF_EVENT_STARTED) && vef_call_is_persistent(event->call);
}

bool vef_event_starts_request(const vef_event *event) {
    if (event->call == VEF_CALL_Comm_idup || event->call == VEF_CALL_Comm_idup_with_info)
        return true;
    return vef_call_kind(event->call) == VEF_KIND_COLLECTIVE &&
           vef_call_base(event->call) != event->call && !vef_event_is_making(event);
}

bool vef_call_names_request(uint16_t call) {
    return call == VEF_CALL_Cancel || call == VEF_CALL_Pready || call == VEF_CALL_Pready_range ||
           call == VEF_CALL_Pready_list || call == VEF_CALL_Grequest_complete;
}

int vef_call_find(const char *name) {
    for (size_t call = 0; call < vef_call_count(); call++)
        if (rows[call].name && strcmp(rows[call].name, name) == 0)
            return (int)call;
    return -1;
}
