/* Hosts: the nodes of tasks, from files that launchers read. Lines may be:
 *
 * - hosts, in the order of tasks, one task each: SLURM_HOSTFILE of `srun --distribution=arbitrary`
 *   (host_list.h: also lists with ranges), and machine files of mpiexec.
 * - host:2, or host slots=2: a machine file of MPICH's Hydra, or a hostfile of Open MPI. Hosts are
 *   filled in order, each with that many tasks; the file may have room for more tasks.
 * - rank 3=host slot=1, in any order: the rankfile of Open MPI's mpirun. A slot is a core of the
 *   node; other forms of slots (sockets, ranges) count as the next free core.
 *
 * The endpoints are those of the cores (launch.h). host_names.h says which node has which name. */
#include "common/memory.h"
#include "common/system/file.h"
#include "mappings/families.h"
#include "mappings/places/host_list.h"
#include "mappings/places/host_names.h"
#include "mappings/places/launch.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILE_BYTES = 1 << 28, ANY_CORE = UINT32_MAX };

typedef struct reading {
    const vef_mapping_view *view;
    const char *path;
    vef_host_names names;
    uint32_t *node, *core; /* per task */
    uint32_t count;        /* tasks that have a node */
    uint32_t slots;        /* of the hosts of this line; 0: not given */
    vef_code code;         /* result of taking the hosts of a line */
    vef_error *error;      /* the reason if `code` is not VEF_OK */
} reading;

/* Divides "FILE, NAMES". */
static vef_code read_names(char *path, vef_host_names *names, vef_error *error) {
    char *comma = strchr(path, ',');
    if (comma) {
        *comma++ = '\0';
        while (isspace((unsigned char)*comma))
            comma++;
    }
    return vef_host_names_read(comma, names, error);
}

/* "3=host slot=1" behind "rank". */
static vef_code read_rank(char *text, uint32_t *task, char **host, uint32_t *core,
                          vef_error *error) {
    char *end, *slot;
    *core = ANY_CORE;
    const unsigned long rank = strtoul(text, &end, 10);
    while (isspace((unsigned char)*end))
        end++;
    if (!isdigit((unsigned char)text[strspn(text, " \t")]) || *end != '=' || rank >= UINT32_MAX)
        return vef_fail(error, VEF_INVALID, "expected 'rank N=HOST slot=CORE'");
    *task = (uint32_t)rank;
    *host = end + 1 + strspn(end + 1, " \t");
    slot = *host + strcspn(*host, " \t");
    if (*slot != '\0')
        *slot++ = '\0';
    slot += strspn(slot, " \t");
    if (strncmp(slot, "slot=", 5) == 0 && slot[5 + strspn(slot + 5, "0123456789")] == '\0' &&
        slot[5] != '\0')
        *core = (uint32_t)strtoul(slot + 5, NULL, 10);
    return VEF_OK;
}

static vef_code add_task(reading *reader, uint32_t task, const char *host, uint32_t core,
                         vef_error *error) {
    const vef_mapping_view *view = reader->view;
    if (task >= view->tasks)
        return vef_fail(error, VEF_INVALID, "task %u: out of range: the program has %u tasks", task,
                        view->tasks);
    if (reader->node[task] != UINT32_MAX)
        return vef_fail(error, VEF_INVALID, "duplicate rank %u", task);
    const uint32_t node = vef_host_names_find(&reader->names, host);
    if (node == UINT32_MAX)
        return vef_fail(error, VEF_INVALID, "unknown host '%.60s': expected %s", host,
                        reader->names.name ? "a name of the file of nodes"
                                           : "a name that ends in the number of its node");
    if (view->topology && node >= view->endpoints / view->nics)
        return vef_fail(error, VEF_INVALID,
                        "host '%.60s' is node %u: out of range: the network has "
                        "%u nodes",
                        host, node, view->endpoints / view->nics);
    if (core != ANY_CORE && core >= view->cores)
        return vef_fail(error, VEF_INVALID, "slot %u: out of range: a node has %u (host.cores)",
                        core, view->cores);
    reader->node[task] = node;
    reader->core[task] = core;
    reader->count++;
    return VEF_OK;
}

/* The next tasks go to a host. Where a line gives their number, it is a maximum. */
static bool take_host(void *context, const char *host, uint32_t tasks, bool counted) {
    reading *reader = context;
    const bool maximum = counted || reader->slots > 0;
    const uint32_t count = reader->slots > 0 ? reader->slots : tasks;
    for (uint32_t i = 0; reader->code == VEF_OK && i < count; i++) {
        if (maximum && reader->count == reader->view->tasks)
            return false;
        reader->code = add_task(reader, reader->count, host, ANY_CORE, reader->error);
    }
    return reader->code == VEF_OK;
}

/* "slots=2 max_slots=4" behind a host. */
static vef_code read_fields(reading *reader, char *text, vef_error *error) {
    static const char *const limits[] = {"max_slots=", "max-slots=", "slots="};
    enum { LIMITS = sizeof limits / sizeof *limits };
    for (char *field; (field = strsep(&text, " \t")) != NULL;) {
        int k = 0;
        if (*field == '\0')
            continue;
        while (k < LIMITS && strncmp(field, limits[k], strlen(limits[k])) != 0)
            k++;
        const char *number = k < LIMITS ? field + strlen(limits[k]) : "";
        const unsigned long slots = strtoul(number, NULL, 10);
        if (!isdigit((unsigned char)*number) || number[strspn(number, "0123456789")] != '\0' ||
            slots == 0 || slots >= UINT32_MAX)
            return vef_fail(error, VEF_INVALID,
                            "'%.60s': expected HOST, HOST:TASKS, HOST slots=TASKS, a list such as "
                            "node[1-3],node7, or 'rank N=HOST slot=CORE'",
                            field);
        if (k == LIMITS - 1)
            reader->slots = (uint32_t)slots;
    }
    return VEF_OK;
}

