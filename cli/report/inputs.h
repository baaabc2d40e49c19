/* What `vef report` reads: traces, documents of other commands, and folders of studies. */
#ifndef VEF_CLI_REPORT_INPUTS_H
#define VEF_CLI_REPORT_INPUTS_H

#include "common/status.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* A heat map of links. NULL: none. Free both with free(). */
typedef struct vef_heat_map {
    char *svg;
    char *samples; /* its colours over time, as JSON (vef_picture_put_shapes): `values` has those of
                      each sample */
} vef_heat_map;

typedef struct vef_report_input {
    const char *kind;      /* for page.js: trace, replay, load, comparison, study */
    const char *name;      /* its path */
    char *json;            /* its document */
    vef_heat_map heat_map; /* of its links; of a trace the communication matrix */
    char *no_heat_map;     /* why there is none, although the document has the links; or NULL */
} vef_report_input;        /* zero-initialised is empty */

void vef_report_input_release(vef_report_input *input);

/* Finds out what the document `json`, of so many bytes, is, and draws its picture. */
vef_code vef_report_read_document(vef_report_input *input, size_t bytes, vef_error *error);

/* Reads an input; finds out what it is. `*missing` is set if it is a trace that is damaged: what it
 * lacks is in the document. */
vef_code vef_report_read(const char *path, vef_report_input *input, bool *missing,
                         vef_error *error);

#endif
