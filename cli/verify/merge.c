/* Reading --merge. See merge.h. */
#include "cli/verify/merge.h"

#include "common/memory.h"
#include "common/unknown.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The class of the links at a port, alike at all routers; false: they are of several. */
static bool class_of_port(const vef_topology *topology, uint32_t port, uint32_t *class) {
    *class = UINT32_MAX;
    for (uint32_t router = 0; router < topology->routers; router++) {
        if (topology->neighbour[(size_t)router * topology->ports + port] == VEF_NO_ROUTER)
            continue;
        const uint32_t here = vef_topology_link_class(topology, router, port);
        if (*class != UINT32_MAX && *class != here)
            return false;
        *class = here;
    }
    return true;
}

static vef_code find_class(const vef_topology *topology, const char *option, size_t length,
                           uint32_t *class, vef_error *error) {
    static char names[VEF_MAX_LINK_CLASSES][VEF_CLASS_NAME_BYTES];
    char unknown[2 * VEF_CLASS_NAME_BYTES];
    const char *known[VEF_MAX_LINK_CLASSES];
    for (*class = 0; *class < topology->link_classes; (*class)++) {
        char *name = names[*class];
        vef_topology_link_class_name(topology, *class, name, sizeof names[0]);
        known[*class] = name;
        if (strlen(name) == length && strncmp(name, option, length) == 0)
            return VEF_OK;
    }
    snprintf(unknown, sizeof unknown, "%.*s", (int)length, option);
    vef_fail_unknown(error, "class of links", unknown, known, topology->link_classes);
    return vef_fail_within(error, "--merge %s", option);
}

/* Reads "0,0,1,2", one number for each of `channels`. */
static vef_code read_list(const char *option, const char *text, uint32_t channels, uint8_t *queues,
                          vef_error *error) {
    uint32_t count = 0;
    for (const char *next = text; count < channels; count++) {
        char *end;
        const unsigned long queue = strtoul(next, &end, 10);
        if (end == next || *next == '-' || queue >= channels)
            break;
        queues[count] = (uint8_t)queue;
        if (*end != (count + 1 < channels ? ',' : '\0'))
            break;
        next = end + 1;
    }
    if (count == channels)
        return VEF_OK;
    return vef_fail(error, VEF_INVALID,
                    "--merge %s: expected %" PRIu32 " numbers of queues from 0 to %" PRIu32
                    ", one for each virtual channel",
                    option, channels, channels - 1);
}

static vef_code merge_class(const char *option, const vef_routing *routing,
                            vef_channel_merge *merge, vef_error *error) {
    const vef_topology *topology = routing->topology;
    const char *equals = strchr(option, '=');
    if (!equals)
        return vef_fail(error, VEF_INVALID, "--merge %s: expected CLASS=LIST such as local=0,0,1",
                        option);
    uint32_t wanted;
    vef_code code = find_class(topology, option, (size_t)(equals - option), &wanted, error);
    for (uint32_t port = 0; port < topology->ports && code == VEF_OK; port++) {
        uint32_t class;
        if (!class_of_port(topology, port, &class))
            return vef_fail(error, VEF_UNSUPPORTED,
                            "--merge: port %" PRIu32
                            " has links of several classes: not supported with topology %s",
                            port, topology->family->name);
        if (class == wanted)
            code =
                read_list(option, equals + 1,
                          routing->port_channels ? routing->port_channels[port] : routing->channels,
                          merge->queue_of + (size_t)port * routing->channels, error);
    }
    return code;
}

vef_code vef_channel_merge_read(const vef_texts *given, const vef_routing *routing,
                                vef_channel_merge *merge, vef_error *error) {
    const size_t count = (size_t)routing->topology->ports * routing->channels;
    *merge = (vef_channel_merge){0};
    if (given->count == 0)
        return VEF_OK;
    merge->queues = routing->channels;
    merge->queue_of = vef_malloc(count * sizeof *merge->queue_of);
    for (size_t i = 0; i < count; i++)
        merge->queue_of[i] = (uint8_t)(i % routing->channels);
    vef_code code = VEF_OK;
    for (size_t i = 0; i < given->count && code == VEF_OK; i++)
        code = merge_class(given->text[i], routing, merge, error);
    return code;
}
