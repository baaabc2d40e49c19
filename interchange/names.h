/* Texts by number: each gets the next one where it first occurs. */
#ifndef VEF_INTERCHANGE_NAMES_H
#define VEF_INTERCHANGE_NAMES_H

#include "common/containers/map64.h"

#include <stdint.h>

typedef struct vef_name {
    char *text;
    unsigned char kind; /* of the caller; equal texts of different kinds are different names */
} vef_name;

typedef struct vef_names {
    vef_name *list; /* by number, from 0 */
    size_t count, room;
    vef_map64 number_of; /* hash of kind and text → number */
} vef_names;             /* zero-initialised is empty */

/* The number of a name, which is added if it is new: it then was the count. */
size_t vef_names_add(vef_names *names, unsigned char kind, const char *text);
/* SIZE_MAX: there is none. */
size_t vef_names_find(const vef_names *names, unsigned char kind, const char *text);
void vef_names_free(vef_names *names);

#endif
