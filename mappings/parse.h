/* Reading a composition of mapping stages. */
#ifndef VEF_MAPPINGS_PARSE_H
#define VEF_MAPPINGS_PARSE_H

#include "common/arena.h"
#include "mappings/mapping.h"

enum { VEF_MAX_MAPPING_STAGES = 16 };

typedef struct vef_mapping_stages {
    uint32_t count, libraries;
    void *library[VEF_MAX_MAPPING_STAGES];           /* of plug-ins with families; see below */
    vef_mapping_stage stage[VEF_MAX_MAPPING_STAGES]; /* as written: the last is applied first */
} vef_mapping_stages;

/* Reads `f . g(2) . h` or `f ∘ g(2) ∘ h`; points and circles inside parentheses belong to the
 * argument. vef_mapping_describe writes the same forms. Strings are in `arena`. `plugins`: that key
 * of the network file, for families that these add; NULL: none. The caller closes the stages,
 * whatever is returned, before it releases the arena. */
vef_code vef_mapping_parse(const char *text, const vef_node *plugins, vef_arena *arena,
                           vef_mapping_stages *stages, vef_error *error);
void vef_mapping_close_stages(vef_mapping_stages *stages);

#endif
