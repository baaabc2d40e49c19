/* The size of a picture in print. See size.h. */
#include "common/pictures/size.h"

#include <string.h>

static const double LEAST_M = 0.03;

const vef_picture_size vef_picture_size_usual = {.font = 8, .title = true};

const vef_param vef_picture_size_schema[] = {
    {.key = "width",
     VEF_FIELD(LENGTH, vef_picture_size, width_m),
     .fallback = "0 mm",
     .default_text = "as the panels need",
     .maximum = 2,
     .help = "width of the whole picture"},
    {.key = "height",
     VEF_FIELD(LENGTH, vef_picture_size, height_m),
     .fallback = "0 mm",
     .default_text = "as the panels need",
     .maximum = 2,
     .help = "height of the whole picture"},
    {VEF_KEY(REAL, vef_picture_size, font), .fallback = "8", .minimum = 4, .maximum = 32,
     .help = "size of the texts in points"},
    {VEF_KEY(COUNT, vef_picture_size, columns), .fallback = "0", .default_text = "as many as fit",
     .maximum = 64, .help = "panels in a row"},
    {VEF_KEY(BOOL, vef_picture_size, title), .fallback = "true", .help = "write the title"},
    {.key = NULL},
};

vef_code vef_picture_size_check(const vef_picture_size *size, vef_error *error) {
    const double given_m[] = {size->width_m, size->height_m};
    for (int i = 0; i < 2; i++)
        if (given_m[i] > 0 && given_m[i] < LEAST_M)
            return vef_fail(error, VEF_INVALID, "%s: %g mm: out of range: expected at least %g mm",
                            vef_picture_size_schema[i].key, 1000 * given_m[i], 1000 * LEAST_M);
    return VEF_OK;
}

/* Each KEY=VALUE is a member of a mapping. */
vef_code vef_picture_size_read(const char *text, vef_picture_size *size, vef_error *error) {
    enum { MOST = 8 };
    vef_arena arena = {0};
    const char *keys[MOST];
    vef_node items[MOST], *list[MOST],
        mapping = {.kind = VEF_NODE_MAPPING,
                   .origin = "--figure",
                   .of_text = true,
                   .keys = keys,
                   .items = list};
    vef_code code = VEF_OK;
    for (; code == VEF_OK && text && *text; text += *text == ',') {
        const size_t length = strcspn(text, ","), key = strcspn(text, "=,");
        if (key == length || mapping.count == MOST)
            code = vef_node_fail(&mapping, error, "'%.*s': expected KEY=VALUE, such as width=84mm",
                                 (int)length, text);
        else {
            vef_node *item = list[mapping.count] = &items[mapping.count];
            keys[mapping.count] = vef_arena_string_of(&arena, text, key);
            if (vef_node_get(&mapping, keys[mapping.count]))
                code = vef_node_fail(&mapping, error, "%s: given twice", keys[mapping.count]);
            mapping.count++;
            *item = (vef_node){.kind = VEF_NODE_SCALAR, .origin = mapping.origin, .of_text = true};
            item->scalar = vef_arena_string_of(&arena, text + key + 1, length - key - 1);
        }
        text += length;
    }
    if (code == VEF_OK)
        code =
            vef_config_read(&mapping, "figure", vef_picture_size_schema, NULL, size, &arena, error);
    if (code == VEF_OK && vef_picture_size_check(size, error) != VEF_OK)
        code = vef_node_within(&mapping, error);
    vef_arena_release(&arena);
    return code;
}
