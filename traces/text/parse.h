/* Reading the lines of the text form. */
#ifndef VEF_TRACES_TEXT_PARSE_H
#define VEF_TRACES_TEXT_PARSE_H

#include "common/arena.h"
#include "common/limits.h"
#include "common/status.h"
#include "traces/event.h"
#include "traces/format/measured.h"
#include "traces/rewrite/rewrite.h"

#include <stdio.h>

/* An operation's ordinal or bytes, omitted in the text and found by matching. */
#define VEF_TEXT_LATER (UINT64_MAX - 1)

/* Characters of a line. */
typedef struct vef_span {
    const char *begin, *end;
} vef_span;

/* For "%.*s". */
#define VEF_SPAN(span) (int)((span).end - (span).begin), (span).begin

bool vef_span_is(vef_span span, const char *expected);

/* The characters before the first separator; `*rest` has those after it. Without a separator, these
 * are all, and `rest->begin` is NULL. */
vef_span vef_span_split(vef_span span, char separator, vef_span *rest);

/* The next item of a list, which is removed from it; false if there is none. A list without a
 * separator is one item, even if it is empty. */
bool vef_span_next(vef_span *list, char separator, vef_span *item);

/* The call of that name; -1 if there is none. */
int vef_span_call(vef_span name);

/* A text, read line by line. */
typedef struct vef_text {
    const char *name;
    FILE *in;
    char *buffer; /* the current line */
    size_t capacity;
    const char *word, *line_end; /* its unread rest */
    uint64_t here, after;        /* where it begins and ends, in bytes since the text's beginning */
    bool again;                  /* vef_text_line returns the current line once more */
    unsigned line;
} vef_text;

/* Advances to the next line that is not empty; false at the end, or if reading fails (ferror). */
bool vef_text_line(vef_text *text);

/* The next word of the line; false if there is none (a comment ends a line). A quoted text belongs
 * to its word with all its characters. */
bool vef_text_word(vef_text *text, vef_span *word);

/* vef_fail with "name:line: " before the message. */
vef_code vef_text_fail(const vef_text *text, vef_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* vef_limit_check at the current line. */
vef_code vef_text_limit(const vef_text *text, vef_limit limit, uint64_t value, vef_error *error);

/* vef_text_fail for a key without the value that it needs. */
vef_code vef_text_needs(const vef_text *text, vef_error *error, const char *key, const char *what);

/* A whole number, or a quoted text, that is the whole of the span. */
vef_code vef_text_number(const vef_text *text, const char *what, vef_span span, uint64_t limit,
                         uint64_t *value, vef_error *error);
vef_code vef_text_quoted(const vef_text *text, const char *key, vef_span span, vef_arena *arena,
                         const char **value, vef_error *error);

/* An event being read; its lists are reused for every line. A few letters can represent a long list
 * ("8*1000000"), so the length of lists is limited to what a trace can store. */
typedef struct vef_text_event {
    vef_event event;
    vef_event_room room;
    vef_arena names;
    uint64_t listed;                               /* requests in long runs of all lines */
    uint32_t longest_vector;                       /* set by the caller: maximum number of counts */
    uint64_t next_request;                         /* of the current task: 0 at its start */
    uint64_t next_tick;                            /* of the current thread */
    bool request_later, entered_later, left_later; /* omitted in the line */
} vef_text_event;

/* Reads the rest of the line as an event of `call`. */
vef_code vef_text_event_read(vef_text *text, uint16_t call, vef_text_event *into, vef_error *error);
void vef_text_event_free(vef_text_event *event);

/* Reads the rest of the line as a communicator; lists live in `arena`. */
vef_code vef_text_communicator_read(vef_text *text, uint32_t tasks, vef_arena *arena,
                                    vef_communicator *communicator, vef_error *error);

/* Reads the rest of a line `neighbours` of one rank of the communicator, which becomes a graph. */
vef_code vef_text_neighbours_read(vef_text *text, vef_arena *arena, vef_communicator *communicator,
                                  vef_error *error);

#endif
