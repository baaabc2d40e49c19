/* A cut into two halves by Scotch (F. Pellegrini: "Scotch and libScotch User's Guide", version 7):
 * its multilevel partitioner, started several times with different numberings of the routers, each
 * cut refined (refine.h); the smallest one is kept. Output of Scotch is discarded: it looks for
 * error functions outside of its library ("Error handling" in the guide), and finds those below. */
#include "netmodel/analysis/bisection.h"

#ifndef VEF_HAVE_SCOTCH

bool vef_has_partitioner(void) {
    return false;
}

vef_code vef_cut_by_partitioner(const vef_graph *graph, const double *load, vef_cut *cut,
                                vef_error *error) {
    (void)graph, (void)load, (void)cut;
    return vef_fail(error, VEF_UNSUPPORTED,
                    "this vef was built without the graph partitioner Scotch: install it (Debian: "
                    "libscotch-dev) and rebuild vef");
}

#else

#include "common/rng.h"
#include "netmodel/analysis/refine.h"

#include <scotch.h>
#include <string.h>

void SCOTCH_errorProg(const char *const program) {
    (void)program;
}
void SCOTCH_errorPrint(const char *const format, ...) {
    (void)format;
}
void SCOTCH_errorPrintW(const char *const format, ...) {
    (void)format;
}

/* Number of starts: many in small networks, a few in large ones. */
enum { FEWEST_TRIES = 4, MOST_TRIES = 64, ARCS_OF_ALL_TRIES = 1 << 21 };
/* Imbalance that Scotch may leave, alternating: refinement balances the halves, and when asked for
 * exact balance Scotch finds cuts up to half as large again. */
static const double SLACK[] = {0.01, 0.05, 0.2, 0.0};

/* The network for Scotch: parallel links as one weighted link, routers renumbered. */
typedef struct scotch_graph {
    SCOTCH_Num *first, *head, *links, *endpoints, *part;
    uint32_t *number; /* of router r: its number there */
    uint32_t *router; /* and back */
    uint32_t *place;  /* during merging of arcs: the index of the arc to a router, + 1 */
} scotch_graph;

bool vef_has_partitioner(void) {
    return true;
}

static void make_room(const vef_graph *graph, vef_arena *arena, scotch_graph *made) {
    const size_t routers = graph->routers, arcs = graph->arcs;
    made->first = vef_arena_alloc(arena, routers + 1, sizeof *made->first);
    made->head = vef_arena_alloc(arena, arcs, sizeof *made->head);
    made->links = vef_arena_alloc(arena, arcs, sizeof *made->links);
    made->endpoints = vef_arena_alloc(arena, routers, sizeof *made->endpoints);
    made->part = vef_arena_alloc(arena, routers, sizeof *made->part);
    made->number = vef_arena_alloc(arena, routers, sizeof *made->number);
    made->router = vef_arena_alloc(arena, routers, sizeof *made->router);
    made->place = vef_arena_alloc(arena, routers, sizeof *made->place);
}

/* Numbers the routers: unchanged the first time, then at random. */
static void number_routers(const vef_graph *graph, uint32_t try, scotch_graph *made) {
    for (uint32_t r = 0; r < graph->routers; r++)
        made->router[r] = r;
    vef_rng random = vef_rng_make(0, VEF_RNG_PARTITION, try);
    for (uint32_t left = graph->routers; try > 0 && left > 1; left--) {
        const uint32_t i = vef_rng_below(&random, left);
        const uint32_t r = made->router[i];
        made->router[i] = made->router[left - 1];
        made->router[left - 1] = r;
    }
    for (uint32_t n = 0; n < graph->routers; n++)
        made->number[made->router[n]] = n;
}

static void fill(const vef_graph *graph, scotch_graph *made) {
    SCOTCH_Num arcs = 0;
    memset(made->place, 0, graph->routers * sizeof *made->place);
    for (uint32_t n = 0; n < graph->routers; n++) {
        const uint32_t r = made->router[n];
        made->endpoints[n] = (SCOTCH_Num)graph->endpoints[r];
        made->first[n] = arcs;
        for (uint32_t arc = graph->first[r]; arc < graph->first[r + 1]; arc++) {
            const uint32_t to = graph->head[arc];
            if (made->place[to] > (uint32_t)made->first[n]) {
                made->links[made->place[to] - 1]++;
                continue;
            }
            made->head[arcs] = (SCOTCH_Num)made->number[to];
            made->links[arcs] = 1;
            made->place[to] = (uint32_t)++arcs;
        }
    }
    made->first[graph->routers] = arcs;
}

