/* bfs: breadth-first search of a Kronecker graph, level by level, like Graph500.
 *
 * Edges come from the Graph500 generator (2^n vertices, e 2^n edges, A B C = 0.57 0.19 0.19, labels
 * scrambled); each task generates its share and sends every edge to the owners of its ends
 * (Alltoallv). Vertex v belongs to task v mod tasks. In each level a task sorts the edges that
 * leave its frontier by owner, sends the owners their numbers (Alltoall) and the edges (Isend,
 * Irecv), and processes them in order of arrival (Waitany); an Allreduce adds up the sizes of the
 * next frontier.
 *
 * Check, by the validation rules of the Graph500 specification: the parents form a tree with the
 * given root, tree edges are edges of the graph and join adjacent levels, and every input edge
 * joins levels that differ by at most one, or two unreached vertices. Up to 2^16 vertices, a
 * serial search by task 0 must find the same levels. The check is not measured: MPI_Pcontrol(0)
 * turns tools off. */
#include "examples/example.h"

enum { SERIAL_BITS = 16, UNREACHED = -1, LABELS = 100, ROOTS = 101 };

typedef struct edge {
    uint32_t from, to;
} edge;

typedef struct graph {
    int rank, tasks, bits;
    long vertices, edges; /* of the whole input */
    long own;             /* vertices of this task; local number v / tasks */
    long *starts;         /* compressed adjacency of own vertices, both directions, no loops */
    uint32_t *neighbours;
    edge *made; /* this task's share of the input, as generated */
    long made_count;
} graph;

/* Edges to exchange: sorted by the task they go to. */
typedef struct parcel {
    int *counts, *starts; /* in edges; starts has one more */
    edge *edges;
    size_t room;
} parcel;

static uint32_t scramble(const graph *g, uint32_t v) {
    const uint32_t mask = (uint32_t)(g->vertices - 1);
    for (uint64_t round = 0; round < 3; round++) {
        v = (v * ((uint32_t)example_random(LABELS, round) | 1) + (uint32_t)round) & mask;
        v ^= v >> (g->bits / 2);
    }
    return v;
}

static edge make_edge(const graph *g, long index) {
    uint32_t from = 0, to = 0;
    for (int bit = 0; bit < g->bits; bit++) {
        const double draw = example_random_unit((uint64_t)bit, (uint64_t)index);
        const int quadrant = draw < 0.57 ? 0 : draw < 0.76 ? 1 : draw < 0.95 ? 2 : 3;
        from = from << 1 | (uint32_t)(quadrant >> 1);
        to = to << 1 | (uint32_t)(quadrant & 1);
    }
    return (edge){scramble(g, from), scramble(g, to)};
}

static int owner(const graph *g, uint32_t vertex) {
    return (int)(vertex % (uint32_t)g->tasks);
}

static long local(const graph *g, uint32_t vertex) {
    return (long)(vertex / (uint32_t)g->tasks);
}

static parcel make_parcel(const graph *g) {
    return (parcel){example_allocate((size_t)g->tasks, sizeof(int)),
                    example_allocate((size_t)g->tasks + 1, sizeof(int)), NULL, 0};
}

static void free_parcel(parcel *p) {
    free(p->counts);
    free(p->starts);
    free(p->edges);
}

/* Places the parts one after the other by their counts, and makes room. */
static void lay_out(const graph *g, parcel *p) {
    for (int task = 0; task < g->tasks; task++)
        p->starts[task + 1] = p->starts[task] + p->counts[task];
    const size_t needed = (size_t)p->starts[g->tasks];
    if (needed > p->room || p->edges == NULL) {
        free(p->edges);
        p->room = needed;
        p->edges = example_allocate(needed, sizeof(edge));
    }
}

static void count_what_comes(parcel *out, parcel *in, const graph *g) {
    MPI_Alltoall(out->counts, 1, MPI_INT, in->counts, 1, MPI_INT, MPI_COMM_WORLD);
    lay_out(g, in);
}

/* Makes this task's share of the edges and sends both directions of each to the owner of its start.
 */
