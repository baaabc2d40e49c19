/* The moves of a routing from those of its unrolled form. See unrolled.h.
 *
 * The unrolled form is uniform, so its moves are known at all routers of a class from one
 * destination. Its packets are those of the routing with other names for channels: a name stands
 * for one channel on each link. Replacing names by channels gives all moves of the routing. The
 * name of an input queue is that of a link out of the neighbour. */
#include "netmodel/deadlock/unrolled.h"
#include "common/memory.h"

#include <stdlib.h>

typedef struct folding {
    const vef_routing *routing, *unrolled;
    const vef_moves *from, *to;
    uint32_t *link; /* [links of `from`]: what the outputs of the current router stand for */
    uint32_t *row;  /* [links of `from` + 1]: the same of its input queues, and injection */
} folding;

/* What the channels of links between routers stand for, at the ports of `router`. */
static void name_links(const folding *f, uint32_t router) {
    const vef_topology *topology = f->routing->topology;
    const uint32_t channels = f->from->channels;
    for (uint32_t i = 0; i < f->from->links; i++) {
        const uint32_t port = i / channels;
        const size_t link = (size_t)router * topology->ports + port;
        const uint8_t name = (uint8_t)(i % channels);
        if (topology->neighbour[link] == VEF_NO_ROUTER)
            continue;
        const uint8_t out =
            f->routing->algorithm->fold(f->routing, f->unrolled, router, (uint16_t)port, name);
        const uint8_t in = f->routing->algorithm->fold(
            f->routing, f->unrolled, topology->neighbour[link], topology->reverse_port[link], name);
        f->link[i] = port * f->to->channels + vef_moves_channel(f->to, port, out);
        f->row[i] = port * f->to->channels + vef_moves_channel(f->to, port, in);
        if (f->to->arrivals)
            vef_moves_arrivals(f->to, router)[port * f->routing->channels + in] |=
                vef_moves_arrivals(f->from, router)[i];
    }
    f->row[f->from->links] = f->to->links;
}

static void fold_row(const folding *f, uint32_t router, uint32_t from) {
    const uint64_t *words = (const uint64_t *)(const void *)vef_moves_from(f->from, router, from);
    uint8_t *row = vef_moves_from(f->to, router, f->row[from]);
    for (uint32_t w = 0; w < f->from->words; w++)
        for (uint64_t left = words[w]; left != 0;) {
            const uint32_t byte = (uint32_t)__builtin_ctzll(left) / 8;
            row[f->link[8 * w + byte]] |= (uint8_t)(words[w] >> 8 * byte);
            left &= ~(UINT64_C(0xff) << 8 * byte);
        }
}

void vef_unrolled_fold(const vef_routing *routing, const vef_routing *unrolled,
                       const vef_moves *from, const vef_moves *to) {
    uint32_t *names = vef_malloc((2 * (size_t)from->links + 1) * sizeof *names);
    const folding f = {routing, unrolled, from, to, names, names + from->links};
    for (uint32_t router = 0; router < routing->topology->routers; router++) {
        name_links(&f, router);
        for (uint32_t i = 0; i <= from->links; i++)
            fold_row(&f, router, i);
    }
    free(names);
}
