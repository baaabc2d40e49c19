/* Port configurations of a twin torus node: names, the best one, all of them. See twin_ports.h. */
#include "netmodel/topology/twin/twin_ports.h"

#include <string.h>

static const char axis_letters[] = "xyz";
enum { LETTERS = sizeof axis_letters - 1 };

bool vef_twin_next_configuration(uint32_t dimensions, uint64_t *card0_ports) {
    /* The ports beside port 0 are a set of `chosen` among 2n - 1, kept as bits from 0 on. */
    const uint32_t chosen = dimensions - 1;
    uint64_t others = *card0_ports >> 1;
    if (*card0_ports == 0)
        others = (1ull << chosen) - 1;
    else if (others == 0)
        return false; /* one dimension has one configuration */
    else {
        /* The next greater number with as many bits set: the lowest run of ones moves its highest
         * bit up by one and the rest of it to the bottom. */
        const uint64_t lowest = others & -others, carried = others + lowest;
        others = carried | ((others ^ carried) / lowest >> 2);
    }
    if (others >> (2 * dimensions - 1))
        return false;
    *card0_ports = others << 1 | 1;
    return true;
}

uint64_t vef_twin_best_configuration(uint32_t dimensions, const uint32_t *sizes) {
    const uint32_t half = dimensions / 2; /* of odd n: the middle dimension */
    if (dimensions == 3 && sizes[0] == 3 && sizes[1] == 3 && sizes[2] == 3)
        return 0x15; /* d0+, d1+, d2+ */
    uint64_t ports = (1ull << (2 * half)) - 1;
    if (dimensions % 2 != 0)
        ports |= 1ull << (2 * half + (sizes[half] % 2 == 0 ? 0 : 1));
    return ports;
}

/* Reads "x+", "Y-", "d12+"; false for an invalid port. */
static bool read_port(const char *name, uint32_t dimensions, uint32_t *port) {
    const size_t length = strlen(name);
    if (length < 2)
        return false;
    const char sign = name[length - 1];
    if (sign != '+' && sign != '-')
        return false;
    uint32_t dimension = 0;
    if (name[0] == 'd' || name[0] == 'D') {
        if (length < 3 || length > 4 || (length == 4 && name[1] == '0'))
            return false;
        for (size_t i = 1; i + 1 < length; i++) {
            if (name[i] < '0' || name[i] > '9')
                return false;
            dimension = dimension * 10 + (uint32_t)(name[i] - '0');
        }
    } else {
        if (length != 2)
            return false;
        while (dimension < LETTERS && (name[0] | 0x20) != axis_letters[dimension])
            dimension++;
        if (dimension == LETTERS)
            return false;
    }
    *port = 2 * dimension + (sign == '-');
    return dimension < dimensions;
}

vef_code vef_twin_read_ports(const vef_text_list *names, uint32_t dimensions, uint64_t *card0_ports,
                             vef_error *error) {
    *card0_ports = 0;
    for (size_t i = 0; i < names->count; i++) {
        uint32_t port;
        if (!read_port(names->values[i], dimensions, &port))
            return vef_fail(error, VEF_INVALID,
                            "card0: '%s' is not a port of %u dimensions: expected x+, x-, y+, y-, "
                            "z+, z-, or d0+, d0-, … d%u+, d%u-",
                            names->values[i], dimensions, dimensions - 1, dimensions - 1);
        if (*card0_ports >> port & 1)
            return vef_fail(error, VEF_INVALID,
                            "card0: duplicate port %s: expected %u different ports",
                            names->values[i], dimensions);
        *card0_ports |= 1ull << port;
    }
    if (names->count != dimensions)
        return vef_fail(
            error, VEF_INVALID,
            "card0: %zu ports: each card has %u of the %u: expected %u, the others being on card 1",
            names->count, dimensions, 2 * dimensions, dimensions);
    return VEF_OK;
}

void vef_twin_port_name(uint32_t dimensions, uint32_t port, char *text, size_t text_bytes) {
    const char sign = port % 2 == 0 ? '+' : '-';
    if (dimensions <= LETTERS)
        snprintf(text, text_bytes, "%c%c", axis_letters[port / 2], sign);
    else
        snprintf(text, text_bytes, "d%u%c", port / 2, sign);
}

void vef_twin_ports_text(uint32_t dimensions, uint64_t ports, char *text, size_t text_bytes) {
    snprintf(text, text_bytes, "[");
    const char *between = "";
    for (uint32_t port = 0; port < 2 * dimensions; port++) {
        if (!(ports >> port & 1))
            continue;
        char name[VEF_PORT_NAME_BYTES];
        vef_twin_port_name(dimensions, port, name, sizeof name);
        vef_append(text, text_bytes, "%s%s", between, name);
        between = ", ";
    }
    vef_append(text, text_bytes, "]");
}
