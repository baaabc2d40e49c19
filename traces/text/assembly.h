/* Assembling a trace from text: shared by read.c (events, tasks, both passes) and header.c (the
 * lines before the first task). */
#ifndef VEF_TRACES_TEXT_ASSEMBLY_H
#define VEF_TRACES_TEXT_ASSEMBLY_H

#include "traces/file/writer.h"
#include "traces/format/under_way.h"
#include "traces/matching/match.h"
#include "traces/text/parse.h"

typedef struct vef_assembly {
    vef_text text;
    vef_arena arena;
    vef_trace_header header;
    vef_communicator *communicators;
    vef_site *sites;
    size_t site_capacity;
    vef_under_way *under_way;
    size_t under_way_count, under_way_capacity;
    size_t communicator_capacity;
    uint64_t *not_recorded, *not_recorded_ns;
    vef_left_out left_out;
    vef_measured *measured; /* per task; NULL: not given */
    bool *seen;             /* per task */
    vef_text_event event;
    vef_matcher matcher;
    vef_map64 pairs; /* sender and receiver → messages so far, for receives without an ordinal */
    uint32_t sent, received; /* second pass: the next in the matcher */
    vef_writer *writer;      /* NULL in the first pass */
    int64_t task;            /* current task; -1: none */
    uint32_t thread;         /* of that task, and the following too */
    size_t first_sent;
    uint64_t greatest; /* a request that was completed before the line that starts it, in another
                          thread */
    unsigned greatest_line; /* 0: none */
} vef_assembly;

/* header.c: words of a line. A number after a key; an optional word KEY=NUMBER; the end of the
 * line. */
vef_code vef_text_number_word(vef_assembly *as, const char *key, uint64_t limit, uint64_t *value,
                              vef_error *error);
vef_code vef_text_key_number(vef_assembly *as, const char *key, uint64_t *value, vef_error *error);
vef_code vef_text_line_ends(vef_assembly *as, vef_error *error);

/* A line of the header that begins with `word`. */
vef_code vef_text_header_line(vef_assembly *as, vef_span word, vef_error *error);
/* Communicator 0, if the header does not define it. */
void vef_text_add_world(vef_assembly *as);

#endif
