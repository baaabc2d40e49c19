/* Circles of escapes by brute force. See escapes.h. */
#include "tests/netmodel/escapes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

enum { ESCAPE_ONE = 1, ESCAPE_MORE = 2, OTHER_ONE = 4, OTHER_MORE = 8 };
#define IS_ESCAPE(how) (((how) & (ESCAPE_ONE | ESCAPE_MORE)) != 0)

typedef struct search {
    const vef_routing *routing;
    const vef_topology *topology;
    uint32_t links; /* queues of a router; one row more is injection */
    uint8_t *how;   /* [(router * (links + 1) + from) * links + link out] */
    bool *seen;     /* places of packets to the target under way */
    vef_place *unseen;
    escapes found;
    /* of components */
    uint32_t *order, *low, *component, *stack;
    uint32_t visited, held, components;
} search;

static uint32_t row_of(const search *s, vef_place place) {
    const uint32_t from = place.in_port == VEF_INJECTED
                              ? s->links
                              : place.in_port * s->routing->channels + place.in_channel;
    return place.router * (s->links + 1) + from;
}

/* The queue at the other end of a link out, as a row. */
static uint32_t queue_behind(const search *s, uint32_t router, uint32_t link) {
    const size_t port = (size_t)router * s->topology->ports + link / s->routing->channels;
    assert_int_not_equal(s->topology->neighbour[port], VEF_NO_ROUTER);
    return row_of(s, (vef_place){s->topology->neighbour[port], s->topology->reverse_port[port],
                                 (uint8_t)(link % s->routing->channels)});
}

static void look_at(search *s, const vef_route *route, uint32_t target, uint32_t *waiting) {
    const vef_place place = s->unseen[--*waiting];
    vef_candidate offered[VEF_MAX_CANDIDATES];
    const vef_routing *routing = s->routing;
    s->found.states++;
    if (place.router == target)
        return;
    const uint32_t count = routing->algorithm->candidates(routing, route, place, offered);
    assert_true(count <= routing->most_candidates);
    bool escape = false;
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t channels =
            (uint8_t)(routing->port_channels ? routing->port_channels[offered[i].port]
                                             : routing->channels);
        vef_route after = *route;
        routing->algorithm->advance(routing, &after, place, offered[i].port, offered[i].channel);
        /* One check, as there are millions. */
        if (offered[i].slots_needed == 0 || offered[i].channel >= channels ||
            memcmp(&after, route, sizeof after) != 0)
            fail_msg("%s: router %u offers port %u, channel %u for %u places",
                     routing->algorithm->name, place.router, offered[i].port, offered[i].channel,
                     offered[i].slots_needed);
        escape = escape || offered[i].escape;
        const uint32_t link = offered[i].port * routing->channels + offered[i].channel;
        const uint8_t one = offered[i].escape ? ESCAPE_ONE : OTHER_ONE;
        s->how[(size_t)row_of(s, place) * s->links + link] |=
            (uint8_t)(offered[i].slots_needed == 1 ? one : one << 1);
        const uint32_t next = queue_behind(s, place.router, link);
        if (s->seen[next])
            continue;
        s->seen[next] = true;
        const size_t port = (size_t)place.router * s->topology->ports + offered[i].port;
        s->unseen[(*waiting)++] = (vef_place){s->topology->neighbour[port],
                                              s->topology->reverse_port[port], offered[i].channel};
    }
    s->found.stuck += !escape;
}

/* Packets from one router to another, whatever they take; `seen` is kept while the route is that of
 * the source before. */
