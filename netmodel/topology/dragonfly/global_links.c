/* The four arrangements of global links. See global_links.h.
 *
 * Let G be the number of groups and M = a h the number of global ports of a group.
 *
 * Palmtree, absolute, relative. For G = M + 1, index i of group g leads to
 *   palmtree   group g - i - 1 (mod G)      Camarero, Vallejo, Beivide: "Topological
 *                                           Characterization of Hamming and Dragonfly Networks",
 *                                           TACO 11(4), 2014, after Garcia
 *   absolute   group i, or i + 1 if i >= g  Kim et al. (ISCA 2008); names by Hastings et al.:
 *   relative   group g + i + 1 (mod G)      "Comparing Global Link Arrangements for Dragonfly
 *                                           Networks", CLUSTER 2015
 * and ends at the index that leads back.
 *
 * With fewer groups, which the papers leave open, indices form rounds of G - 1 links, one to each
 * other group, and a last round of the n = M mod (G - 1) indices that remain. In a round of n links
 * group g is joined with the groups at n offsets: 1 to n / 2, their negatives and, if n is odd, G /
 * 2. With n = G - 1 these are all offsets. The set is symmetric, so a link and its other end are of
 * the same round. The indices of a round take its groups in the order of
 *   palmtree   descending offset      relative   ascending offset      absolute   ascending number
 * An odd n needs an even G. For an odd G, n is odd only if M is, so the condition is that M G, the
 * number of all global ports, is even. Of L rounds of G - 1, a link of round j ends in round j, or
 * L - 1 - j for palmtree: as in SST Merlin and SuperSim (absolute, relative) and CAMINOS (palmtree)
 * where G - 1 divides M. Index i of palmtree then ends at M - 1 - i, so routers r and a - 1 - r are
 * joined. Parallel links of two groups are G - 1 indices apart, so mostly of different routers.
 *
 * Circulant (circulant-based in Hastings et al.; SST macro). h is even; indices 2q and 2q + 1 lead
 * to groups g + o and g - o, and index 2q of one group ends at 2q + 1 of the other: both are of the
 * same router number. The offset o is q + 1 or, with fewer groups, q mod (G - 1) + 1: every offset
 * in turn, so that G - 1 pairs have two links to each other group. */
#include "netmodel/topology/dragonfly/global_links.h"

const char *const vef_arrangements[] = {
    [VEF_ARRANGEMENT_PALMTREE] = "palmtree",
    [VEF_ARRANGEMENT_ABSOLUTE] = "absolute",
    [VEF_ARRANGEMENT_RELATIVE] = "relative",
    [VEF_ARRANGEMENT_CIRCULANT] = "circulant",
    NULL,
};

static uint32_t ports_of_group(const vef_global_links *links) {
    return links->routers * links->h;
}

/* ---- checks ---- */

vef_code vef_global_links_settle(vef_global_links *links, uint32_t group_routers, const char *a,
                                 vef_error *error) {
    const uint32_t h = links->h, most = VEF_MAX_ROUTERS / group_routers;
    const uint64_t ports = (uint64_t)links->routers * h;
    const uint64_t groups = links->groups != 0 ? links->groups : ports + 1;
    if (links->arrangement == VEF_ARRANGEMENT_CIRCULANT && h % 2 != 0)
        return vef_fail(error, VEF_INVALID,
                        "h: %u with arrangement circulant, which pairs the global ports of a "
                        "router: expected an even number such as %u or %u, or another arrangement",
                        h, h > 1 ? h - 1 : 2, h > 1 ? h + 1 : 4);
    if (groups < 2 || groups > ports + 1)
        return vef_fail(error, VEF_INVALID,
                        "groups: %llu groups of %llu global ports (%s x h): out of range: expected "
                        "2 to %llu",
                        (unsigned long long)groups, (unsigned long long)ports, a,
                        (unsigned long long)ports + 1);
    if (groups > most)
        return vef_fail(error, VEF_INVALID,
                        "groups: %llu groups of %u routers: out of range: expected at most %u",
                        (unsigned long long)groups, group_routers, most);
    if (groups * ports % 2 != 0)
        return vef_fail(error, VEF_INVALID,
                        "groups: %llu groups of %llu global ports (%s x h) have an odd number of "
                        "ports, so one of them has no other end: expected an even number of groups "
                        "such as %llu or %llu",
                        (unsigned long long)groups, (unsigned long long)ports, a,
                        (unsigned long long)groups - 1, (unsigned long long)groups + 1);
    links->groups = (uint32_t)groups;
    return VEF_OK;
}

