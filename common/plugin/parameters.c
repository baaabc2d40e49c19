/* Parameters of plug-ins as schemas of the configuration. See parameters.h. */
#include "common/plugin/parameters.h"
#include "common/memory.h"

enum { MOST_PARAMETERS = 64 };

static const vef_param_kind kinds[] = {
    [VEF_PLUGIN_INTEGER] = VEF_PARAM_INT,
    [VEF_PLUGIN_REAL] = VEF_PARAM_REAL,
    [VEF_PLUGIN_TEXT] = VEF_PARAM_STRING,
};

vef_code vef_plugin_schema(const char *part, const vef_plugin_parameter *parameters,
                           vef_arena *arena, const vef_param **schema, size_t *value_bytes,
                           vef_error *error) {
    size_t count = 0;
    while (parameters && parameters[count].name && count < MOST_PARAMETERS)
        count++;
    vef_param *rows = vef_arena_alloc(arena, count + 1, sizeof *rows);
    for (size_t i = 0; i < count; i++) {
        const vef_plugin_parameter *from = &parameters[i];
        if ((size_t)from->kind >= sizeof kinds / sizeof *kinds || !from->help)
            return vef_fail(error, VEF_INVALID, "plug-in: %s: parameter %s has no kind or no help",
                            part, from->name);
        rows[i] = (vef_param){.key = from->name,
                              .kind = kinds[from->kind],
                              .offset = i * sizeof(vef_plugin_value),
                              .fallback = from->fallback,
                              .minimum = from->minimum,
                              .maximum = from->maximum,
                              .help = from->help};
    }
    rows[count] = (vef_param){.key = NULL};
    *schema = rows;
    *value_bytes = (count ? count : 1) * sizeof(vef_plugin_value);
    return VEF_OK;
}

/* A plug-in gets NULL: there may be frames of another language on the stack, not to be left. */
static void *allocate(vef_plugin_context *context, size_t bytes) {
    vef_plugin_making *making = (vef_plugin_making *)context;
    vef_landing *landing = vef_landing_set(NULL);
    void *memory = vef_arena_alloc(making->arena, bytes ? bytes : 1, 1);
    vef_landing_set(landing);
    return memory;
}

vef_plugin_making vef_plugin_make(vef_arena *arena) {
    return (vef_plugin_making){.context = {.allocate = allocate}, .arena = arena};
}

vef_code vef_plugin_refused(const vef_plugin_making *making, vef_error *error) {
    const char *reason = making->context.error;
    const int most = (int)sizeof making->context.error - 1; /* it may lack its end */
    return vef_fail(error, VEF_INVALID, "%.*s", most,
                    *reason ? reason : "the plug-in refuses it without a reason");
}
