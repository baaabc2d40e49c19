/* Reflections in the proof. See reflections.h.
 *
 * Let G be the products of the topology's reflections; they are symmetries of the network and of
 * the routing. g in G maps the states of the packets to d onto those of the packets to g(d), and
 * their moves from a queue at router r onto moves from the queue's image at g(r). So the moves of
 * all packets are the images of those of the packets to one destination of each orbit. Reflections
 * are their own inverses and commute: it suffices to add the images under each of them once, one
 * reflection after the other. The same holds for the queues where first legs end and for the
 * lengths of legs. Reflections map classes of translations onto each other, so the rows that the
 * routers of a class share have images too. */
#include "netmodel/deadlock/reflections.h"

static uint32_t class_image(const vef_moves *moves, uint32_t which, uint32_t class) {
    const vef_topology *topology = moves->topology;
    return vef_moves_class(moves, topology->family->reflect(topology, which, moves->first[class]));
}

static uint32_t port_image(const vef_moves *moves, uint32_t which, uint32_t port) {
    return moves->topology->family->reflect_port(moves->topology, which, port);
}

uint32_t vef_reflections_choose(const vef_moves *moves, uint32_t *visited) {
    uint32_t *lowest = visited; /* of the images under the products of reflections so far */
    for (uint32_t class = 0; class < moves->classes; class ++)
        lowest[class] = class;
    for (uint32_t which = 0; which < moves->reflections; which++)
        for (uint32_t class = 0; class < moves->classes; class ++) {
            const uint32_t image = class_image(moves, which, class);
            if (lowest[image] < lowest[class])
                lowest[class] = lowest[image];
            else
                lowest[image] = lowest[class];
        }
    uint32_t count = 0;
    for (uint32_t class = 0; class < moves->classes; class ++)
        if (lowest[class] == class)
            visited[count++] = class;
    return count;
}

/* Gives two rows, one byte for each channel of each port, what either has; `b` by images of ports.
 */
static void unite_rows(const vef_moves *moves, uint32_t which, uint32_t channels, uint8_t *a,
                       uint8_t *b) {
    for (uint32_t port = 0; port < moves->topology->ports; port++) {
        uint8_t *there = b + (size_t)port_image(moves, which, port) * channels;
        uint8_t *here = a + (size_t)port * channels;
        for (uint32_t c = 0; c < channels; c++)
            here[c] = there[c] |= here[c];
    }
}

static void unite_moves(const vef_moves *moves, uint32_t which, uint32_t class, uint32_t image) {
    const uint32_t channels = moves->channels;
    for (uint32_t from = 0; from <= moves->links; from++) {
        uint32_t there = from; /* injection is its own image */
        if (from < moves->links)
            there = port_image(moves, which, from / channels) * channels + from % channels;
        unite_rows(moves, which, channels, vef_moves_from(moves, moves->first[class], from),
                   vef_moves_from(moves, moves->first[image], there));
    }
}

void vef_reflections_add_moves(const vef_moves *moves) {
    for (uint32_t which = 0; which < moves->reflections; which++)
        for (uint32_t class = 0; class < moves->classes; class ++) {
            const uint32_t image = class_image(moves, which, class);
            if (image >= class)
                unite_moves(moves, which, class, image);
        }
}

void vef_reflections_add_arrivals(const vef_moves *moves) {
    const uint32_t channels = moves->arrival_queues / moves->topology->ports;
    for (uint32_t which = 0; which < moves->reflections; which++)
        for (uint32_t class = 0; class < moves->classes; class ++) {
            const uint32_t image = class_image(moves, which, class);
            if (image >= class)
                unite_rows(moves, which, channels, vef_moves_arrivals(moves, moves->first[class]),
                           vef_moves_arrivals(moves, moves->first[image]));
        }
}

/* Adds the images of the legs from or to the first router of `class` to `to`, those of `image`. */
static void add_legs(const vef_moves *moves, uint32_t which, uint32_t class, uint32_t image,
                     const vef_longest_legs *legs, vef_longest_legs *to) {
    const vef_topology *topology = moves->topology;
    const uint32_t reflected = topology->family->reflect(topology, which, moves->first[class]);
    for (uint32_t i = 0; i < 2; i++) {
        if (legs->hops[i] == 0)
            continue;
        const uint32_t end = topology->family->reflect(topology, which, legs->router[i]);
        vef_longest_legs_add(to, legs->hops[i],
                             vef_legs_translate(moves, reflected, moves->first[image], end));
    }
}

void vef_reflections_add_legs(const vef_moves *moves, vef_longest_legs *legs) {
    for (uint32_t which = 0; which < moves->reflections; which++)
        for (uint32_t class = 0; class < moves->classes; class ++) {
            const uint32_t image = class_image(moves, which, class);
            const vef_longest_legs here = legs[class], there = legs[image];
            if (image < class)
                continue;
            add_legs(moves, which, class, image, &here, &legs[image]);
            add_legs(moves, which, image, class, &there, &legs[class]);
        }
}

/* ---- turns ---- */

/* Adds the image of a row; whether that changed anything. */
static bool add_turned(const vef_moves *moves, uint32_t which, uint32_t router, const uint8_t *row,
                       uint8_t *image) {
    const vef_topology *topology = moves->topology;
    bool changed = false;
    for (uint32_t link = 0; link < moves->links; link++) {
        if (row[link] == 0)
            continue;
        const uint32_t port =
            topology->family->turn(topology, which, router, link / moves->channels);
        uint8_t *to = &image[port * moves->channels + link % moves->channels];
        changed = changed || (row[link] & ~*to) != 0;
        *to |= row[link];
    }
    return changed;
}

static bool turn_rows(const vef_moves *moves, uint32_t which, uint32_t router) {
    const vef_topology *topology = moves->topology;
    bool changed = false;
    for (uint32_t from = 0; from <= moves->links; from++) {
        uint32_t there = from; /* injection is its own image */
        if (from < moves->links)
            there = topology->family->turn(topology, which, router, from / moves->channels) *
                        moves->channels +
                    from % moves->channels;
        changed = add_turned(moves, which, router, vef_moves_from(moves, router, from),
                             vef_moves_from(moves, router, there)) ||
                  changed;
    }
    return changed;
}

void vef_turns_add_moves(const vef_moves *moves) {
    for (uint32_t which = 0; moves->turned && which < moves->topology->turns; which++)
        for (uint32_t class = 0; class < moves->classes; class ++)
            while (turn_rows(moves, which, moves->first[class]))
                continue;
}