static void enumerate(search *s, uint32_t rows) {
    for (uint32_t to = 0; to < s->topology->routers; to++) {
        vef_route last;
        memset(&last, 0xff, sizeof last);
        for (uint32_t half = 0; half < 2; half++) /* routes may differ by the card of the source */
            for (uint32_t from = half; from < s->topology->routers; from += 2) {
                const vef_travel travel = {from, to, from, to, 0};
                vef_draws draws = {0};
                do {
                    vef_route route;
                    vef_routing_begin(s->routing, &travel, &draws, NULL, &route);
                    if (memcmp(&route, &last, sizeof route) != 0)
                        memset(s->seen, 0, rows * sizeof *s->seen);
                    last = route;
                    uint32_t waiting = 0;
                    s->unseen[waiting++] = (vef_place){from, VEF_INJECTED, 0};
                    while (waiting > 0)
                        look_at(s, &route, to, &waiting);
                } while (vef_draws_next(&draws));
            }
    }
}

/* Tarjan, "Depth-First Search and Linear Graph Algorithms", 1972. */
static void visit(search *s, uint32_t row) {
    s->order[row] = s->low[row] = ++s->visited;
    s->stack[s->held++] = row;
    for (uint32_t link = 0; link < s->links; link++) {
        if (!IS_ESCAPE(s->how[(size_t)row * s->links + link]))
            continue;
        const uint32_t next = queue_behind(s, row / (s->links + 1), link);
        if (s->order[next] == 0)
            visit(s, next);
        if (s->component[next] == 0 && s->low[next] < s->low[row])
            s->low[row] = s->low[next];
    }
    if (s->low[row] != s->order[row])
        return;
    s->components++;
    uint32_t member;
    do {
        member = s->stack[--s->held];
        s->component[member] = s->components;
    } while (member != row);
}

/* What a circle of escapes needs to be kept moving by bubble, at each of its queues. */
static void judge(search *s, uint32_t rows) {
    uint32_t *size = calloc(s->components + 1, sizeof *size);
    bool *bad = calloc(s->components + 1, sizeof *bad);
    bool *loop = calloc(s->components + 1, sizeof *loop);
    for (uint32_t row = 0; row < rows; row++) {
        const uint32_t own = s->component[row];
        uint32_t inside = 0;
        size[own]++;
        for (uint32_t link = 0; link < s->links; link++) {
            const uint8_t how = s->how[(size_t)row * s->links + link];
            if (how == 0)
                continue;
            const uint32_t next = queue_behind(s, row / (s->links + 1), link);
            if (s->component[next] == own && IS_ESCAPE(how)) {
                inside++;
                loop[own] = loop[own] || next == row;
                bad[own] = bad[own] || (how & (ESCAPE_MORE | OTHER_ONE));
            } else if (how & (ESCAPE_ONE | OTHER_ONE)) {
                bad[s->component[next]] = true; /* entered where one place is free */
            }
        }
        bad[own] = bad[own] || inside > 1;
    }
    for (uint32_t c = 1; c <= s->components; c++)
        if (size[c] > 1 || loop[c])
            *(bad[c] ? &s->found.circles : &s->found.rings) += bad[c] ? size[c] : 1;
    free(size);
    free(bad);
    free(loop);
}

escapes search_escapes(const vef_routing *routing) {
    search s = {.routing = routing, .topology = routing->topology};
    s.links = s.topology->ports * routing->channels;
    const uint32_t rows = s.topology->routers * (s.links + 1);
    s.how = calloc((size_t)rows * s.links, sizeof *s.how);
    s.seen = calloc(rows, sizeof *s.seen);
    s.unseen = calloc(rows, sizeof *s.unseen);
    s.order = calloc(rows, sizeof *s.order);
    s.low = calloc(rows, sizeof *s.low);
    s.component = calloc(rows, sizeof *s.component);
    s.stack = calloc(rows, sizeof *s.stack);
    enumerate(&s, rows);
    for (uint32_t row = 0; row < rows; row++)
        if (s.order[row] == 0)
            visit(&s, row);
    judge(&s, rows);
    free(s.how);
    free(s.seen);
    free(s.unseen);
    free(s.order);
    free(s.low);
    free(s.component);
    free(s.stack);
    return s.found;
}