static vef_code read_line(reading *reader, char *line, vef_error *error) {
    uint32_t task = 0, core = ANY_CORE;
    char *host = NULL;
    if (strncmp(line, "rank", 4) == 0 && isspace((unsigned char)line[4])) {
        const vef_code code = read_rank(line + 5, &task, &host, &core, error);
        return code == VEF_OK ? add_task(reader, task, host, core, error) : code;
    }
    reader->slots = 0;
    reader->code = VEF_OK;
    reader->error = error;
    char *fields = line + strcspn(line, " \t");
    if (*fields != '\0')
        *fields++ = '\0';
    vef_code code = read_fields(reader, fields, error);
    if (code == VEF_OK)
        code = vef_host_list_read(line, take_host, reader, error);
    return code == VEF_OK ? reader->code : code;
}

static int compare(const void *a, const void *b, void *nodes) {
    const uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
    const uint32_t *node = nodes;
    if (node[p] != node[q])
        return node[p] < node[q] ? -1 : 1;
    return (p > q) - (p < q);
}

/* Tasks without a slot take the free cores of their node in order. */
static vef_code place_on_cores(reading *reader, uint32_t *endpoint, vef_error *error) {
    const vef_mapping_view *view = reader->view;
    uint32_t *order = vef_calloc(view->tasks, sizeof *order);
    bool *taken = vef_calloc(view->cores, sizeof *taken);
    vef_code code = VEF_OK;
    for (uint32_t t = 0; t < view->tasks; t++)
        order[t] = t;
    qsort_r(order, view->tasks, sizeof *order, compare, reader->node);
    for (uint32_t first = 0, end; code == VEF_OK && first < view->tasks; first = end) {
        const uint32_t node = reader->node[order[first]];
        memset(taken, 0, view->cores * sizeof *taken);
        for (end = first; end < view->tasks && reader->node[order[end]] == node; end++)
            if (reader->core[order[end]] != ANY_CORE) {
                if (taken[reader->core[order[end]]])
                    code = vef_fail(error, VEF_INVALID, "%s: task %u: slot %u of its host is taken",
                                    reader->path, order[end], reader->core[order[end]]);
                taken[reader->core[order[end]]] = true;
            }
        if (code == VEF_OK && end - first > view->cores)
            code = vef_fail(error, VEF_INVALID,
                            "%s: %u tasks on one node: expected at most %u (host.cores)",
                            reader->path, end - first, view->cores);
        for (uint32_t i = first, next = 0; code == VEF_OK && i < end; i++) {
            uint32_t core = reader->core[order[i]];
            while (core == ANY_CORE && next < view->cores && taken[next])
                next++;
            if (core == ANY_CORE && next < view->cores)
                taken[core = next] = true;
            endpoint[order[i]] =
                vef_mapping_core(view, node, core == ANY_CORE ? view->cores - 1 : core);
        }
    }
    free(order);
    free(taken);
    return code;
}

static vef_code read_hosts(reading *reader, vef_error *error) {
    const uint32_t tasks = reader->view->tasks;
    char *text = NULL;
    unsigned long number = 0;
    vef_code code = vef_file_read(reader->path, MOST_FILE_BYTES, &text, NULL, error);
    char *rest = text;
    for (char *line; code == VEF_OK && (line = vef_host_line(&rest, &number)) != NULL;)
        if ((code = read_line(reader, line, error)) != VEF_OK)
            vef_fail_within(error, "%s:%lu", reader->path, number);
    free(text);
    for (uint32_t t = 0; code == VEF_OK && t < tasks; t++)
        if (reader->node[t] == UINT32_MAX)
            code = vef_fail(error, VEF_INVALID,
                            "%s: task %u has no host: expected one for each of "
                            "%u tasks",
                            reader->path, t, tasks);
    return code;
}

static vef_code assign(const vef_mapping_stage *stage, const vef_mapping_view *view,
                       uint32_t *endpoint, vef_error *error) {
    char *path = vef_strdup(stage->path);
    reading reader = {.view = view, .path = path};
    reader.node = vef_malloc(view->tasks * sizeof *reader.node);
    reader.core = vef_malloc(view->tasks * sizeof *reader.core);
    memset(reader.node, 0xff, view->tasks * sizeof *reader.node);
    vef_code code = read_names(path, &reader.names, error);
    if (code == VEF_OK)
        code = read_hosts(&reader, error);
    if (code == VEF_OK)
        code = place_on_cores(&reader, endpoint, error);
    vef_host_names_free(&reader.names);
    free(reader.node);
    free(reader.core);
    free(path);
    return code;
}

static const char *const samples[] = {NULL}; /* a file must exist: tested by itself */

const vef_mapping_family vef_mapping_hosts = {
    .name = "hosts",
    .aliases = "hostfile rankfile machinefile arbitrary",
    .summary =
        "hosts, HOST:TASKS, HOST slots=TASKS or 'rank N=HOST slot=CORE'; hosts(path, names): see "
        "docs",
    .needs = VEF_MAPPING_PATH,
    .parameter = "path",
    .samples = samples,
    .assign = assign,
    .shares = true,
};
