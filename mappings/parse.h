/* Reading a composition of mapping stages. */
#ifndef VEF_MAPPINGS_PARSE_H
#define VEF_MAPPINGS_PARSE_H

#include "common/arena.h"
#include "mappings/mapping.h"

enum { VEF_MAX_MAPPING_STAGES = 16 };

typedef struct vef_mapping_stages {
    uint32_t count;
    vef_mapping_stage stage[VEF_MAX_MAPPING_STAGES]; /* as written: the last is applied first */
} vef_mapping_stages;

/* Reads `f . g(2) . h` or `f ∘ g(2) ∘ h`; points and circles inside parentheses belong to the
 * argument. vef_mapping_describe writes the same forms. Strings are in `arena`. */
vef_code vef_mapping_parse(const char *text, vef_arena *arena, vef_mapping_stages *stages,
                           vef_error *error);

#endif
