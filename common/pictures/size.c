/* The size of a picture in print. See size.h. */
#include "common/pictures/size.h"

#include "common/memory.h"

#include <stdlib.h>

static const double LEAST_M = 0.03;

const vef_picture_size vef_picture_size_usual = {.font = 8, .title = true};

#define SIZE(key_, field_)                                                                         \
    {                                                                                              \
        .key = key_, VEF_FIELD(LENGTH, vef_picture_size, field_), .fallback = "0 mm",              \
        .default_text = "as the panels need", .maximum = 2,                                        \
        .help = key_ " of the whole picture, at least 30 mm"                                       \
    }

const vef_param vef_picture_size_schema[] = {
    SIZE("width", width_m),
    SIZE("height", height_m),
    {VEF_KEY(REAL, vef_picture_size, font), .fallback = "8", .minimum = 4, .maximum = 32,
     .help = "size of the texts in points"},
    {VEF_KEY(COUNT, vef_picture_size, columns), .fallback = "0", .default_text = "as many as fit",
     .maximum = 64, .help = "panels in a row"},
    {VEF_KEY(BOOL, vef_picture_size, title), .fallback = "true", .help = "write the title"},
    {.key = NULL},
};

vef_code vef_picture_size_get(const vef_node *node, vef_picture_size *size, vef_error *error) {
    vef_arena arena = {0};
    vef_code code =
        vef_config_read(node, "figure", vef_picture_size_schema, NULL, size, &arena, error);
    vef_arena_release(&arena);
    if (code == VEF_OK && ((size->width_m > 0 && size->width_m < LEAST_M) ||
                           (size->height_m > 0 && size->height_m < LEAST_M)))
        return vef_node_fail(node, error, "figure: expected a width and a height from 30 mm on");
    return code;
}

/* As a YAML mapping. */
vef_code vef_picture_size_read(const char *text, vef_picture_size *size, vef_error *error) {
    vef_arena arena = {0};
    vef_node *node = NULL;
    char *mapping = NULL;
    size_t bytes = 0;
    FILE *out = vef_memory_stream(&mapping, &bytes);
    putc('{', out);
    for (; text && *text; text++)
        fprintf(out, *text == '=' ? ": " : "%c", *text);
    putc('}', out);
    fclose(out);
    vef_code code = vef_config_parse(mapping, "--figure", &arena, &node, error);
    if (code == VEF_OK)
        code = vef_picture_size_get(node, size, error);
    vef_arena_release(&arena);
    free(mapping);
    return code;
}