/* ---- rounds: palmtree, absolute, relative ---- */

/* Links of round `round`. */
static uint32_t length_of_round(const vef_global_links *links, uint32_t round) {
    const uint32_t full = links->groups - 1, ports = ports_of_group(links);
    return round < ports / full ? full : ports % full;
}

/* The offsets of a round of n links in ascending order: the one at `place`. */
static uint32_t offset_at(const vef_global_links *links, uint32_t n, uint32_t place) {
    if (place < n / 2)
        return place + 1;
    return n % 2 != 0 && place == n / 2 ? links->groups / 2 : links->groups - (n - place);
}

/* The number of them that are at most `most`, which is below the number of groups. */
static uint32_t offsets_up_to(const vef_global_links *links, uint32_t n, uint32_t most) {
    const uint32_t half = n / 2, last = links->groups - half; /* the first of the negatives */
    return (most < half ? most : half) + (n % 2 != 0 && most >= links->groups / 2) +
           (most >= last ? most - last + 1 : 0);
}

/* The place of the offset of the link at `slot` of a round of n links; and back. */
static uint32_t place_of_slot(const vef_global_links *links, uint32_t group, uint32_t n,
                              uint32_t slot) {
    if (links->arrangement == VEF_ARRANGEMENT_RELATIVE)
        return slot;
    if (links->arrangement == VEF_ARRANGEMENT_PALMTREE)
        return n - 1 - slot;
    /* The groups beyond the last one, which wrap to the least numbers, come first. */
    return (slot + offsets_up_to(links, n, links->groups - 1 - group)) % n;
}

static uint32_t slot_of_place(const vef_global_links *links, uint32_t group, uint32_t n,
                              uint32_t place) {
    if (links->arrangement == VEF_ARRANGEMENT_RELATIVE)
        return place;
    if (links->arrangement == VEF_ARRANGEMENT_PALMTREE)
        return n - 1 - place;
    return (place + n - offsets_up_to(links, n, links->groups - 1 - group)) % n;
}

static vef_global_end other_of_round(const vef_global_links *links, vef_global_end end) {
    const uint32_t full = links->groups - 1;
    const uint32_t round = end.index / full, n = length_of_round(links, round);
    const uint32_t place = place_of_slot(links, end.group, n, end.index % full);
    const uint32_t to = (end.group + offset_at(links, n, place)) % links->groups;
    const bool turned = links->arrangement == VEF_ARRANGEMENT_PALMTREE && n == full;
    const uint32_t other_round = turned ? ports_of_group(links) / full - 1 - round : round;
    return (vef_global_end){to, other_round * full + slot_of_place(links, to, n, n - 1 - place)};
}

/* Whether a round of n links has a link to the group at `offset`. */
static bool has_offset(const vef_global_links *links, uint32_t n, uint32_t offset) {
    return offsets_up_to(links, n, offset) != offsets_up_to(links, n, offset - 1);
}

static uint32_t index_of_round(const vef_global_links *links, uint32_t from, uint32_t offset,
                               uint32_t round) {
    const uint32_t n = length_of_round(links, round);
    const uint32_t up_to = n == links->groups - 1 ? offset : offsets_up_to(links, n, offset);
    const uint32_t place = up_to - 1;
    return round * (links->groups - 1) + slot_of_place(links, from, n, place);
}