/* One run of Scotch. Its random numbers come from a separate context, in one thread, so that the
 * result is deterministic. */
static bool partition(const vef_graph *graph, uint32_t try, scotch_graph *made) {
    SCOTCH_Context context;
    SCOTCH_Graph whole, bound;
    SCOTCH_Strat strategy;
    if (SCOTCH_contextInit(&context) != 0)
        return false;
    bool fine = SCOTCH_contextOptionSetNum(&context, SCOTCH_OPTIONNUMDETERMINISTIC, 1) == 0 &&
                SCOTCH_contextThreadSpawn(&context, 1, NULL) == 0;
    SCOTCH_contextRandomSeed(&context, (SCOTCH_Num)try + 1);
    SCOTCH_contextRandomReset(&context);
    SCOTCH_graphInit(&whole);
    SCOTCH_graphInit(&bound);
    SCOTCH_stratInit(&strategy);
    const SCOTCH_Num kind =
        try % 2 ? SCOTCH_STRATQUALITY : SCOTCH_STRATQUALITY | SCOTCH_STRATRECURSIVE;
    const double slack = SLACK[try / 2 % (sizeof SLACK / sizeof SLACK[0])];
    fine = fine &&
           SCOTCH_graphBuild(&whole, 0, (SCOTCH_Num)graph->routers, made->first, made->first + 1,
                             made->endpoints, NULL, made->first[graph->routers], made->head,
                             made->links) == 0 &&
           SCOTCH_stratGraphMapBuild(&strategy, kind, 2, slack) == 0 &&
           SCOTCH_contextBindGraph(&context, &whole, &bound) == 0 &&
           SCOTCH_graphPart(&bound, 2, &strategy, made->part) == 0;
    SCOTCH_graphFree(&bound);
    SCOTCH_stratExit(&strategy);
    SCOTCH_graphFree(&whole);
    SCOTCH_contextExit(&context);
    return fine;
}

static vef_code try_often(const vef_graph *graph, const double *load, scotch_graph *made,
                          uint8_t *far_side, vef_cut *cut, vef_error *error) {
    uint32_t tries = ARCS_OF_ALL_TRIES / (graph->arcs + 1);
    tries = tries < FEWEST_TRIES ? FEWEST_TRIES : tries > MOST_TRIES ? MOST_TRIES : tries;
    for (uint32_t try = 0; try < tries; try++) {
        vef_graph_report(graph, "cutting in halves", try, tries);
        number_routers(graph, try, made);
        fill(graph, made);
        if (!partition(graph, try, made))
            return vef_fail(
                error, VEF_FAILED,
                "Scotch failed on a graph of %u routers and %u links: possibly out of memory",
                graph->routers, graph->arcs / 2);
        for (uint32_t r = 0; r < graph->routers; r++)
            far_side[r] = made->part[made->number[r]] != 0;
        vef_refine_halves(graph, far_side);
        vef_cut found;
        vef_cut_measure(graph, far_side, load, &found);
        if (try == 0 || found.links < cut->links)
            *cut = found;
    }
    return VEF_OK;
}

vef_code vef_cut_by_partitioner(const vef_graph *graph, const double *load, vef_cut *cut,
                                vef_error *error) {
    uint32_t with_endpoints = 0;
    for (uint32_t r = 0; r < graph->routers; r++)
        with_endpoints += graph->endpoints[r] > 0;
    if (with_endpoints < 2)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "all endpoints are on one router: expected endpoints on two routers or "
                        "more, to divide them");
    if (graph->arcs >= SCOTCH_NUMMAX || graph->topology->endpoints >= SCOTCH_NUMMAX)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "a network of %u links and %u endpoints is too large: this Scotch supports "
                        "up to %lld of each",
                        graph->arcs / 2, graph->topology->endpoints, (long long)SCOTCH_NUMMAX / 2);
    vef_arena arena = {0};
    scotch_graph made = {0};
    uint8_t *far_side = vef_arena_alloc(&arena, graph->routers, sizeof *far_side);
    make_room(graph, &arena, &made);
    const vef_code code = try_often(graph, load, &made, far_side, cut, error);
    vef_arena_release(&arena);
    return code;
}

#endif
