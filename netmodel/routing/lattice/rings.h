/* Rings of a lattice's generators, and datelines across them.
 *
 * Where a generator wraps, going on along it comes back to where it began: the channels of one of
 * its directions form rings, which would deadlock if nothing were done. Under bubble flow control
 * a ring keeps a place free (record.h: vef_record_places). Under virtual channels each ring has a
 * dateline and two classes of channels (Dally and Seitz, "Deadlock-Free Message Routing in
 * Multiprocessor Interconnection Networks", 1987; Dally and Towles, "Principles and Practices of
 * Interconnection Networks", section 14.2.3).
 *
 * Every ring has its routers numbered 0 … n - 1 as its plus direction visits them, beginning with
 * the router of the lowest number; the dateline is the link between n - 1 and 0. A hop is of class
 * 1 as long as the packet, on the hops that it still has to go along this generator, will cross the
 * dateline with this hop or a later one, else of class 0. This is the "upper" and "lower" channel
 * by whether the destination lies ahead, said so that it holds for any lattice: a ring of a twisted
 * torus crosses the wrap several times before it closes, and a diagonal one crosses two wraps.
 *
 * Proof. Let a packet be at position p of a ring of n, with k < n hops to go in plus direction
 * (minimal records never go more than half way round). It is of class 1 when p + k >= n. The next
 * hop leaves p + k as it is, so it stays of class 1 up to and with the link from n - 1 to 0; there
 * it has p + k - n < n hops to go and is of class 0, and never comes to the dateline again. So
 * along a ring waiting rises through the positions of class 1, then through those of class 0, whose
 * dateline link is never used: no cycle. For the minus direction the same with positions mirrored.
 * The class depends only on the packet's position and remaining hops, so it may enter the ring
 * anywhere, out of an adaptive channel as well. */
#ifndef VEF_NETMODEL_ROUTING_LATTICE_RINGS_H
#define VEF_NETMODEL_ROUTING_LATTICE_RINGS_H

#include "netmodel/routing/routing.h"

typedef struct vef_rings {
    uint32_t classes; /* classes of channels that dimension order uses: 2 with datelines, else 1 */
    /* In the unrolled form of a routing with datelines (vef_routing_unroll) a hop is of class k - 1
     * if k hops remain, including this one: that does not depend on where the router lies, and
     * together with the router it determines the class of 2. Of a packet with a given record that
     * came in by a given port one k is possible. */
    bool unrolled;

    /* With datelines only. */
    uint32_t routers;
    const uint32_t *position; /* [generator * routers + router] */
    const uint32_t *length;   /* [generator]: routers of each of its rings; 0: they are lines */
} vef_rings;

/* Finds the rings of the routing's lattice that its flow control needs, in its arena. */
vef_rings *vef_rings_create(vef_routing *routing);

/* Refuses (VEF_UNSUPPORTED) the unrolled form with several channels of each class: a packet keeps
 * its channel until it crosses the dateline, which that form does not have. */
vef_code vef_rings_check_unrolled(const vef_routing *routing, int64_t channels, vef_error *error);

/* Sets routing->channels to `each` of every class plus `more`; refuses (VEF_INVALID) more than
 * VEF_MAX_CHANNELS. */
vef_code vef_rings_set_channels(vef_routing *routing, const vef_rings *rings, int64_t each,
                                int64_t more, vef_error *error);

/* The class of a hop by `port` out of `router` for a packet with `hops` remaining hops (including
 * this one) in that direction. */
static inline uint32_t vef_rings_class(const vef_rings *rings, uint32_t router, uint32_t port,
                                       uint32_t hops) {
    if (rings->classes == 1 || rings->length[port / 2] == 0)
        return 0;
    if (rings->unrolled)
        return hops - 1;
    const uint32_t position = rings->position[(size_t)(port / 2) * rings->routers + router];
    return port % 2 == 0 ? position + hops >= rings->length[port / 2] : hops > position;
}

/* Whether classes depend on where a router lies in no way. */
static inline bool vef_rings_are_uniform(const vef_rings *rings) {
    return rings->classes == 1 || rings->unrolled;
}

/* As vef_routing_algorithm.fold, for channels that are blocks of one for each class, the last
 * `alike` excepted, which are the same in both forms. */
uint8_t vef_rings_fold(const vef_rings *rings, const vef_rings *unrolled, uint32_t alike,
                       const vef_routing *form, uint32_t router, uint16_t port, uint8_t name);

#endif
