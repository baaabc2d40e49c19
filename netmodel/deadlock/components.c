/* Cycles of escapes: the strongly connected components of queues (Tarjan: "Depth-First Search and
 * Linear Graph Algorithms", SIAM J. Comput. 1972, section 4, without recursion), which of them are
 * rings covered by bubbles, and a short cycle of one that is not. */
#include "common/memory.h"
#include "netmodel/deadlock/moves.h"

#include <string.h>

enum { CYCLIC = 1, BRANCHES = 2, PLACES = 4, ENTRY = 8 }; /* the properties of a component */
#define NOT_YET UINT32_MAX

typedef struct frame {
    uint32_t queue, link; /* and the next link of its router to visit */
} frame;

typedef struct graph {
    const vef_moves *moves;
    uint32_t queues;
    uint32_t *component; /* of each queue */
    /* Tarjan's, and afterwards for other walks */
    uint32_t *number, *low, *stack;
    frame *frames;
    /* by component */
    uint32_t components;
    uint32_t *size;
    uint8_t *found; /* reason why it is not covered; 0 for single queues, too */
    vef_arena arena;
} graph;

static const uint8_t *row_of(const graph *g, uint32_t queue) {
    return vef_moves_from(g->moves, queue / g->moves->links, queue % g->moves->links);
}

static uint32_t after(const graph *g, uint32_t queue, uint32_t link) {
    return vef_moves_queue(g->moves, queue / g->moves->links, link);
}

/* ---- components ---- */

static void close_component(graph *g, uint32_t root, uint32_t *depth) {
    uint32_t queue;
    g->size[g->components] = 0;
    do {
        queue = g->stack[--*depth];
        g->component[queue] = g->components;
        g->size[g->components]++;
    } while (queue != root);
    g->components++;
}

static void visit(graph *g, uint32_t root, uint32_t *next_number) {
    const uint32_t links = g->moves->links;
    uint32_t depth = 0, frames = 0;
    g->frames[frames++] = (frame){root, 0};
    g->number[root] = g->low[root] = (*next_number)++;
    g->stack[depth++] = root;
    while (frames > 0) {
        frame *top = &g->frames[frames - 1];
        const uint32_t queue = top->queue;
        const uint8_t *row = row_of(g, queue);
        while (top->link < links && !(row[top->link] & VEF_ESCAPE))
            top->link++;
        if (top->link == links) {
            frames--;
            if (g->low[queue] == g->number[queue])
                close_component(g, queue, &depth);
            if (frames > 0 && g->low[queue] < g->low[top[-1].queue])
                g->low[top[-1].queue] = g->low[queue];
            continue;
        }
        const uint32_t next = after(g, queue, top->link++);
        if (g->number[next] == NOT_YET) {
            g->number[next] = g->low[next] = (*next_number)++;
            g->stack[depth++] = next;
            g->frames[frames++] = (frame){next, 0};
        } else if (g->component[next] == NOT_YET && g->number[next] < g->low[queue]) {
            g->low[queue] = g->number[next];
        }
    }
}

static void make_graph(graph *g, const vef_moves *moves) {
    g->moves = moves;
    g->queues = moves->topology->routers * moves->links;
    const size_t queues = g->queues;
    g->component = vef_arena_alloc(&g->arena, queues, sizeof *g->component);
    g->number = vef_arena_alloc(&g->arena, queues, sizeof *g->number);
    g->low = vef_arena_alloc(&g->arena, queues, sizeof *g->low);
    g->stack = vef_arena_alloc(&g->arena, queues, sizeof *g->stack);
    g->frames = vef_arena_alloc(&g->arena, queues, sizeof *g->frames);
    g->size = vef_arena_alloc(&g->arena, queues, sizeof *g->size);
    g->found = vef_arena_alloc(&g->arena, queues, sizeof *g->found);
    memset(g->component, 0xff, queues * sizeof *g->component);
    memset(g->number, 0xff, queues * sizeof *g->number);
    uint32_t next_number = 0;
    for (uint32_t queue = 0; queue < g->queues; queue++)
        if (g->number[queue] == NOT_YET)
            visit(g, queue, &next_number);
}

/* ---- rings ---- */

