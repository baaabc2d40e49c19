/* Failures by name: the lists of links and routers. See failures.h.
 *
 * A link is [router, router] (every link between the two), [router, router, number] (one of several
 * parallel ones, in the order of the first router's ports) or [router, port]. Example: in a torus,
 * [12, 13], ["(4, 1)", "(5, 1)"] and [12, x+] are one link. */
#include "netmodel/topology/failures/failures.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* One item of a list, for messages. */
typedef struct item {
    const vef_down *down;
    const vef_node *node;
    vef_error *error;
} item;

static vef_code find_router(const item *named, const char *text, uint32_t *router) {
    return vef_topology_find_router(named->down->whole, text, router, named->error);
}

static vef_code take_router(const item *named, const char *text) {
    uint32_t router = 0;
    const vef_code code = find_router(named, text, &router);
    if (code != VEF_OK)
        return code;
    if (named->down->router[router])
        return vef_fail(named->error, VEF_INVALID, "router %s is listed twice", text);
    named->down->router[router] = 1;
    return VEF_OK;
}

static vef_code take_link(const item *named, size_t port) {
    const vef_topology *whole = named->down->whole;
    if (named->down->port[port]) {
        char from[VEF_ROUTER_NAME_BYTES], to[VEF_ROUTER_NAME_BYTES], by[VEF_PORT_NAME_BYTES];
        vef_topology_router_name(whole, (uint32_t)(port / whole->ports), from, sizeof from);
        vef_topology_router_name(whole, whole->neighbour[port], to, sizeof to);
        vef_topology_port_name(whole, (uint32_t)(port % whole->ports), by, sizeof by);
        return vef_fail(named->error, VEF_INVALID,
                        "the link from router %s by %s to %s is listed twice", from, by, to);
    }
    named->down->port[port] = named->down->port[vef_other_port(whole, port)] = 1;
    return VEF_OK;
}

/* The port of that name; the number of ports if there is none. */
static uint32_t find_port(const vef_topology *whole, const char *text) {
    uint32_t port = 0;
    char name[VEF_PORT_NAME_BYTES];
    for (; port < whole->ports; port++) {
        vef_topology_port_name(whole, port, name, sizeof name);
        if (strcmp(name, text) == 0)
            break;
    }
    return port;
}

static vef_code take_port(const item *named, uint32_t router, const char *text, uint32_t port) {
    const vef_topology *whole = named->down->whole;
    const size_t link = (size_t)router * whole->ports + port;
    if (whole->neighbour[link] != VEF_NO_ROUTER)
        return take_link(named, link);
    char name[VEF_ROUTER_NAME_BYTES];
    vef_topology_router_name(whole, router, name, sizeof name);
    return vef_fail(named->error, VEF_INVALID, "router %s has no link at its port %s", name, text);
}

/* Which of `count` parallel links. */
static vef_code read_number(const item *named, const char *text, uint32_t count, uint32_t *number) {
    char *end = NULL;
    errno = 0;
    const unsigned long long read = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || read >= count)
        return vef_fail(named->error, VEF_INVALID,
                        "link number %.40s: out of range: %u link%s join%s these routers: expected "
                        "0 to %u",
                        text, count, count == 1 ? "" : "s", count == 1 ? "s" : "", count - 1);
    *number = (uint32_t)read;
    return VEF_OK;
}

static vef_code fail_no_link(const item *named, uint32_t a, uint32_t b) {
    const vef_topology *whole = named->down->whole;
    char name[VEF_ROUTER_NAME_BYTES], list[400] = "";
    for (uint32_t port = 0; port < whole->ports && strlen(list) < sizeof list - 64; port++) {
        const uint32_t next = vef_topology_next(whole, a, port);
        if (next == VEF_NO_ROUTER)
            continue;
        vef_topology_router_name(whole, next, name, sizeof name);
        vef_append(list, sizeof list, "%s%.60s", *list ? ", " : "", name);
    }
    char from[VEF_ROUTER_NAME_BYTES];
    vef_topology_router_name(whole, a, from, sizeof from);
    vef_topology_router_name(whole, b, name, sizeof name);
    return vef_fail(named->error, VEF_INVALID,
                    "no link joins routers %.80s and %.80s: expected one of the neighbours %s",
                    from, name, list);
}

/* The links between two routers: all, or the one of that number. */
static vef_code take_between(const item *named, uint32_t a, uint32_t b, const char *which) {
    const vef_topology *whole = named->down->whole;
    const uint32_t *next = whole->neighbour + (size_t)a * whole->ports;
    uint32_t count = 0, number = 0;
    for (uint32_t port = 0; port < whole->ports; port++)
        count += next[port] == b;
    if (count == 0)
        return fail_no_link(named, a, b);
    vef_code code = which ? read_number(named, which, count, &number) : VEF_OK;
    for (uint32_t port = 0, nth = 0; port < whole->ports && code == VEF_OK; port++)
        if (next[port] == b && (nth++ == number || !which))
            code = take_link(named, (size_t)a * whole->ports + port);
    return code;
}

static vef_code take_row(const item *named, const vef_text_list *row) {
    const vef_topology *whole = named->down->whole;
    uint32_t from = 0, to = 0;
    if (row->count < 2 || row->count > 3)
        return vef_fail(named->error, VEF_INVALID,
                        "found %zu item%s: expected [router, router], [router, router, number] or "
                        "[router, port], coordinates in quotes: [\"(0, 0)\", \"(1, 0)\"]",
                        row->count, row->count == 1 ? "" : "s");
    vef_code code = find_router(named, row->values[0], &from);
    if (code != VEF_OK)
        return code;
    const uint32_t port = find_port(whole, row->values[1]);
    if (row->count == 2 && port < whole->ports)
        return take_port(named, from, row->values[1], port);
    code = find_router(named, row->values[1], &to);
    return code == VEF_OK ? take_between(named, from, to, row->count == 3 ? row->values[2] : NULL)
                          : code;
}

static vef_code within(const item *named, const char *key, size_t i) {
    vef_fail_within(named->error, "failures.%s[%zu]", key, i);
    return vef_node_within(named->node, named->error);
}

vef_code vef_failures_read_lists(const vef_node *node, const vef_failure_settings *settings,
                                 vef_down *down, vef_error *error) {
    const vef_node *routers = vef_node_get(node, "routers"), *links = vef_node_get(node, "links");
    for (size_t i = 0; i < settings->routers.count; i++) {
        const item named = {down, routers->items[i], error};
        if (take_router(&named, settings->routers.values[i]) != VEF_OK)
            return within(&named, "routers", i);
    }
    for (size_t i = 0; i < settings->links.count; i++) {
        const item named = {down, links->items[i], error};
        if (take_row(&named, &settings->links.rows[i]) != VEF_OK)
            return within(&named, "links", i);
    }
    return VEF_OK;
}
