/* The words of the text form, and its table of fields. See words.h. */
#include "traces/text/words.h"

#include <stddef.h>

const vef_word vef_operation_words[] = {
    {"any-source", VEF_OP_ANY_SOURCE},
    {"any-tag", VEF_OP_ANY_TAG},
    {"unmatched", VEF_OP_UNMATCHED},
    {"cancelled", VEF_OP_CANCELLED},
    {"open-ended", VEF_OP_OPEN_ENDED},
    {"synchronous", VEF_OP_SYNCHRONOUS},
    {"ready", VEF_OP_READY},
    {"buffered", VEF_OP_BUFFERED},
    {"partitioned", VEF_OP_PARTITIONED},
    {"generalised", VEF_OP_GENERALISED},
    {"probed", VEF_OP_PROBED},
    {NULL, 0},
};

const vef_word vef_event_words[] = {
    {"poll", VEF_EVENT_POLL},
    {"in-place", VEF_EVENT_IN_PLACE},
    {"noncommutative", VEF_EVENT_NONCOMMUTATIVE},
    {"muted", VEF_EVENT_MUTED},
    {"open", VEF_EVENT_OPEN},
    {"started", VEF_EVENT_STARTED},
    {"last", VEF_EVENT_LAST},
    {"exclusive", VEF_EVENT_EXCLUSIVE},
    {"open-ended", VEF_EVENT_OPEN_ENDED},
    {"unmatched", VEF_EVENT_UNMATCHED},
    {NULL, 0},
};

const char *const vef_end_words[VEF_LOG_ENDS] = {"cut", "finalized", "aborted", "exited", "full"};

const vef_event_field vef_event_fields[] = {
#define LIST(set, member, count, role, payload, how, place, word)                                  \
    [place] = {word, VEF_FORM_##how, set, offsetof(vef_event, member), offsetof(vef_event, count)},
#define FIELD(set, member, role, payload, how, place, word)                                        \
    [place] = {word, VEF_FORM_##how, set, offsetof(vef_event, member), 0},
#include "traces/fields.def"
    {.kinds = 0},
};

const vef_event_field vef_operation_fields[] = {
#define OPERATION(member, role, payload, how, place, word)                                         \
    [place] = {word, VEF_FORM_##how, VEF_IN_MESSAGES, offsetof(vef_operation, member), 0},
#include "traces/fields.def"
    {.kinds = 0},
};

uint16_t vef_default_flags(uint16_t call, bool send) {
    if (!send)
        return vef_call_has(call, VEF_FACT_GENERALISED) ? VEF_OP_GENERALISED : 0;
    return VEF_OP_SEND | (vef_call_has(call, VEF_FACT_SYNCHRONOUS) ? VEF_OP_SYNCHRONOUS : 0) |
           (vef_call_has(call, VEF_FACT_READY) ? VEF_OP_READY : 0) |
           (vef_call_has(call, VEF_FACT_BUFFERED) ? VEF_OP_BUFFERED : 0);
}

int32_t vef_default_root(uint16_t call) {
    return vef_call_has(call, VEF_FACT_ROOTED) ? 0 : -1;
}
