/* Task mappings: which endpoint of the network each task of a program runs at.
 *
 * Camarero, Vallejo, Martinez, Moreto, Beivide: "Task Mapping in Rectangular Twisted Tori",
 * section 3, here for any number of dimensions. Tasks are laid out on a logical grid, x running
 * fastest: task t at (t mod width, floor(t / width) mod height, …). Stages move the points of a
 * grid to the points of a grid, and are composed as the paper writes them: `identity .
 * twisted-union(2) . horizontal-union(2)` is applied from right to left. The grid that comes out
 * must be the network's grid of routers; tasks that come to one router take its endpoints in the
 * order of their numbers. A stage is one file and one row of families.def.
 *
 * The logical grid is the one that the mapping names as its rightmost stage, `grid(16x4)`, else
 * that of the request, else that of the program. Without any of these it is the squarest one of two
 * dimensions (vef_mapping_squarest) if it becomes the grid of routers, else the only one that does.
 *
 * Mappings without a grid:
 * - `identity` alone, without a grid in the request, fills the routers in the order of their
 *   numbers, with as many tasks each as are needed, k = ceil(tasks / routers): task t at endpoint
 *   t mod k of router floor(t / k). It works on any topology and with fewer tasks than endpoints,
 *   and is the identity of the paper where the grid is the routers'. Where routers have different
 *   numbers of endpoints, or none, k is the least with which all tasks have a place, and task t has
 *   the t-th of the endpoints that are among the first k of their router.
 * - Families with `assign` (random(seed), file(path), …) assign endpoints directly: no stage of a
 *   grid is beside them.
 *
 * Families with `refine` (swap, anneal) improve the mapping to their right by the traffic of the
 * program: `swap . greedy`, `anneal . twisted-union(2)`; alone, the one that `identity` makes, or
 * `block` where nodes have several cores. They are the leftmost stages.
 *
 * Families by the traffic weigh it by bytes or, with the argument `messages`, by the number of
 * messages. */
#ifndef VEF_MAPPINGS_MAPPING_H
#define VEF_MAPPINGS_MAPPING_H

#include "common/progress.h"
#include "common/status.h"
#include "netmodel/topology/topology.h"
#include "traces/file/traffic.h"

#include <stdint.h>
#include <stdio.h>

/* The sides of a grid, x first. A side of 0 counts as 1, so that {{8, 4}} is 8x4; all 0: none. */
typedef union vef_grid {
    uint32_t size[VEF_MAX_DIMENSIONS];
    struct {
        uint32_t width, height;
    };
} vef_grid;

typedef struct vef_mapping_request {
    const char *text;        /* the stages as above; NULL: identity */
    const vef_node *plugins; /* that key of the network file (vef_library_list), or NULL */
    vef_grid grid;           /* the logical grid of --grid, or none */
    vef_grid program_grid;   /* that of the program, or none */
    uint32_t tasks;          /* at least 1 */
    uint32_t cores, nics;    /* of a node; 0: 1 */
    /* The traffic between tasks, for mappings that need it: the matrix, if it is available, or a
     * function that makes it, called only then. Both NULL: such mappings are refused. */
    const vef_traffic_matrix *traffic;
    vef_code (*find_traffic)(void *context, vef_traffic_matrix *traffic, vef_error *error);
    void *context;
    double limit_s; /* each optimiser ends early after that time; not above 0: unlimited */
    double (*now_s)(void *clock); /* the time for that; NULL: the machine's */
    void *clock;
    vef_progress *progress; /* of optimisers; may be NULL */
} vef_mapping_request;

typedef struct vef_mapping {
    uint32_t tasks;
    vef_grid grid;      /* of the tasks, even if no stage needed one: no side is 0 */
    bool on_grid;       /* stages of a grid have placed the tasks */
    bool limited;       /* the time limit ended an optimiser early */
    uint32_t *endpoint; /* per task; several tasks may share one only if the family does */
} vef_mapping;

/* Checks the text alone: VEF_INVALID for what no network and no program make valid. `plugins`: as
 * in a request. */
vef_code vef_mapping_check(const char *text, const vef_node *plugins, vef_error *error);

/* Maps the tasks to a network; topology NULL (a network without routers): every task has the
 * endpoint of its own number, since distances mean nothing, unless the mapping assigns endpoints by
 * other criteria. Refuses (VEF_INVALID) invalid mappings, and (VEF_UNSUPPORTED) those that do not
 * fit the network, with a grid that would. The caller destroys the mapping. */
vef_code vef_mapping_create(const vef_mapping_request *request, const vef_topology *topology,
                            vef_mapping **mapping, vef_error *error);
void vef_mapping_destroy(vef_mapping *mapping); /* NULL is fine */