static void build(graph *g, MPI_Datatype pair) {
    parcel out = make_parcel(g), in = make_parcel(g);
    const long first = example_share(g->edges, g->rank, g->tasks);
    g->made_count = example_share(g->edges, g->rank + 1, g->tasks) - first;
    g->made = example_allocate((size_t)g->made_count, sizeof *g->made);
    for (long i = 0; i < g->made_count; i++) {
        g->made[i] = make_edge(g, first + i);
        out.counts[owner(g, g->made[i].from)]++;
        out.counts[owner(g, g->made[i].to)]++;
    }
    lay_out(g, &out);
    int *next = example_allocate((size_t)g->tasks, sizeof *next);
    memcpy(next, out.starts, (size_t)g->tasks * sizeof *next);
    for (long i = 0; i < g->made_count; i++) {
        const edge e = g->made[i];
        out.edges[next[owner(g, e.from)]++] = e;
        out.edges[next[owner(g, e.to)]++] = (edge){e.to, e.from};
    }
    count_what_comes(&out, &in, g);
    MPI_Alltoallv(out.edges, out.counts, out.starts, pair, in.edges, in.counts, in.starts, pair,
                  MPI_COMM_WORLD);

    const int received = in.starts[g->tasks];
    g->own = (g->vertices - g->rank + g->tasks - 1) / g->tasks;
    g->starts = example_allocate((size_t)g->own + 2, sizeof *g->starts);
    g->neighbours = example_allocate((size_t)received, sizeof *g->neighbours);
    for (int i = 0; i < received; i++)
        if (in.edges[i].from != in.edges[i].to)
            g->starts[local(g, in.edges[i].from) + 2]++;
    for (long v = 0; v < g->own; v++)
        g->starts[v + 2] += g->starts[v + 1];
    for (int i = 0; i < received; i++)
        if (in.edges[i].from != in.edges[i].to)
            g->neighbours[g->starts[local(g, in.edges[i].from) + 1]++] = in.edges[i].to;
    free(next);
    free_parcel(&out);
    free_parcel(&in);
}

/* One search: parents and levels of this task's vertices (UNREACHED), in rooms of g->own. */
typedef struct search {
    const graph *graph;
    MPI_Datatype pair;
    int *parents, *levels;
    long *frontier, *next; /* local numbers */
    long frontier_size, next_size;
    parcel out, in;
    int *cursor;
    MPI_Request *sends, *receives;
} search;

/* Edges that come in at a level: an unreached end becomes part of the next frontier. */
static void take(search *s, const edge *edges, int count, int level) {
    for (int i = 0; i < count; i++) {
        const long v = local(s->graph, edges[i].to);
        if (s->parents[v] == UNREACHED) {
            s->parents[v] = (int)edges[i].from;
            s->levels[v] = level;
            s->next[s->next_size++] = v;
        }
    }
}

/* Sorts the edges that leave the frontier by the owner of their other end. */
static void leave_frontier(search *s) {
    const graph *g = s->graph;
    memset(s->out.counts, 0, (size_t)g->tasks * sizeof *s->out.counts);
    for (long f = 0; f < s->frontier_size; f++)
        for (long k = g->starts[s->frontier[f]]; k < g->starts[s->frontier[f] + 1]; k++)
            s->out.counts[owner(g, g->neighbours[k])]++;
    lay_out(g, &s->out);
    memcpy(s->cursor, s->out.starts, (size_t)g->tasks * sizeof *s->cursor);
    for (long f = 0; f < s->frontier_size; f++) {
        const uint32_t vertex = (uint32_t)(s->frontier[f] * g->tasks + g->rank);
        for (long k = g->starts[s->frontier[f]]; k < g->starts[s->frontier[f] + 1]; k++)
            s->out.edges[s->cursor[owner(g, g->neighbours[k])]++] =
                (edge){vertex, g->neighbours[k]};
    }
}

static void exchange_level(search *s, int level) {
    const graph *g = s->graph;
    int sends = 0;
    leave_frontier(s);
    count_what_comes(&s->out, &s->in, g);
    for (int task = 0; task < g->tasks; task++) {
        s->receives[task] = MPI_REQUEST_NULL;
        if (task != g->rank && s->in.counts[task] > 0)
            MPI_Irecv(s->in.edges + s->in.starts[task], s->in.counts[task], s->pair, task, level,
                      MPI_COMM_WORLD, &s->receives[task]);
    }
    for (int hop = 1; hop < g->tasks; hop++) { /* each task starts with its successor */
        const int task = (g->rank + hop) % g->tasks;
        if (s->out.counts[task] > 0)
            MPI_Isend(s->out.edges + s->out.starts[task], s->out.counts[task], s->pair, task, level,
                      MPI_COMM_WORLD, &s->sends[sends++]);
    }
    take(s, s->out.edges + s->out.starts[g->rank], s->out.counts[g->rank], level);
    for (;;) {
        int task;
        MPI_Waitany(g->tasks, s->receives, &task, MPI_STATUS_IGNORE);
        if (task == MPI_UNDEFINED)
            break;
        take(s, s->in.edges + s->in.starts[task], s->in.counts[task], level);
    }
    MPI_Waitall(sends, s->sends, MPI_STATUSES_IGNORE);
}

