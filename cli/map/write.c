/* Writing a mapping. See write.h. */
#include "cli/map/write.h"

#include "common/memory.h"
#include "common/system/file.h"
#include "mappings/places/host_names.h"
#include "mappings/places/launch.h"

#include <stdlib.h>
#include <string.h>

const char *const vef_mapping_forms[] = {[VEF_FORM_OF_ENDPOINTS] = "endpoints",
                                         [VEF_FORM_OF_HOSTS] = "hostfile",
                                         [VEF_FORM_OF_RANKS] = "rankfile",
                                         NULL};

/* The core of each task: the first free one of its endpoint. */
static vef_code find_cores(const vef_mapping *mapping, const vef_mapping_view *view, uint32_t *core,
                           vef_error *error) {
    uint32_t endpoints = 0;
    for (uint32_t t = 0; t < mapping->tasks; t++)
        if (mapping->endpoint[t] >= endpoints)
            endpoints = mapping->endpoint[t] + 1;
    uint32_t *tasks = vef_calloc(endpoints, sizeof *tasks);
    vef_code code = VEF_OK;
    for (uint32_t t = 0; code == VEF_OK && t < mapping->tasks; t++) {
        const uint32_t endpoint = mapping->endpoint[t], node = endpoint / view->nics;
        uint32_t c = 0, before = tasks[endpoint]++;
        while (c < view->cores && (vef_mapping_core(view, node, c) != endpoint || before-- > 0))
            c++;
        core[t] = c;
        if (c == view->cores)
            code = vef_fail(error, VEF_UNSUPPORTED,
                            "endpoint %u has more tasks than cores (host.cores=%u): expected "
                            "--as endpoints",
                            endpoint, view->cores);
    }
    free(tasks);
    return code;
}

static vef_code write_hosts(const vef_mapping *mapping, const vef_mapping_view *view,
                            const char *hosts, bool ranks, FILE *out, vef_error *error) {
    vef_host_names names = {0};
    char name[VEF_HOST_NAME_BYTES];
    uint32_t *core = vef_calloc(mapping->tasks, sizeof *core);
    vef_code code = find_cores(mapping, view, core, error);
    if (code == VEF_OK)
        code = vef_host_names_read(hosts, &names, error);
    for (uint32_t t = 0; code == VEF_OK && t < mapping->tasks; t++) {
        code = vef_host_names_write(&names, mapping->endpoint[t] / view->nics, name, error);
        if (code == VEF_OK && ranks)
            fprintf(out, "rank %u=%s slot=%u\n", t, name, core[t]);
        else if (code == VEF_OK)
            fprintf(out, "%s\n", name);
    }
    vef_host_names_free(&names);
    free(core);
    return code;
}

vef_code vef_mapping_write(const vef_mapping *mapping, const vef_mapping_view *view,
                           const char *name, vef_mapping_form form, const char *hosts,
                           const char *path, vef_error *error) {
    vef_output output;
    vef_code code = vef_output_open(&output, path, error);
    if (code != VEF_OK)
        return code;
    if (form != VEF_FORM_OF_HOSTS) /* srun takes every line of a hostfile for a host */
        fprintf(output.stream, "# %.*s, %u tasks\n", (int)strcspn(name, "\r\n"), name,
                mapping->tasks);
    for (uint32_t t = 0; form == VEF_FORM_OF_ENDPOINTS && t < mapping->tasks; t++)
        fprintf(output.stream, "%u\n", mapping->endpoint[t]);
    if (form != VEF_FORM_OF_ENDPOINTS)
        code = write_hosts(mapping, view, hosts, form == VEF_FORM_OF_RANKS, output.stream, error);
    if (code == VEF_OK)
        return vef_output_commit(&output, error);
    vef_output_discard(&output);
    return code;
}