/* The grid of exactly `tasks` points whose sides differ least, not taller than wide. */
vef_grid vef_mapping_squarest(uint32_t tasks);

/* Reads "16x8" or "8x4x4". */
vef_code vef_mapping_parse_grid(const char *text, vef_grid *grid, vef_error *error);

/* Writes a line per row of the table, with syntax and summary. For help and docs. */
void vef_mapping_describe(FILE *out, int indent);

/* ---- the extension point ---- */

/* Arguments in parentheses after the name of a family, in any order. */
typedef enum vef_mapping_argument {
    VEF_MAPPING_COUNT = 1 << 0,     /* a number from 1 */
    VEF_MAPPING_SEED = 1 << 1,      /* a number from 0 */
    VEF_MAPPING_PATH = 1 << 2,      /* the whole text */
    VEF_MAPPING_GRID = 1 << 3,      /* 16x8 */
    VEF_MAPPING_AXIS = 1 << 4,      /* x, y, z; d0, d1, … */
    VEF_MAPPING_AXES = 1 << 5,      /* two different ones */
    VEF_MAPPING_OBJECTIVE = 1 << 6, /* hop-bytes, link-load */
    VEF_MAPPING_WEIGHT = 1 << 7,    /* bytes, messages */
} vef_mapping_argument;

/* What optimisers make small. */
typedef enum vef_mapping_objective { VEF_HOP_BYTES, VEF_LINK_LOAD } vef_mapping_objective;

/* One stage of a composition, as read. */
typedef struct vef_mapping_stage {
    const struct vef_mapping_family *family;
    uint64_t number; /* COUNT; SEED, by default 1 */
    const char *path;
    vef_grid grid;
    uint32_t axis[2]; /* by default those of the family */
    vef_mapping_objective objective;
    bool messages; /* WEIGHT: the traffic that it gets has the number of messages for bytes */
} vef_mapping_stage;

/* Input of a family that assigns endpoints. */
typedef struct vef_mapping_view {
    uint32_t tasks, endpoints;
    uint32_t cores, nics;         /* of a node: at least 1 */
    const vef_topology *topology; /* NULL: a network without routers */
    /* The messages of the program, weighed as the stage says; NULL unless the family needs them. */
    const vef_traffic_matrix *traffic;
    double limit_s; /* this and the clock as of the request */
    double (*now_s)(void *clock);
    void *clock;
    bool *limited; /* set when the limit ends an optimiser early; may be NULL */
    vef_progress *progress;
} vef_mapping_view;

/* A family of stages: either `size`, `before` and `move`, or `assign`, or `refine`. */
typedef struct vef_mapping_family {
    const char *name;
    const char *aliases;        /* other words for it, for hints (vef_known); may be NULL */
    const char *summary;        /* one line */
    unsigned needs;             /* required arguments: bits of vef_mapping_argument */
    unsigned takes;             /* optional arguments: bits of vef_mapping_argument */
    uint32_t axis[2];           /* the default axes */
    const char *parameter;      /* the arguments as help shows them; NULL: none */
    const char *const *samples; /* for the generic tests, as written, ended by NULL; `assign`: they
                                   must work for any number of tasks */
    /* The size of the image of a grid of size `from`; no side of a grid is 0 here. */
    vef_code (*size)(const vef_mapping_stage *stage, const vef_grid *from, vef_grid *to,
                     vef_error *error);
    /* The size of the only grid whose image has the size `to`, if `size` accepts it. False: there
     * is none. */
    bool (*before)(const vef_mapping_stage *stage, const vef_grid *to, vef_grid *from);
    /* Moves a point of a grid of size `from` to its image. */
    void (*move)(const vef_mapping_stage *stage, const vef_grid *from, uint32_t *position);
    /* Assigns to each task one of the endpoints 0 … endpoints - 1. */
    vef_code (*assign)(const vef_mapping_stage *stage, const vef_mapping_view *view,
                       uint32_t *endpoint, vef_error *error);
    /* Improves the endpoints of the tasks; the topology is not NULL. */
    vef_code (*refine)(const vef_mapping_stage *stage, const vef_mapping_view *view,
                       uint32_t *endpoint, vef_error *error);
    bool shares;        /* `assign` may give several tasks one endpoint */
    bool needs_traffic; /* costs a pass over the trace */
    bool by_distance;   /* without routers every task has the endpoint of its own number instead */
    bool on_grid;       /* needs a topology with a grid of routers */
} vef_mapping_family;

extern const vef_mapping_family *const vef_mapping_families[]; /* ended by NULL */
extern const struct vef_plugin_point vef_mapping_point;        /* rows of plug-ins */

#endif
