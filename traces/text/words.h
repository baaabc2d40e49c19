/* The words of the text form, and what is left out because the call implies it: shared by writing
 * (write.c) and reading (parse.c). */
#ifndef VEF_TRACES_TEXT_WORDS_H
#define VEF_TRACES_TEXT_WORDS_H

#include "traces/event.h"
#include "traces/log/log.h"

#include <stddef.h>

enum { VEF_TEXT_VERSION = 1 }; /* of the text form, in its first line */

typedef struct vef_word {
    const char *name;
    uint16_t flag;
} vef_word;

/* Ended by a NULL name. */
extern const vef_word vef_operation_words[], vef_event_words[];
extern const char *const vef_end_words[VEF_LOG_ENDS]; /* by vef_log_end */

/* What the operations of a call have unless the text says otherwise. */
uint16_t vef_default_flags(uint16_t call, bool send);
int32_t vef_default_root(uint16_t call);

#endif
