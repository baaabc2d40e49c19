/* Dividing the graph of a task into threads.
 *
 * In a graph an operation, here also a statement, becomes ready when its dependencies are
 * satisfied; a trace has threads whose calls are sequential. In a thread
 *   - messages and collectives that are posted one after another become ready together,
 *   - what follows a wait becomes ready when what it waits for has ended,
 *   - what follows a calc becomes ready when it has ended,
 *   - what follows the mark "started" (STARTED) becomes ready when the posts before it have
 * started. So statements are placed in the order of their depth in the graph, each in a thread of
 * its cpu and nic in which everything that has passed is a dependency of the statement; in a new
 * one if there is none. The result has all dependencies and no others, in as many threads as there
 * are branches at once; a program that goal/write.c writes out comes back as one thread, with its
 * Isends and Waits.
 */
#include "common/containers/grow.h"
#include "common/memory.h"
#include "interchange/dag/dag.h"

#include <stdlib.h>
#include <string.h>

static const uint32_t none = UINT32_MAX;

/* The dependencies of each node, and the order of placing. */
typedef struct graph {
    const vef_dag_rank *rank;
    size_t *first;       /* node_count + 1 places in `edges` */
    vef_dag_edge *edges; /* by node */
    uint32_t *order;     /* nodes, by depth, then as written */
} graph;

void vef_dag_add_node(vef_dag_rank *rank, const vef_dag_node *node) {
    if (rank->node_count >= UINT32_MAX)
        vef_lost(SIZE_MAX);
    *VEF_NEW_ITEM(rank->nodes, rank->node_count, rank->node_capacity) = *node;
}

void vef_dag_add_edge(vef_dag_rank *rank, vef_dag_edge edge) {
    *VEF_NEW_ITEM(rank->edges, rank->edge_count, rank->edge_capacity) = edge;
}

/* ---- order ---- */

static void sort_edges(graph *dag, vef_arena *arena) {
    const vef_dag_rank *rank = dag->rank;
    size_t nodes = rank->node_count;
    dag->first = vef_arena_alloc(arena, nodes + 2, sizeof *dag->first);
    dag->edges = vef_arena_alloc(arena, rank->edge_count + 1, sizeof *dag->edges);
    memset(dag->first, 0, (nodes + 2) * sizeof *dag->first);
    for (size_t i = 0; i < rank->edge_count; i++)
        dag->first[rank->edges[i].node + 2]++;
    for (size_t i = 0; i < nodes; i++)
        dag->first[i + 2] += dag->first[i + 1];
    for (size_t i = 0; i < rank->edge_count; i++)
        dag->edges[dag->first[rank->edges[i].node + 1]++] = rank->edges[i];
}

/* By depth: Kahn's algorithm, level by level. */
static vef_code sort_nodes(graph *dag, vef_arena *arena, vef_error *error) {
    const vef_dag_rank *rank = dag->rank;
    size_t nodes = rank->node_count, placed = 0, level = 0;
    uint32_t *waits = vef_arena_alloc(arena, nodes + 1, sizeof *waits);
    size_t *users = vef_arena_alloc(arena, nodes + 2, sizeof *users);
    uint32_t *user = vef_arena_alloc(arena, rank->edge_count + 1, sizeof *user);
    dag->order = vef_arena_alloc(arena, nodes + 1, sizeof *dag->order);
    memset(users, 0, (nodes + 2) * sizeof *users);
    for (size_t i = 0; i < rank->edge_count; i++)
        users[rank->edges[i].on + 2]++;
    for (size_t i = 0; i < nodes; i++)
        users[i + 2] += users[i + 1];
    for (size_t i = 0; i < rank->edge_count; i++)
        user[users[rank->edges[i].on + 1]++] = rank->edges[i].node;
    for (uint32_t i = 0; i < nodes; i++) {
        waits[i] = (uint32_t)(dag->first[i + 1] - dag->first[i]);
        if (waits[i] == 0)
            dag->order[placed++] = i;
    }
    /* Nodes become ready in the order of their level; within one, in the order of the nodes that
     * release them. */
    for (; level < placed; level++) {
        uint32_t node = dag->order[level];
        for (size_t i = users[node]; i < users[node + 1]; i++)
            if (--waits[user[i]] == 0)
                dag->order[placed++] = user[i];
    }
    for (uint32_t i = 0; i < nodes; i++)
        if (waits[i] > 0)
            return vef_fail(
                error, VEF_INVALID,
                "rank %u: the statement in line %u depends on itself, directly or indirectly",
                rank->rank, rank->nodes[i].line);
    return VEF_OK;
}

/* ---- threads ---- */

static uint32_t new_thread(vef_dag_plan *plan) {
    *VEF_NEW_ITEM(plan->threads, plan->thread_count, plan->thread_capacity) =
        (vef_dag_thread){.first = none, .last = none};
    return (uint32_t)plan->thread_count - 1;
}

