/* Finding a router by what people call it: its number, its coordinates or its name. See topology.h.
 */
#include "netmodel/topology/topology.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *skip_spaces(const char *next) {
    while (isspace((unsigned char)*next))
        next++;
    return next;
}

const char *vef_topology_read_place(const char *text, vef_router_place *read) {
    const char *next = skip_spaces(text);
    const bool bracket = *next == '(';
    next += bracket;
    read->count = 0;
    for (;;) {
        if (bracket)
            next = skip_spaces(next);
        if (!isdigit((unsigned char)*next) || read->count == VEF_MAX_DIMENSIONS)
            return NULL;
        char *end;
        const unsigned long long value = strtoull(next, &end, 10);
        read->number[read->count++] = value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
        next = bracket ? skip_spaces(end) : end;
        if (*next != ',')
            break;
        next++;
    }
    if (bracket && *next != ')')
        return NULL;
    return skip_spaces(next + bracket);
}

vef_code vef_topology_find_place(const vef_topology *topology, const vef_router_place *place,
                                 uint32_t *number, vef_error *error) {
    topology = vef_topology_whole(topology);
    if (place->count == 1) {
        *number = place->number[0];
        if (*number < topology->routers)
            return VEF_OK;
        return vef_fail(error, VEF_INVALID, "router %u is out of range: expected 0 to %u", *number,
                        topology->routers - 1);
    }
    if (topology->dimensions < 2)
        return vef_fail(
            error, VEF_INVALID,
            "routers of %s have no coordinates: expected numbers from 0 to %u, such as 1",
            topology->family->name, topology->routers - 1);
    if (place->count != topology->dimensions)
        return vef_fail(error, VEF_INVALID,
                        "found %u coordinates: expected %u for each router, or its number",
                        place->count, topology->dimensions);
    for (uint32_t d = 0; d < place->count; d++)
        if (place->number[d] >= topology->sizes[d])
            return vef_fail(error, VEF_INVALID,
                            "coordinate %u is %u: out of range: expected 0 to %u", d,
                            place->number[d], topology->sizes[d] - 1);
    *number = vef_topology_router_at(topology, place->number);
    return VEF_OK;
}

/* Whether two names are equal, blanks and parentheses aside. */
static bool same_name(const char *a, const char *b) {
    static const char ignored[] = "() ";
    for (;; a++, b++) {
        a += strspn(a, ignored);
        b += strspn(b, ignored);
        if (*a != *b)
            return false;
        if (*a == '\0')
            return true;
    }
}

vef_code vef_topology_find_router(const vef_topology *topology, const char *text, uint32_t *number,
                                  vef_error *error) {
    topology = vef_topology_whole(topology);
    char name[VEF_ROUTER_NAME_BYTES];
    vef_router_place place;
    const char *rest = vef_topology_read_place(text, &place);
    if (rest && *rest == '\0' && (place.count == 1 || topology->dimensions > 1))
        return vef_topology_find_place(topology, &place, number, error);
    for (uint32_t r = 0; r < topology->routers; r++) {
        vef_topology_router_name(topology, r, name, sizeof name);
        if (same_name(text, name)) {
            *number = r;
            return VEF_OK;
        }
    }
    vef_topology_router_name(topology, 0, name, sizeof name);
    return vef_fail(error, VEF_INVALID,
                    "unknown router '%.80s': expected a number from 0 to %u, or a name such as %s",
                    text, topology->routers - 1, name);
}
