/* The rows of families.def. */
#include "mappings/families.h"

const vef_mapping_family *const vef_mapping_families[] = {
#define MAPPING(name) &vef_mapping_##name,
#include "mappings/families.def"
#undef MAPPING
    NULL,
};
