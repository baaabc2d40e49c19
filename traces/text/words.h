/* The words of the text form and the defaults implied by calls: shared by writing (write.c) and
 * reading (parse.c). */
#ifndef VEF_TRACES_TEXT_WORDS_H
#define VEF_TRACES_TEXT_WORDS_H

#include "traces/fields.h"
#include "traces/log/log.h"

#include <stddef.h>

enum { VEF_TEXT_VERSION = 1 }; /* of the text form, in its first line */

typedef struct vef_word {
    const char *name;
    uint16_t flag;
} vef_word;

/* Terminated by a NULL name. */
extern const vef_word vef_operation_words[], vef_event_words[];
extern const char *const vef_end_words[VEF_LOG_ENDS]; /* by vef_log_end */

/* The form of a field in a line; in brackets its default if omitted. */
typedef enum vef_form {
    VEF_FORM_OPERATIONS,        /* operations; each begins with its peer */
    VEF_FORM_PEER,              /* to=, from= or target=, the first word of an operation */
    VEF_FORM_COMPLETIONS,       /* numbers and runs (none) */
    VEF_FORM_INDEX,             /* u32 (0) */
    VEF_FORM_NEW_COMM,          /* u32 (VEF_NO_COMM) */
    VEF_FORM_PERSISTENT,        /* u32 (0), which only a PERSISTENT call may have */
    VEF_FORM_NUMBER,            /* u64 below 2^63 (0) */
    VEF_FORM_BYTES,             /* of an operation: u64 below 2^63, always written */
    VEF_FORM_NS,                /* u64 (0) */
    VEF_FORM_REPEATS,           /* u64 (1) */
    VEF_FORM_SIGNED,            /* i64 (0) */
    VEF_FORM_SIGNED32,          /* i32 (0) */
    VEF_FORM_ROOT,              /* a rank or a word (vef_default_root) */
    VEF_FORM_REQUEST,           /* of an event that starts one (the next one) */
    VEF_FORM_OPERATION_REQUEST, /* a number or none (the next one, if the call starts one) */
    VEF_FORM_ORDINAL,           /* a number or none (by matching) */
    VEF_FORM_COUNTS,            /* numbers with repetition (none) */
    VEF_FORM_TASKS,             /* (none) */
    VEF_FORM_NAME,              /* in quotes ("") */
    VEF_FORM_FLAGS,             /* of an operation (vef_default_flags) */
    VEF_FORM_MARKS,             /* flags of the event (none) */
    VEF_FORM_ENTERED,           /* a tick (the one after `left` of the event before) */
    VEF_FORM_LEFT,              /* a tick (the one after `entered`) */
} vef_form;

/* A row of fields.def. */
typedef struct vef_event_field {
    const char *key;
    vef_form form;
    uint16_t kinds;                /* bit k: events of vef_kind k have it; 0: after the last row */
    uint16_t offset, count_offset; /* of the member, and of the length of a list */
} vef_event_field;

/* In the order of a line's words. */
extern const vef_event_field vef_event_fields[], vef_operation_fields[];

/* The default flags of a call's operations. */
uint16_t vef_default_flags(uint16_t call, bool send);
int32_t vef_default_root(uint16_t call);

#endif
