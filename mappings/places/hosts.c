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
#include "common/file.h"
#include "common/memory.h"
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
    vef_code code;         /* of taking its hosts, */
    vef_error *error;      /* and why not */
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

static vef_code add_task(reading *self, uint32_t task, const char *host, uint32_t core,
                         vef_error *error) {
    const vef_mapping_view *view = self->view;
    if (task >= view->tasks)
        return vef_fail(error, VEF_INVALID, "task %u: out of range: the program has %u tasks", task,
                        view->tasks);
    if (self->node[task] != UINT32_MAX)
        return vef_fail(error, VEF_INVALID, "duplicate rank %u", task);
    const uint32_t node = vef_host_names_find(&self->names, host);
    if (node == UINT32_MAX)
        return vef_fail(error, VEF_INVALID, "unknown host '%.60s': expected %s", host,
                        self->names.name ? "a name of the file of nodes"
                                         : "a name that ends in the number of its node");
    if (view->topology && node >= view->endpoints / view->nics)
        return vef_fail(error, VEF_INVALID,
                        "host '%.60s' is node %u: out of range: the network has "
                        "%u nodes",
                        host, node, view->endpoints / view->nics);
    if (core != ANY_CORE && core >= view->cores)
        return vef_fail(error, VEF_INVALID, "slot %u: out of range: a node has %u (host.cores)",
                        core, view->cores);
    self->node[task] = node;
    self->core[task] = core;
    self->count++;
    return VEF_OK;
}

/* The next tasks go to a host. Where a line gives their number, it is a maximum. */
static bool take_host(void *context, const char *host, uint32_t tasks, bool counted) {
    reading *self = context;
    const bool maximum = counted || self->slots > 0;
    const uint32_t count = self->slots > 0 ? self->slots : tasks;
    for (uint32_t i = 0; self->code == VEF_OK && i < count; i++) {
        if (maximum && self->count == self->view->tasks)
            return false;
        self->code = add_task(self, self->count, host, ANY_CORE, self->error);
    }
    return self->code == VEF_OK;
}

/* "slots=2 max_slots=4" behind a host. */
static vef_code read_fields(reading *self, char *text, vef_error *error) {
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
            self->slots = (uint32_t)slots;
    }
    return VEF_OK;
}

static vef_code read_line(reading *self, char *line, vef_error *error) {
    uint32_t task = 0, core = ANY_CORE;
    char *host = NULL;
    if (strncmp(line, "rank", 4) == 0 && isspace((unsigned char)line[4])) {
        const vef_code code = read_rank(line + 5, &task, &host, &core, error);
        return code == VEF_OK ? add_task(self, task, host, core, error) : code;
    }
    self->slots = 0;
    self->code = VEF_OK;
    self->error = error;
    char *fields = line + strcspn(line, " \t");
    if (*fields != '\0')
        *fields++ = '\0';
    vef_code code = read_fields(self, fields, error);
    if (code == VEF_OK)
        code = vef_host_list_read(line, take_host, self, error);
    return code == VEF_OK ? self->code : code;
}

static int compare(const void *a, const void *b, void *nodes) {
    const uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
    const uint32_t *node = nodes;
    if (node[p] != node[q])
        return node[p] < node[q] ? -1 : 1;
    return (p > q) - (p < q);
}

/* Tasks without a slot take the free cores of their node in order. */
static vef_code place_on_cores(reading *self, uint32_t *endpoint, vef_error *error) {
    const vef_mapping_view *view = self->view;
    uint32_t *order = vef_calloc(view->tasks, sizeof *order);
    bool *taken = vef_calloc(view->cores, sizeof *taken);
    vef_code code = VEF_OK;
    for (uint32_t t = 0; t < view->tasks; t++)
        order[t] = t;
    qsort_r(order, view->tasks, sizeof *order, compare, self->node);
    for (uint32_t first = 0, end; code == VEF_OK && first < view->tasks; first = end) {
        const uint32_t node = self->node[order[first]];
        memset(taken, 0, view->cores * sizeof *taken);
        for (end = first; end < view->tasks && self->node[order[end]] == node; end++)
            if (self->core[order[end]] != ANY_CORE) {
                if (taken[self->core[order[end]]])
                    code = vef_fail(error, VEF_INVALID, "%s: task %u: slot %u of its host is taken",
                                    self->path, order[end], self->core[order[end]]);
                taken[self->core[order[end]]] = true;
            }
        if (code == VEF_OK && end - first > view->cores)
            code = vef_fail(error, VEF_INVALID,
                            "%s: %u tasks on one node: expected at most %u (host.cores)",
                            self->path, end - first, view->cores);
        for (uint32_t i = first, next = 0; code == VEF_OK && i < end; i++) {
            uint32_t core = self->core[order[i]];
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

static vef_code read_hosts(reading *self, vef_error *error) {
    const uint32_t tasks = self->view->tasks;
    char *text = NULL;
    unsigned long number = 0;
    vef_code code = vef_file_read(self->path, MOST_FILE_BYTES, &text, NULL, error);
    char *rest = text;
    for (char *line; code == VEF_OK && (line = vef_host_line(&rest, &number)) != NULL;)
        if ((code = read_line(self, line, error)) != VEF_OK)
            vef_fail_within(error, "%s:%lu", self->path, number);
    free(text);
    for (uint32_t t = 0; code == VEF_OK && t < tasks; t++)
        if (self->node[t] == UINT32_MAX)
            code = vef_fail(error, VEF_INVALID,
                            "%s: task %u has no host: expected one for each of "
                            "%u tasks",
                            self->path, t, tasks);
    return code;
}

static vef_code assign(const vef_mapping_stage *stage, const vef_mapping_view *view,
                       uint32_t *endpoint, vef_error *error) {
    char *path = vef_strdup(stage->path);
    reading self = {.view = view, .path = path};
    self.node = vef_malloc(view->tasks * sizeof *self.node);
    self.core = vef_malloc(view->tasks * sizeof *self.core);
    memset(self.node, 0xff, view->tasks * sizeof *self.node);
    vef_code code = read_names(path, &self.names, error);
    if (code == VEF_OK)
        code = read_hosts(&self, error);
    if (code == VEF_OK)
        code = place_on_cores(&self, endpoint, error);
    vef_host_names_free(&self.names);
    free(self.node);
    free(self.core);
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
