/* Allreduce along two binary trees, in chunks (P. Sanders, J. Speck, J. L. Träff, "Two-tree
 * algorithms for full bandwidth broadcast, reduction and scan", Parallel Computing 35(12), 2009),
 * as NCCL has them (src/graph/trees.cc, runTreeSplit in src/device/all_reduce.h; p ranks, n bytes).
 *
 * `degree` channels have an equal share of the data each; the even ones use the first tree, the odd
 * ones the second. The leaves of the first tree are the odd ranks; the second is the first one
 * mirrored, or, of an odd number of ranks, turned by one, so that its leaves are the even ranks,
 * but for one. With an even number of channels a rank sends and receives 2n bytes, at most. The
 * root of a tree has one child; all are at most ceil(log2 p) hops away. Chunks of at most
 * `segment_bytes` are combined on the way up while others come down.
 *
 * Where nodes are known, the trees are those of the nodes. In each node the ranks are a chain below
 * its member of the tree, which is the c-th one in channels 2c and 2c + 1. (NCCL's member has one
 * child on another node, the next rank of the chain the other.)
 *
 * In a plan a chunk moves by one hop of its tree in a round, up to the root and then down; a rank
 * takes what comes in a round for one channel after the other, and passes it on at once, which
 * belongs to the next round. Needs eager messages. NCCL's channels and directions are independent;
 * here they wait for each other where a message of one is late. */
#include "replay/collectives/algorithms.h"
#include "replay/collectives/nodes.h"
#include "replay/collectives/patterns.h"

enum { NOBODY = UINT32_MAX, MOST_CHILDREN = 3 };

/* The binary tree over 0 … count - 1 whose root is 0: the parent of a number has its lowest bit
 * moved one place to the left, or removed if that is too large. */
static uint32_t parent_of(uint32_t number, uint32_t count) {
    const uint32_t bit = number & (~number + 1);
    const uint64_t parent = (number ^ bit) | ((uint64_t)bit << 1);
    return number == 0 ? (uint32_t)NOBODY : parent < count ? (uint32_t)parent : number ^ bit;
}

static uint32_t first_child_of(uint32_t number) {
    const uint32_t bit = number & (~number + 1);
    return bit > 1 ? number - bit / 2 : (uint32_t)NOBODY;
}

static uint32_t second_child_of(uint32_t number, uint32_t count) {
    uint64_t bit = number ? number & (~number + 1) : 2 * (uint64_t)vef_power_below(count - 1);
    for (bit /= 2; bit > 0; bit /= 2)
        if (number + bit < count)
            return (uint32_t)(number + bit);
    return NOBODY;
}

/* The place of this rank in the tree of a channel. */
typedef struct role {
    uint32_t parent; /* NOBODY: it is the root */
    uint32_t depth;  /* hops from the root */
    uint32_t count, children[MOST_CHILDREN];
} role;

typedef struct trees {
    const vef_collective *call;
    vef_plan *plan;
    uint32_t nodes;
    uint32_t levels; /* at least the hops to any rank: a chunk takes as many rounds to the root */
    uint64_t element_bytes, chunk; /* of at most so many elements */
} trees;

/* The number in the second tree of a node, or the node of a number. */
static uint32_t swap(const trees *self, uint32_t channel, uint32_t number, bool to_number) {
    const uint32_t count = self->nodes;
    if (channel % 2 == 0)
        return number;
    if (count % 2 == 0)
        return count - 1 - number;
    return (number + (to_number ? count - 1 : 1)) % count;
}

/* The member of a node, at a distance in its chain. */
static uint32_t rank_below(const trees *self, uint32_t channel, uint32_t node, uint32_t distance) {
    const vef_nodes *nodes = self->call->nodes;
    if (!nodes)
        return node;
    const uint32_t place = (channel / 2 + distance) % vef_nodes_size(nodes, node);
    return nodes->ranks[nodes->first[node] + place];
}

static role role_of(const trees *self, uint32_t channel) {
    const vef_nodes *nodes = self->call->nodes;
    const uint32_t rank = self->call->rank, node = nodes ? nodes->node_of[rank] : rank;
    const uint32_t size = nodes ? vef_nodes_size(nodes, node) : 1;
    const uint32_t distance = nodes ? (nodes->place[rank] + size - channel / 2 % size) % size : 0;
    const uint32_t number = swap(self, channel, node, true);
    role mine = {.parent = NOBODY, .depth = distance};
    const uint32_t others[] = {parent_of(number, self->nodes), first_child_of(number),
                               second_child_of(number, self->nodes)};
    for (uint32_t above = number; above != 0; above = parent_of(above, self->nodes))
        mine.depth++;
    for (int i = 0; i < 3 && distance == 0; i++) {
        if (others[i] == NOBODY)
            continue;
        const uint32_t other = rank_below(self, channel, swap(self, channel, others[i], false), 0);
        if (i == 0)
            mine.parent = other;
        else
            mine.children[mine.count++] = other;
    }
    if (distance > 0)
        mine.parent = rank_below(self, channel, node, distance - 1);
    if (distance + 1 < size)
        mine.children[mine.count++] = rank_below(self, channel, node, distance + 1);
    return mine;
}

