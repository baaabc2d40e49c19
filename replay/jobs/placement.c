/* The table of placements, and their text form. See placement.h. */
#include "replay/jobs/placement.h"

#include "common/units.h"
#include "common/unknown.h"

#include <string.h>

const vef_placement_kind *const vef_placement_kinds[] = {
#define PLACEMENT(name) &vef_placement_##name,
#include "replay/jobs/placements.def"
#undef PLACEMENT
    NULL,
};

static vef_code read_argument(const char *argument, size_t length, vef_arena *arena,
                              vef_job_placement *placement, vef_error *error) {
    const char *name = placement->kind->name, *wanted = placement->kind->parameter;
    char *text = vef_arena_string_of(arena, argument, length);
    if (!wanted || *text == '\0')
        return vef_fail(error, VEF_INVALID, "placement %s(%.40s): expected %s%s%s%s", name, text,
                        name, wanted ? "(" : "", wanted ? wanted : "", wanted ? ")" : "");
    if (strcmp(wanted, "seed") == 0)
        return vef_parse_uint(text, "the seed of a placement", &placement->seed, error);
    placement->path = text;
    return VEF_OK;
}

vef_code vef_job_placement_read(const char *text, vef_arena *arena, vef_job_placement *placement,
                                vef_error *error) {
    *placement = (vef_job_placement){.kind = vef_placement_kinds[0], .seed = 1};
    if (!text)
        return VEF_OK;
    const size_t length = strcspn(text, "( ");
    placement->kind = NULL;
    for (size_t i = 0; vef_placement_kinds[i] && !placement->kind; i++)
        if (strlen(vef_placement_kinds[i]->name) == length &&
            strncmp(vef_placement_kinds[i]->name, text, length) == 0)
            placement->kind = vef_placement_kinds[i];
    if (!placement->kind) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)length, text);
        VEF_FAIL_UNKNOWN_ROW(error, "placement", name, vef_placement_kinds);
        return VEF_INVALID;
    }
    const char *rest = text + length;
    const size_t rest_length = strlen(rest);
    const bool path = placement->kind->parameter && strcmp(placement->kind->parameter, "path") == 0;
    if (rest_length == 0 && !path)
        return VEF_OK;
    if (rest_length < 2 || rest[0] != '(' || rest[rest_length - 1] != ')')
        return vef_fail(error, VEF_INVALID, "placement %.60s: expected %s%s", text,
                        placement->kind->name, path ? "(path)" : "");
    return read_argument(rest + 1, rest_length - 2, arena, placement, error);
}

vef_code vef_job_placement_choose(const vef_job_placement *placement, const vef_job_nodes *nodes,
                                  uint32_t wanted, uint32_t *chosen, vef_error *error) {
    if (wanted > nodes->free)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "%u nodes are needed, but only %u of %u are free: expected a larger "
                        "network, more host.cores, or fewer jobs",
                        wanted, nodes->free, nodes->count);
    return placement->kind->choose(placement, nodes, wanted, chosen, error);
}

void vef_job_placement_describe(FILE *out, int indent) {
    for (size_t i = 0; vef_placement_kinds[i]; i++) {
        const vef_placement_kind *kind = vef_placement_kinds[i];
        char form[64];
        snprintf(form, sizeof form, kind->parameter ? "%s(%s)" : "%s", kind->name,
                 kind->parameter ? kind->parameter : "");
        fprintf(out, "%*s%-13s %s\n", indent, "", form, kind->summary);
    }
}