/* ---- circulant ---- */

static vef_global_end other_of_circulant(const vef_global_links *links, vef_global_end end) {
    const uint32_t offset = end.index / 2 % (links->groups - 1) + 1;
    const uint32_t ahead = end.index % 2 == 0 ? offset : links->groups - offset;
    return (vef_global_end){(end.group + ahead) % links->groups, end.index ^ 1u};
}

/* Even indices 2q with q = offset - 1 (modulo groups - 1) lead to the group at an offset, and odd
 * ones with that of its negative. */
static uint32_t links_of_circulant(const vef_global_links *links, uint32_t offset) {
    const uint32_t period = links->groups - 1, pairs = ports_of_group(links) / 2;
    return pairs / period * 2 + (offset - 1 < pairs % period) +
           (links->groups - offset - 1 < pairs % period);
}

static uint32_t index_of_circulant(const vef_global_links *links, uint32_t offset, uint32_t which) {
    const uint32_t negative = links->groups - offset;
    const bool even = (which % 2 == 0) == (offset <= negative);
    const uint32_t q = which / 2 * (links->groups - 1) + (even ? offset : negative) - 1;
    return 2 * q + !even;
}

/* ---- all arrangements ---- */

vef_global_end vef_global_links_other(const vef_global_links *links, vef_global_end end) {
    return links->arrangement == VEF_ARRANGEMENT_CIRCULANT ? other_of_circulant(links, end)
                                                           : other_of_round(links, end);
}

static uint32_t offset_between(const vef_global_links *links, uint32_t from, uint32_t to) {
    return to > from ? to - from : to + links->groups - from;
}

uint32_t vef_global_links_between(const vef_global_links *links, uint32_t from, uint32_t to) {
    const uint32_t offset = offset_between(links, from, to), full = links->groups - 1;
    if (links->arrangement == VEF_ARRANGEMENT_CIRCULANT)
        return links_of_circulant(links, offset);
    return ports_of_group(links) / full + has_offset(links, ports_of_group(links) % full, offset);
}

uint32_t vef_global_links_index(const vef_global_links *links, uint32_t from, uint32_t to,
                                uint32_t which) {
    const uint32_t offset = offset_between(links, from, to);
    return links->arrangement == VEF_ARRANGEMENT_CIRCULANT
               ? index_of_circulant(links, offset, which)
               : index_of_round(links, from, offset, which);
}

/* ---- symmetries ---- */

/* Offsets by index are the same in all groups, except for absolute. */
bool vef_global_links_rotate(const vef_global_links *links) {
    return links->arrangement != VEF_ARRANGEMENT_ABSOLUTE;
}

/* Circulant: the mirror image of offset o is -o, of the same pair of indices. Otherwise, in a round
 * of n links, that of the slot s is n - 1 - s: offsets are in ascending or descending order, and
 * their set is symmetric; in ascending order of numbers, the mirror image of the groups reverses
 * it. Reversing all indices does so if there is one round only, or for palmtree several whole ones,
 * since it also exchanges rounds j and L - 1 - j, where their links end. */
bool vef_global_links_mirror(const vef_global_links *links) {
    const uint32_t full = links->groups - 1, ports = ports_of_group(links);
    return links->arrangement == VEF_ARRANGEMENT_CIRCULANT || ports == full ||
           (links->arrangement == VEF_ARRANGEMENT_PALMTREE && ports % full == 0);
}

uint32_t vef_global_links_mirrored_group(const vef_global_links *links, uint32_t group) {
    if (links->arrangement == VEF_ARRANGEMENT_ABSOLUTE)
        return links->groups - 1 - group;
    return group == 0 ? 0 : links->groups - group;
}

uint32_t vef_global_links_mirrored_index(const vef_global_links *links, uint32_t index) {
    return links->arrangement == VEF_ARRANGEMENT_CIRCULANT ? index ^ 1u
                                                           : ports_of_group(links) - 1 - index;
}