static void act(vef_dag_plan *plan, uint32_t number, vef_dag_action_kind kind, uint32_t node,
                bool start) {
    vef_grow(&plan->actions, &plan->action_capacity, plan->action_count + 1, sizeof *plan->actions);
    vef_dag_thread *thread = &plan->threads[number];
    uint32_t index = (uint32_t)plan->action_count++;
    plan->actions[index] = (vef_dag_action){kind, node, start, none};
    if (thread->last == none)
        thread->first = index;
    else
        plan->actions[thread->last].next = index;
    thread->last = index;
}

static void remember_wait(vef_dag_plan *plan, vef_dag_edge edge) {
    *VEF_NEW_ITEM(plan->waits, plan->wait_count, plan->wait_capacity) = edge;
}

/* Whether the node depends on that end, or on that start. */
static bool depends(const graph *dag, uint32_t node, const vef_dag_edge *on) {
    for (size_t i = dag->first[node]; i < dag->first[node + 1]; i++)
        if (dag->edges[i].on == on->on && (on->start || !dag->edges[i].start))
            return true;
    return false;
}

/* Whether all that has passed in the thread is a dependency of the node, or precedes one: a
 * statement of the thread depends on all that had passed before it. */
static bool fits(const graph *dag, const vef_dag_plan *plan, uint32_t number, uint32_t node) {
    const vef_dag_thread *thread = &plan->threads[number];
    for (size_t i = dag->first[node]; i < dag->first[node + 1]; i++) {
        const vef_dag_place *on = &plan->places[dag->edges[i].on];
        if (on->thread == number && on->epoch == thread->epoch)
            return true;
    }
    for (size_t i = 0; i < thread->wait_count; i++)
        if (!depends(dag, node, &plan->waits[thread->waits + i]))
            return false;
    return true;
}

/* Whether the dependency has passed in the thread, at its end. */
static bool has_passed(const vef_dag_plan *plan, uint32_t number, const vef_dag_edge *edge) {
    const vef_dag_thread *thread = &plan->threads[number];
    for (size_t i = 0; i < thread->wait_count; i++) {
        const vef_dag_edge *passed = &plan->waits[thread->waits + i];
        if (passed->on == edge->on && (edge->start || !passed->start))
            return true;
    }
    return false;
}

/* Whether the node can be placed at the end of the thread. After posts that are open it must wait
 * for something, or join them; if they take no time, it may also follow them. */
static bool takes(const graph *dag, const vef_dag_plan *plan, uint32_t number, uint32_t node) {
    const vef_dag_thread *thread = &plan->threads[number];
    const vef_dag_node *statement = &dag->rank->nodes[node];
    if (thread->cpu != statement->cpu || thread->nic != statement->nic ||
        !fits(dag, plan, number, node))
        return false;
    if (!thread->open)
        return true;
    for (size_t i = dag->first[node]; i < dag->first[node + 1]; i++)
        if (!has_passed(plan, number, &dag->edges[i]))
            return true;
    if (plan->posts_are_instant)
        return true;
    return statement->kind != VEF_DAG_CALC && !plan->places[node].starts_others;
}

/* The thread of a node by the rules above; `none`: a new one. */
static uint32_t choose_thread(const graph *dag, const vef_dag_plan *plan, uint32_t node,
                              uint32_t unblocked) {
    for (size_t i = dag->first[node]; i < dag->first[node + 1]; i++) {
        const vef_dag_place *on = &plan->places[dag->edges[i].on];
        if (takes(dag, plan, on->thread, node))
            return on->thread;
        if (on->waited_in != none && takes(dag, plan, on->waited_in, node))
            return on->waited_in;
    }
    if (dag->first[node] == dag->first[node + 1] && unblocked != none &&
        takes(dag, plan, unblocked, node))
        return unblocked;
    return none;
}

/* Whether the dependency is on the start of the thread's last post, which is not waited for. */
static bool is_post_before(const graph *dag, const vef_dag_plan *plan, uint32_t number,
                           const vef_dag_edge *edge) {
    const uint32_t last = plan->threads[number].last;
    return edge->start && last != none && plan->actions[last].kind == VEF_DAG_POST &&
           plan->actions[last].node == edge->on && dag->rank->nodes[edge->on].kind != VEF_DAG_CALC;
}

/* Whether the node takes time: it begins only when the posts before it have started. */
static bool computes(const graph *dag, uint32_t node) {
    return dag->rank->nodes[node].kind == VEF_DAG_CALC && dag->rank->nodes[node].size > 0;
}