/* Edges between the queues of components. */
static void check_inside(graph *g, vef_deadlock *deadlock) {
    for (uint32_t queue = 0; queue < g->queues; queue++) {
        const uint8_t *row = row_of(g, queue);
        uint32_t inside = 0;
        for (uint32_t link = 0; link < g->moves->links; link++) {
            const uint8_t how = row[link];
            if (!(how & VEF_ESCAPE))
                continue;
            deadlock->dependencies++;
            const uint32_t component = g->component[queue];
            if (g->component[after(g, queue, link)] != component)
                continue;
            g->found[component] |= CYCLIC;
            if (how & VEF_ESCAPE_MORE)
                g->found[component] |= PLACES;
            if (++inside > 1)
                g->found[component] |= BRANCHES;
        }
    }
}

/* Whether packets from outside can enter a component through a single free place; and the number of
 * its queues with such entries. */
static void check_entries(graph *g, vef_deadlock *deadlock) {
    const vef_moves *moves = g->moves;
    uint8_t *entered = (uint8_t *)g->stack; /* of the queues; Tarjan's stack is done with */
    memset(entered, 0, g->queues);
    for (uint32_t router = 0; router < moves->topology->routers; router++)
        for (uint32_t from = 0; from <= moves->links; from++) {
            const uint8_t *row = vef_moves_from(moves, router, from);
            const uint32_t component =
                from == moves->links ? NOT_YET : g->component[router * moves->links + from];
            for (uint32_t link = 0; link < moves->links; link++) {
                const uint8_t how = row[link];
                if (how == 0)
                    continue;
                const uint32_t next = vef_moves_queue(moves, router, link);
                entered[next] = 1;
                if ((how & VEF_MOVE_ONE) && g->component[next] != component)
                    g->found[g->component[next]] |= ENTRY;
            }
        }
    for (uint32_t queue = 0; queue < g->queues; queue++)
        deadlock->queues += entered[queue];
}

/* Marks the components that are not covered and returns the smallest; NOT_YET: all are covered. */
static uint32_t choose_uncovered(graph *g, vef_deadlock *deadlock) {
    uint32_t worst = NOT_YET;
    for (uint32_t c = 0; c < g->components; c++) {
        if (!(g->found[c] & CYCLIC))
            continue;
        if (!(g->found[c] & (PLACES | BRANCHES | ENTRY))) {
            deadlock->rings++;
            continue;
        }
        if (worst == NOT_YET || g->size[c] < g->size[worst])
            worst = c;
    }
    return worst;
}

/* ---- a cycle ---- */

typedef struct path {
    uint32_t start, start_link; /* the first step, which is given */
    uint32_t length;            /* number of queues on it; 0: none found yet */
} path;

/* Breadth-first search from the end of the first step back to its start, inside the component;
 * parents in `low`, marks in `number`. Returns the number of queues on the cycle, 0 if none is
 * shorter than `limit`. */
static uint32_t walk_back(graph *g, uint32_t start, uint32_t link, uint32_t limit, uint32_t mark,
                          uint64_t *effort) {
    const uint32_t component = g->component[start], links = g->moves->links;
    const uint32_t first = after(g, start, link);
    uint32_t begin = 0, end = 0, length = 2;
    if (first == start)
        return 1;
    g->stack[end++] = first;
    g->number[first] = mark;
    g->low[first] = start;
    for (; begin < end && length < limit; length++)
        for (const uint32_t level = end; begin < level; begin++) {
            const uint32_t queue = g->stack[begin];
            const uint8_t *row = row_of(g, queue);
            *effort += links;
            for (uint32_t l = 0; l < links; l++) {
                if (!(row[l] & VEF_ESCAPE))
                    continue;
                const uint32_t next = after(g, queue, l);
                if (g->component[next] != component || g->number[next] == mark)
                    continue;
                g->number[next] = mark;
                g->low[next] = queue;
                if (next == start)
                    return length;
                g->stack[end++] = next;
            }
        }
    return 0;
}

/* The link of `from`'s router by which escapes lead to `to`. */
static uint32_t link_to(const graph *g, uint32_t from, uint32_t to) {
    const uint8_t *row = row_of(g, from);
    uint32_t link = 0;
    while (!(row[link] & VEF_ESCAPE) || after(g, from, link) != to)
        link++;
    return link;
}

