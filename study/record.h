/* One result as a line of JSON:
 *
 *   {"check": …, "key": …, "line": …, "vef": VERSION, "state": …, "reason": …, "allowed": …,
 *    "seconds": …, "host": …, "inputs": [{"file": …, "hash": …, "state": …, "keyed": true}, …],
 *    "arguments": […], "labels": {…}, "figures": {…}, "causes_ns": {…},
 *    "result": {the document of the command}}
 *
 * The members before "result" are in that order, so that reading can end there. "check" is a hash
 * of the rest of the line; because of "line", the number that the line had when it was written, no
 * two are equal. Only refused points have "allowed": with other limits or plug-ins (VEF_LIMITS,
 * VEF_PLUGINS) they run again. Only explanations (verdict.h) have "causes_ns": the critical path.
 */
#ifndef VEF_STUDY_RECORD_H
#define VEF_STUDY_RECORD_H

#include "study/study.h"

typedef enum vef_study_state {
    VEF_STUDY_MISSING, /* no result yet */
    VEF_STUDY_DONE,
    VEF_STUDY_STALLED, /* ran, and found a stall or a deadlock: `reason` */
    VEF_STUDY_FAILED,  /* ended before its time: `reason` */
    VEF_STUDY_REFUSED, /* the command refused its inputs: `reason` */
} vef_study_state;

/* "done", …; "" for MISSING. */
const char *vef_study_state_name(vef_study_state state);

typedef struct vef_study_record {
    const char *key;
    vef_study_state state;
    const char *reason; /* NULL: none */
    double seconds;     /* that the run took */
    size_t line;        /* of results.jsonl */
    uint64_t check;
    const vef_node *inputs; /* that its process read; NULL: none */
    const char **figures;   /* texts in the order of the kind's figures; NULL: it has none */
    double *causes_ns;      /* [VEF_CAUSES] of the critical path; NULL: it was not explained */
} vef_study_record;

/* A finished run of a point. */
typedef struct vef_study_outcome {
    vef_study_state state;
    const char *reason;
    const char *host;
    double seconds;
    const char *document;           /* that the command printed; NULL: none */
    const vef_study_inputs *inputs; /* that it read; NULL: none */
} vef_study_outcome;

/* Writes the line, with its end, from malloc. VEF_CORRUPT if the document is none. */
vef_code vef_study_record_write(const vef_study *study, const vef_study_point *point,
                                const vef_study_outcome *outcome, const char *version,
                                uint64_t number, char **line, size_t *bytes, vef_error *error);

/* Reads a line without its end, which is changed. `place` names it in messages; `*version` is that
 * of the program that wrote it. VEF_CORRUPT: its check is wrong, or it has none and is of the
 * version `current`. Texts live in `arena`. */
vef_code vef_study_record_read(const vef_study_kind *kind, char *line, const char *place,
                               const char *current, vef_arena *arena, vef_study_record *record,
                               const char **version, vef_error *error);

#endif