static void wait_for(const graph *dag, vef_dag_plan *plan, uint32_t number, uint32_t node) {
    vef_dag_thread *thread = &plan->threads[number];
    size_t waits = 0;
    for (size_t i = dag->first[node]; i < dag->first[node + 1]; i++)
        waits += !has_passed(plan, number, &dag->edges[i]);
    /* First, since a thread that has waited does not wait for the start of posts before. */
    for (size_t i = dag->first[node]; i < dag->first[node + 1]; i++)
        if (is_post_before(dag, plan, number, &dag->edges[i]) &&
            (waits > 0 || !computes(dag, node)))
            act(plan, number, VEF_DAG_STARTED, dag->edges[i].on, true);
    for (size_t i = dag->first[node]; i < dag->first[node + 1]; i++) {
        const vef_dag_edge *edge = &dag->edges[i];
        vef_dag_place *on = &plan->places[edge->on];
        if (has_passed(plan, number, edge))
            continue;
        act(plan, number, VEF_DAG_WAIT, edge->on, edge->start);
        if (edge->start)
            on->start_waits++;
        else
            on->end_waits++;
        if (!edge->start && on->waited_in == none)
            on->waited_in = number;
    }
    if (waits == 0 && thread->last != none && thread->open) /* it joins the posts before */
        return;
    thread->epoch++;
    thread->waits = plan->wait_count;
    thread->wait_count = dag->first[node + 1] - dag->first[node];
    for (size_t i = dag->first[node]; i < dag->first[node + 1]; i++)
        remember_wait(plan, dag->edges[i]);
}

static void place(const graph *dag, vef_dag_plan *plan, uint32_t node, uint32_t *unblocked) {
    const vef_dag_node *statement = &dag->rank->nodes[node];
    const bool calc = statement->kind == VEF_DAG_CALC;
    const bool alone = calc || plan->places[node].starts_others;
    uint32_t number = choose_thread(dag, plan, node, *unblocked);
    if (number == none) {
        number = new_thread(plan);
        plan->threads[number].cpu = statement->cpu;
        plan->threads[number].nic = statement->nic;
        if (dag->first[node] == dag->first[node + 1] && !alone)
            *unblocked = number;
    }
    wait_for(dag, plan, number, node);
    act(plan, number, calc ? VEF_DAG_COMPUTE : VEF_DAG_POST, node, false);
    vef_dag_thread *thread = &plan->threads[number];
    thread->open = !alone;
    if (alone) { /* what follows has to depend on it */
        thread->epoch++;
        thread->waits = plan->wait_count;
        thread->wait_count = 1;
        remember_wait(plan, (vef_dag_edge){node, node, !calc});
    }
    plan->places[node].thread = number;
    plan->places[node].epoch = thread->epoch;
}

/* A thread ends when its messages without waits are complete. */
static void wait_for_rest(const graph *dag, vef_dag_plan *plan) {
    for (uint32_t node = 0; node < dag->rank->node_count; node++) {
        vef_dag_place *place = &plan->places[node];
        if (dag->rank->nodes[node].kind == VEF_DAG_CALC || place->end_waits > 0)
            continue;
        place->end_waits = 1;
        place->waited_in = place->thread;
        act(plan, place->thread, VEF_DAG_WAIT, node, false);
    }
}

vef_code vef_dag_plan_make(const vef_dag_rank *rank, vef_dag_plan *plan, vef_error *error) {
    graph dag = {.rank = rank};
    uint32_t unblocked = none;
    vef_arena_release(&plan->arena);
    plan->arena = (vef_arena){0};
    plan->action_count = plan->thread_count = plan->wait_count = 0;
    plan->places = vef_arena_alloc(&plan->arena, rank->node_count + 1, sizeof *plan->places);
    sort_edges(&dag, &plan->arena);
    for (size_t i = 0; i < rank->node_count; i++)
        plan->places[i] = (vef_dag_place){.waited_in = none};
    for (size_t i = 0; i < rank->edge_count; i++)
        if (rank->edges[i].start) {
            vef_dag_place *on = &plan->places[rank->edges[i].on];
            on->starts_others = true;
            on->starts_abroad |=
                rank->nodes[rank->edges[i].node].cpu != rank->nodes[rank->edges[i].on].cpu;
        }
    vef_code code = sort_nodes(&dag, &plan->arena, error);
    if (code)
        return code;
    if (rank->node_count == 0) /* a task has at least one */
        new_thread(plan);
    for (size_t i = 0; i < rank->node_count; i++)
        place(&dag, plan, dag.order[i], &unblocked);
    wait_for_rest(&dag, plan);
    return VEF_OK;
}

void vef_dag_plan_release(vef_dag_plan *plan) {
    vef_arena_release(&plan->arena);
    free(plan->actions);
    free(plan->threads);
    free(plan->waits);
    *plan = (vef_dag_plan){0};
}