static vef_dependency step(const graph *g, uint32_t router, uint32_t from, uint32_t link,
                           uint8_t more, bool escape) {
    const vef_moves *moves = g->moves;
    const uint32_t channels = moves->channels;
    const uint8_t how = vef_moves_from(moves, router, from)[link];
    vef_dependency made = {
        .place = {router, VEF_INJECTED, 0},
        .candidate = {.port = (uint16_t)(link / channels),
                      .channel = (uint8_t)(link % channels),
                      .slots_needed =
                          how & more ? 2 : 1, /* a lower bound; the witness provides the value */
                      .escape = escape},
    };
    if (from < moves->links) {
        made.place.in_port = (uint16_t)(from / channels);
        made.place.in_channel = (uint8_t)(from % channels);
    }
    return made;
}

static void write_cycle(graph *g, const path *best, uint32_t mark, vef_deadlock *deadlock) {
    uint64_t effort = 0;
    walk_back(g, best->start, best->start_link, UINT32_MAX, mark, &effort);
    deadlock->cycle = vef_calloc(best->length, sizeof *deadlock->cycle);
    deadlock->cycle_length = best->length;
    uint32_t to = best->start;
    for (uint32_t i = best->length; i-- > 0;) {
        const uint32_t from = i == 0 ? best->start : g->low[to];
        const uint32_t link = i == 0 ? best->start_link : link_to(g, from, to);
        deadlock->cycle[i] =
            step(g, from / g->moves->links, from % g->moves->links, link, VEF_ESCAPE_MORE, true);
        to = from;
    }
}

/* The shortest cycle inside a component found within the effort limit. If its rings need more than
 * one place to enter, the cycle includes such an entry, since a ring alone may be covered. */
static void find_cycle(graph *g, uint32_t component, vef_deadlock *deadlock) {
    const uint64_t most_effort = UINT64_C(1) << 28;
    const uint8_t wanted = g->found[component] & PLACES ? VEF_ESCAPE_MORE : VEF_ESCAPE_ONE;
    uint64_t effort = 0;
    uint32_t mark = 0;
    path best = {0};
    memset(g->number, 0xff, g->queues * sizeof *g->number);
    for (uint32_t queue = 0; queue < g->queues && effort < most_effort; queue++) {
        if (g->component[queue] != component)
            continue;
        const uint8_t *row = row_of(g, queue);
        for (uint32_t link = 0; link < g->moves->links; link++) {
            if (!(row[link] & wanted) || g->component[after(g, queue, link)] != component)
                continue;
            const uint32_t limit = best.length ? best.length : UINT32_MAX;
            const uint32_t length = walk_back(g, queue, link, limit, mark++, &effort);
            if (length > 0 && length < limit)
                best = (path){queue, link, length};
        }
    }
    write_cycle(g, &best, mark, deadlock);
}

/* An entry from outside through a single free place. */
static void find_entry(const graph *g, uint32_t component, vef_deadlock *deadlock) {
    const vef_moves *moves = g->moves;
    for (uint32_t router = 0; router < moves->topology->routers; router++)
        for (uint32_t link = 0; link < moves->links; link++) {
            const uint32_t next = vef_moves_queue(moves, router, link);
            if (next == VEF_NO_QUEUE || g->component[next] != component)
                continue;
            for (uint32_t from = moves->links + 1; from-- > 0;) {
                const bool inside =
                    from < moves->links && g->component[router * moves->links + from] == component;
                const uint8_t how = vef_moves_from(moves, router, from)[link];
                if (inside || !(how & VEF_MOVE_ONE))
                    continue;
                deadlock->entry = step(g, router, from, link, 0, false);
                return;
            }
        }
}

static void find_uncovered(graph *g, uint32_t component, vef_deadlock *deadlock) {
    deadlock->verdict = VEF_DEADLOCK_CYCLE;
    deadlock->uncovered = g->found[component] & BRANCHES ? VEF_UNCOVERED_BRANCHES
                          : g->found[component] & PLACES ? VEF_UNCOVERED_PLACES
                                                         : VEF_UNCOVERED_ENTRY;
    if (deadlock->uncovered == VEF_UNCOVERED_ENTRY)
        find_entry(g, component, deadlock);
    find_cycle(g, component, deadlock);
}

void vef_components_judge(const vef_moves *moves, vef_deadlock *deadlock) {
    graph g = {0};
    make_graph(&g, moves);
    check_inside(&g, deadlock);
    check_entries(&g, deadlock);
    const uint32_t uncovered = choose_uncovered(&g, deadlock);
    if (uncovered != NOT_YET)
        find_uncovered(&g, uncovered, deadlock);
    vef_arena_release(&g.arena);
}
