/* The labels of a Paraver trace. See labels.h. */
#include "interchange/paraver/labels.h"

#include "common/containers/grow.h"
#include "common/memory.h"
#include "interchange/paraver/paraver.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *vef_paraver_beside(const char *path, const char *suffix) {
    static const char *const endings[] = {".prv", ".prv.gz"};
    size_t stem = strlen(path);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const size_t length = strlen(endings[i]);
        if (strlen(path) > length && strcmp(path + strlen(path) - length, endings[i]) == 0)
            stem = strlen(path) - length;
    }
    return vef_printed("%.*s%s", (int)stem, path, suffix);
}

/* Calls `take` with each line of the file; no file is an empty one. */
static vef_code each_line(const char *path, const char *suffix, vef_paraver_labels *labels,
                          void (*take)(vef_paraver_labels *, char *line, uint64_t *state),
                          vef_error *error) {
    char *name = vef_paraver_beside(path, suffix), *line = NULL;
    size_t room = 0;
    uint64_t state = 0;
    FILE *in = fopen(name, "r");
    vef_code code = in || errno == ENOENT ? VEF_OK : vef_fail_errno(error, "%s", name);
    while (in && vef_getline(&line, &room, in) >= 0) {
        line[strcspn(line, "\r\n")] = '\0';
        take(labels, line, &state);
    }
    if (in)
        fclose(in);
    free(line);
    free(name);
    return code;
}

static uint64_t key_of(uint64_t type, uint64_t value) {
    return type << 32 ^ value;
}

/* `.pcf`: after EVENT_TYPE a line `GRADIENT TYPE LABEL` for each type, and after VALUES a line
 * `VALUE LABEL` for each value of them; an empty line ends the list. The state is the type, if its
 * values are wanted. */
static void take_label(vef_paraver_labels *labels, char *line, uint64_t *type) {
    uint64_t number, gradient;
    int begin = 0;
    if (line[0] == '\0' || strcmp(line, "EVENT_TYPE") == 0) {
        *type = 0;
    } else if (*type == 0) {
        if (sscanf(line, "%" SCNu64 " %" SCNu64 " ", &gradient, &number) == 2 &&
            (number == VEF_PARAVER_FUNCTION || number == VEF_PARAVER_MARK))
            *type = number;
    } else if (sscanf(line, "%" SCNu64 " %n", &number, &begin) == 1 && begin > 0 &&
               line[begin] != '\0') {
        vef_map64_set(&labels->place, key_of(*type, number), labels->count);
        *VEF_NEW_ITEM(labels->names, labels->count, labels->room) = vef_strdup(line + begin);
    }
}

/* `.row`: after `LEVEL NODE SIZE N` the names of nodes; the next LEVEL, or an empty line, ends
 * them. */
static void take_host(vef_paraver_labels *labels, char *line, uint64_t *inside) {
    if (strncmp(line, "LEVEL ", 6) == 0 || line[0] == '\0') {
        *inside = strncmp(line, "LEVEL NODE ", 11) == 0;
        return;
    }
    if (!*inside)
        return;
    *VEF_NEW_ITEM(labels->hosts, labels->host_count, labels->host_room) = vef_strdup(line);
}

vef_code vef_paraver_labels_read(const char *path, vef_paraver_labels *labels, vef_error *error) {
    vef_code code = each_line(path, ".pcf", labels, take_label, error);
    return code ? code : each_line(path, ".row", labels, take_host, error);
}

void vef_paraver_labels_free(vef_paraver_labels *labels) {
    for (size_t i = 0; i < labels->count; i++)
        free(labels->names[i]);
    for (size_t i = 0; i < labels->host_count; i++)
        free(labels->hosts[i]);
    free(labels->names);
    free(labels->hosts);
    vef_map64_free(&labels->place);
    *labels = (vef_paraver_labels){0};
}

const char *vef_paraver_label(const vef_paraver_labels *labels, uint32_t type, uint64_t value,
                              char *text) {
    const uint64_t *place = vef_map64_get(&labels->place, key_of(type, value));
    if (place)
        return labels->names[*place];
    snprintf(text, 32, "%" PRIu64, value);
    return text;
}

const char *vef_paraver_host(const vef_paraver_labels *labels, uint32_t node) {
    return node > 0 && node <= labels->host_count ? labels->hosts[node - 1] : NULL;
}
