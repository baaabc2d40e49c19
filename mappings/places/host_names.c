/* The names of nodes. See host_names.h. */
#include "mappings/places/host_names.h"

#include "common/memory.h"
#include "common/system/file.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILE_BYTES = 1 << 28 };

char *vef_host_line(char **rest, unsigned long *number) {
    while (*rest) {
        char *line = *rest, *end = strchr(line, '\n');
        *rest = end ? end + 1 : NULL;
        ++*number;
        if (end)
            *end = '\0';
        line[strcspn(line, "#")] = '\0';
        while (isspace((unsigned char)*line))
            line++;
        for (size_t length = strlen(line); length && isspace((unsigned char)line[length - 1]);)
            line[--length] = '\0';
        if (*line != '\0')
            return line;
    }
    return NULL;
}

/* All names once: sorts copies of the pointers. */
static int compare(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static vef_code check_names(const char *path, const vef_host_names *names, vef_error *error) {
    char **sorted = vef_malloc((names->count + (size_t)1) * sizeof *sorted);
    vef_code code = VEF_OK;
    memcpy(sorted, names->name, names->count * sizeof *sorted);
    qsort(sorted, names->count, sizeof *sorted, compare);
    for (uint32_t i = 1; code == VEF_OK && i < names->count; i++)
        if (strcmp(sorted[i - 1], sorted[i]) == 0)
            code = vef_fail(error, VEF_INVALID,
                            "%s: the name '%.60s' is there twice: expected one "
                            "line for each node",
                            path, sorted[i]);
    free(sorted);
    return code;
}

vef_code vef_host_names_read(const char *path, vef_host_names *names, vef_error *error) {
    size_t bytes, lines = 1;
    unsigned long number = 0;
    *names = (vef_host_names){0};
    if (!path)
        return VEF_OK;
    vef_code code = vef_file_read(path, MOST_FILE_BYTES, &names->text, &bytes, error);
    if (code != VEF_OK)
        return code;
    for (size_t i = 0; i < bytes; i++)
        lines += names->text[i] == '\n';
    names->name = vef_calloc(lines, sizeof *names->name);
    char *rest = names->text;
    for (char *line; code == VEF_OK && (line = vef_host_line(&rest, &number)) != NULL;) {
        if (!vef_host_name_is_valid(line))
            code = vef_fail(error, VEF_INVALID, "%s:%lu: '%.40s': expected the name of a node",
                            path, number, line);
        names->name[names->count++] = line;
    }
    if (code == VEF_OK && names->count == 0)
        code = vef_fail(error, VEF_INVALID, "%s: no names: expected one in each line", path);
    if (code == VEF_OK)
        code = check_names(path, names, error);
    if (code != VEF_OK)
        vef_host_names_free(names);
    return code;
}

void vef_host_names_free(vef_host_names *names) {
    free(names->text);
    free(names->name);
    *names = (vef_host_names){0};
}

uint32_t vef_host_names_find(const vef_host_names *names, const char *name) {
    for (uint32_t i = 0; i < names->count; i++)
        if (strcmp(names->name[i], name) == 0)
            return i;
    size_t begin = strlen(name);
    while (begin > 0 && isdigit((unsigned char)name[begin - 1]))
        begin--;
    if (names->name || name[begin] == '\0')
        return UINT32_MAX;
    errno = 0;
    const unsigned long long number = strtoull(name + begin, NULL, 10);
    return errno == 0 && number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

vef_code vef_host_names_write(const vef_host_names *names, uint32_t node,
                              char text[VEF_HOST_NAME_BYTES], vef_error *error) {
    if (names->name && node >= names->count)
        return vef_fail(error, VEF_INVALID,
                        "%u names of nodes: expected one for node %u of the network too",
                        names->count, node);
    if (names->name)
        snprintf(text, VEF_HOST_NAME_BYTES, "%s", names->name[node]);
    else
        snprintf(text, VEF_HOST_NAME_BYTES, "node%u", node);
    return VEF_OK;
}