static void run_search(search *s, uint32_t root) {
    const graph *g = s->graph;
    for (long v = 0; v < g->own; v++)
        s->parents[v] = s->levels[v] = UNREACHED;
    s->frontier_size = 0;
    if (owner(g, root) == g->rank) {
        s->parents[local(g, root)] = (int)root;
        s->levels[local(g, root)] = 0;
        s->frontier[s->frontier_size++] = local(g, root);
    }
    long reached = 1;
    for (int level = 1; reached > 0; level++) {
        s->next_size = 0;
        exchange_level(s, level);
        long *swap = s->frontier;
        s->frontier = s->next;
        s->next = swap;
        s->frontier_size = s->next_size;
        MPI_Allreduce(&s->frontier_size, &reached, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    }
}

/* The next random vertex that has an edge; `draw` counts the draws so far. */
static uint32_t choose_root(const graph *g, uint64_t *draw) {
    for (;;) {
        const uint32_t root = (uint32_t)(example_random(ROOTS, (*draw)++) % (uint64_t)g->vertices);
        int edges = 0;
        if (owner(g, root) == g->rank)
            edges = g->starts[local(g, root) + 1] > g->starts[local(g, root)];
        MPI_Bcast(&edges, 1, MPI_INT, owner(g, root), MPI_COMM_WORLD);
        if (edges)
            return root;
    }
}

/* The whole graph in one task, from the edges as generated. */
static void build_serial(const graph *g, graph *whole) {
    *whole = (graph){.tasks = 1, .bits = g->bits, .vertices = g->vertices, .edges = g->edges};
    edge *edges = example_allocate((size_t)g->edges, sizeof *edges);
    whole->own = g->vertices;
    whole->starts = example_allocate((size_t)g->vertices + 2, sizeof *whole->starts);
    whole->neighbours = example_allocate(2 * (size_t)g->edges, sizeof *whole->neighbours);
    for (long i = 0; i < g->edges; i++) {
        edges[i] = make_edge(g, i);
        whole->starts[edges[i].from + 2]++;
        whole->starts[edges[i].to + 2]++;
    }
    for (long v = 0; v < g->vertices; v++)
        whole->starts[v + 2] += whole->starts[v + 1];
    for (long i = 0; i < g->edges; i++) {
        whole->neighbours[whole->starts[edges[i].from + 1]++] = edges[i].to;
        whole->neighbours[whole->starts[edges[i].to + 1]++] = edges[i].from;
    }
    free(edges);
}

static void free_graph(graph *g) {
    free(g->starts);
    free(g->neighbours);
    free(g->made);
}

/* Whether a search of the whole graph by a queue finds `levels`. */
static bool serial_agrees(const graph *whole, uint32_t root, const int *levels) {
    uint32_t *queue = example_allocate((size_t)whole->vertices, sizeof *queue);
    int *found = example_allocate((size_t)whole->vertices, sizeof *found);
    for (long v = 0; v < whole->vertices; v++)
        found[v] = UNREACHED;
    long tail = 0;
    queue[tail++] = root;
    found[root] = 0;
    for (long head = 0; head < tail; head++)
        for (long k = whole->starts[queue[head]]; k < whole->starts[queue[head] + 1]; k++)
            if (found[whole->neighbours[k]] == UNREACHED) {
                found[whole->neighbours[k]] = found[queue[head]] + 1;
                queue[tail++] = whole->neighbours[k];
            }
    const bool agrees = memcmp(found, levels, (size_t)whole->vertices * sizeof *found) == 0;
    free(queue);
    free(found);
    return agrees;
}

/* The levels of all vertices, on every task, by vertex number. */
static int *gather_levels(const graph *g, const int *levels) {
    int *counts = example_allocate(2 * (size_t)g->tasks, sizeof *counts),
        *starts = counts + g->tasks;
    int *packed = example_allocate((size_t)g->vertices, sizeof *packed);
    int *all = example_allocate((size_t)g->vertices, sizeof *all);
    for (int task = 0; task < g->tasks; task++) {
        counts[task] = (int)((g->vertices - task + g->tasks - 1) / g->tasks);
        starts[task] = task == 0 ? 0 : starts[task - 1] + counts[task - 1];
    }
    MPI_Allgatherv(levels, (int)g->own, MPI_INT, packed, counts, starts, MPI_INT, MPI_COMM_WORLD);
    for (long v = 0; v < g->vertices; v++)
        all[v] = packed[starts[v % g->tasks] + v / g->tasks];
    free(counts);
    free(packed);
    return all;
}

static bool is_neighbour(const graph *g, long v, uint32_t other) {
    for (long k = g->starts[v]; k < g->starts[v + 1]; k++)
        if (g->neighbours[k] == other)
            return true;
    return false;
}

/* `whole` is NULL where no serial search is made. */
static bool is_valid(const graph *g, const graph *whole, uint32_t root, const int *parents,
                     const int *levels) {
    bool right = true;
    int *all = gather_levels(g, levels);
    for (long v = 0; v < g->own; v++) {
        const uint32_t vertex = (uint32_t)(v * g->tasks + g->rank);
        if (vertex == root)
            right = right && parents[v] == (int)root && levels[v] == 0;
        else if (parents[v] == UNREACHED)
            right = right && levels[v] == UNREACHED;
        else
            right = right && all[parents[v]] >= 0 && levels[v] == all[parents[v]] + 1 &&
                    is_neighbour(g, v, (uint32_t)parents[v]);
    }
    for (long i = 0; i < g->made_count; i++) {
        const edge e = g->made[i];
        right = right && (all[e.from] == UNREACHED) == (all[e.to] == UNREACHED) &&
                abs(all[e.from] - all[e.to]) <= 1;
    }
    if (whole != NULL)
        right = right && serial_agrees(whole, root, all);
    free(all);
    return right;
}

static bool run(graph *g, long roots, double *seconds) {
    MPI_Datatype pair;
    MPI_Type_contiguous(2, MPI_UINT32_T, &pair);
    MPI_Type_commit(&pair);
    build(g, pair);
    const size_t own = (size_t)g->own, tasks = (size_t)g->tasks;
    search s = {.graph = g, .pair = pair, .out = make_parcel(g), .in = make_parcel(g)};
    int *parents = example_allocate(2 * own * (size_t)roots, sizeof *parents);
    int *levels = parents + own * (size_t)roots;
    long *fronts = example_allocate(2 * own, sizeof *fronts);
    uint32_t *chosen = example_allocate((size_t)roots, sizeof *chosen);
    uint64_t draw = 0;
    s.frontier = fronts;
    s.next = fronts + own;
    s.cursor = example_allocate(tasks, sizeof *s.cursor);
    s.sends = example_allocate(2 * tasks, sizeof *s.sends);
    s.receives = s.sends + tasks;
    const double start = MPI_Wtime();
    for (long i = 0; i < roots; i++) {
        chosen[i] = choose_root(g, &draw);
        s.parents = parents + (size_t)i * own;
        s.levels = levels + (size_t)i * own;
        run_search(&s, chosen[i]);
    }
    *seconds = MPI_Wtime() - start;
    MPI_Pcontrol(0);
    const bool serial = g->rank == 0 && g->bits <= SERIAL_BITS;
    graph whole = {0};
    if (serial)
        build_serial(g, &whole);
    bool right = true;
    for (long i = 0; i < roots; i++)
        right = is_valid(g, serial ? &whole : NULL, chosen[i], parents + (size_t)i * own,
                         levels + (size_t)i * own) &&
                right;
    free_graph(&whole);
    free(parents);
    free(fronts);
    free(chosen);
    free(s.cursor);
    free(s.sends);
    free_parcel(&s.out);
    free_parcel(&s.in);
    MPI_Type_free(&pair);
    return right;
}

int main(int argc, char **argv) {
    long bits = 14, degree = 16, roots = 8;
    const example_option options[] = {
        {'n', "log2 of the vertices", &bits, 4, 26},
        {'e', "edges per vertex", &degree, 1, 256},
        {'i', "searches", &roots, 1, 64},
    };
    graph g = {0};
    MPI_Init(&argc, &argv);
    example_parse(argc, argv, "bfs", "search of a Kronecker graph, any number of tasks", options,
                  3);
    MPI_Comm_rank(MPI_COMM_WORLD, &g.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &g.tasks);
    g.bits = (int)bits;
    g.vertices = 1L << bits;
    g.edges = degree << bits;
    if (g.tasks > g.vertices)
        example_refuse("bfs", "%ld vertices (-n %ld) are fewer than %d tasks", g.vertices, bits,
                       g.tasks);
    double seconds;
    const bool right = run(&g, roots, &seconds);
    free_graph(&g);
    char size[64];
    snprintf(size, sizeof size, "2^%ld vertices, %ld searches", bits, roots);
    return example_report("bfs", size, seconds, right);
}