/* Adds a step for the chunk of a channel that began its way `age` rounds ago, if there is one. */
static void add(const trees *self, vef_step_kind kind, uint32_t peer, uint32_t channel,
                uint64_t round, uint64_t age, uint32_t after) {
    const uint32_t channels = self->plan->tuning.degree;
    const uint64_t each = self->call->bytes / self->element_bytes / channels;
    const uint64_t longer = self->call->bytes / self->element_bytes % channels;
    const uint64_t share = each + (channel < longer ? 1 : 0);
    const uint64_t number = round - age;
    if (peer == NOBODY || round < age || number >= share / self->chunk + (share % self->chunk != 0))
        return;
    const uint64_t left = share - number * self->chunk;
    const uint64_t begin = each * channel + (channel < longer ? channel : longer) + share - left;
    const uint64_t end = begin + (left < self->chunk ? left : self->chunk);
    vef_add_step(self->plan, kind, peer, (end - begin) * self->element_bytes, after);
    vef_note_block(self->plan, 0, begin * self->element_bytes, end * self->element_bytes);
}

/* What a rank receives of a channel in a round. */
static void take(const trees *self, const role *mine, uint32_t channel, uint64_t round) {
    const uint64_t up = self->levels - mine->depth - 1, down = self->levels + mine->depth - 1;
    const uint32_t after = vef_now(self->plan);
    for (uint32_t i = 0; i < mine->count; i++)
        add(self, VEF_STEP_RECEIVE, mine->children[i], channel, round, up, after);
    add(self, VEF_STEP_RECEIVE, mine->parent, channel, round, down, after);
    for (uint32_t i = 0; i < mine->count; i++)
        add(self, VEF_STEP_REDUCE, mine->children[i], channel, round, up, vef_now(self->plan));
}

/* What it sends of it in a round. */
static void give(const trees *self, const role *mine, uint32_t channel, uint64_t round) {
    const uint64_t up = self->levels - mine->depth, down = self->levels + mine->depth;
    const uint32_t after = vef_now(self->plan);
    add(self, VEF_STEP_SEND, mine->parent, channel, round, up, after);
    for (uint32_t i = 0; i < mine->count; i++)
        add(self, VEF_STEP_SEND, mine->children[i], channel, round, down, after);
}

/* Of the trees with the longest chain below them: at least the hops to any rank. */
static uint32_t depth_of(const trees *self) {
    const uint32_t below = vef_power_below(self->nodes);
    uint32_t levels = below < self->nodes ? 1 : 0, longest = 1;
    for (uint32_t power = below; power > 1; power /= 2)
        levels++;
    for (uint32_t node = 0; self->call->nodes && node < self->nodes; node++)
        if (vef_nodes_size(self->call->nodes, node) > longest)
            longest = vef_nodes_size(self->call->nodes, node);
    return levels + longest - 1;
}

void vef_allreduce_double_tree(const vef_collective *call, vef_plan *plan) {
    const uint32_t channels = plan->tuning.degree;
    trees self = {
        .call = call, .plan = plan, .element_bytes = vef_element_bytes(call, call->bytes)};
    self.nodes = call->nodes ? call->nodes->count : call->size;
    if (call->size == 1)
        return;
    const uint64_t elements = call->bytes / self.element_bytes,
                   share = (elements - 1) / channels + 1;
    self.chunk = plan->tuning.segment_bytes / self.element_bytes;
    if (self.chunk == 0)
        self.chunk = 1;
    vef_use_protocol(plan);
    self.levels = depth_of(&self);
    const uint64_t rounds = (share - 1) / self.chunk + 2 * (uint64_t)self.levels;
    for (uint64_t round = 0; round <= rounds; round++)
        for (uint32_t channel = 0; channel < channels; channel++) {
            const role mine = role_of(&self, channel);
            if (round > 0)
                take(&self, &mine, channel, round - 1);
            give(&self, &mine, channel, round);
        }
}
