/* What a log has beside its events: communicators and call sites, whose numbers become those of the
 * run, the calls that its ring dropped (ring_summary.h), and the calls that its threads were in.
 * See merge_state.h.
 *
 * Messages: all dropped ones precede all kept ones, so they shift which message of an envelope the
 * first kept receive receives. Collectives: the k-th call of a sequence on a communicator
 * (vef_event_sequence) by one member matches the k-th by each other, so those that not all members
 * kept are left out. The creation of a communicator is left out unless all kept it, and so is every
 * operation on a window that was created before: its epochs may have begun before as well. */
#include "common/containers/grow.h"
#include "common/containers/hash.h"
#include "common/memory.h"
#include "traces/merge/merge_state.h"

/* ---- numbers of the run ---- */

vef_code vef_merge_comm(vef_merge_state *state, uint32_t task, uint32_t local, uint32_t *number,
                        vef_error *error) {
    vef_merge_task *part = &state->task[task];
    if (local >= part->number_count || local >> VEF_MERGE_COMM_BITS)
        return vef_fail(error, VEF_CORRUPT, "communicator %u is out of range: the log has %u",
                        local, part->number_count);
    if (part->numbers[local] == VEF_NO_COMM)
        vef_groups_use_self(state->groups, task, &part->numbers[local]);
    *number = part->numbers[local];
    return VEF_OK;
}

vef_code vef_merge_world(const vef_log_facts *facts, uint32_t local, int32_t rank, uint32_t *world,
                         vef_error *error) {
    if (local >= facts->communicator_count)
        return vef_fail(error, VEF_CORRUPT, "communicator %u is out of range: the log has %u",
                        local, facts->communicator_count);
    const vef_communicator *comm = &facts->communicators[local];
    uint32_t size = comm->remote_size ? comm->remote_size : comm->size;
    if (rank < 0 || (uint32_t)rank >= size)
        return vef_fail(error, VEF_CORRUPT, "rank %d of communicator %u is out of range: it has %u",
                        rank, local, size);
    *world = comm->remote_size ? comm->remote_members[rank] : comm->members[rank];
    return VEF_OK;
}

vef_code vef_merge_joint(vef_merge_state *state, uint32_t task, const vef_log_facts *facts,
                         const vef_event *event, uint32_t *number, bool *joint, vef_error *error) {
    uint32_t local;
    *joint = false;
    if (!vef_joint_comm(event, &local))
        return VEF_OK;
    if (local < facts->communicator_count &&
        facts->communicators[local].size + facts->communicators[local].remote_size == 1)
        return VEF_OK;
    *joint = true;
    return vef_merge_comm(state, task, local, number, error);
}

/* ---- call sites ----
 *
 * Those of the same file, by its build ID, or else its path, and of the same offset are one. */

/* What identifies the file. */
static const char *identity(const vef_site *site) {
    return *site->build_id ? site->build_id : site->module;
}

/* The number of a site in the run. Without room for more it becomes unknown. */
static uint32_t number_of(vef_merge_state *state, const vef_site *site) {
    vef_hash hash = vef_hash_begin();
    vef_hash_add(&hash, identity(site), strlen(identity(site)));
    vef_hash_add(&hash, &site->offset, sizeof site->offset);
    uint64_t key = hash.low >> 1;
    const uint64_t *known;
    for (; (known = vef_map64_get(&state->site_of, key)) != NULL; key++) {
        const vef_site *other = &state->sites[*known];
        if (other->offset == site->offset && strcmp(identity(other), identity(site)) == 0)
            return (uint32_t)*known + 1;
    }
    if (state->site_count == VEF_SITE_LIMIT)
        return 0;
    vef_map64_set(&state->site_of, key, state->site_count);
    vef_site *added = VEF_NEW_ITEM(state->sites, state->site_count, state->site_capacity);
    *added = *site;
    for (size_t i = 0; i < VEF_SITE_TEXTS; i++)
        *vef_site_text_at(added, i) =
            vef_arena_string(&state->site_texts, vef_site_text_of(site, i));
    return (uint32_t)state->site_count;
}

uint32_t vef_merge_site(vef_merge_state *state, uint32_t task, const vef_log_facts *facts,
                        uint32_t local) {
    vef_merge_task *part = &state->task[task];
    if (local == 0 || local > facts->site_count)
        return 0;
    if (!part->sites)
        part->sites = vef_calloc(facts->site_count, sizeof *part->sites);
    uint32_t *number = &part->sites[local - 1];
    if (*number == 0)
        *number = number_of(state, &facts->sites[local - 1]);
    return *number;
}

/* ---- rings ---- */

static vef_code envelope_of(vef_merge_state *state, uint32_t task, const vef_log_facts *facts,
                            const vef_before_messages *messages, uint32_t *envelope,
                            vef_error *error) {
    uint32_t comm = 0, other = 0;
    if (messages->comm >= facts->communicator_count)
        return vef_fail(error, VEF_CORRUPT, "a ring of task %u dropped messages of communicator %u",
                        task, messages->comm);
    vef_code code = vef_merge_comm(state, task, messages->comm, &comm, error);
    if (!code)
        code = vef_merge_world(facts, messages->comm, messages->peer, &other, error);
    return code ? code
                : vef_matcher_envelope(&state->matcher, messages->send ? task : other,
                                       messages->send ? other : task, comm, messages->tag,
                                       messages->channel, envelope, error);
}

vef_code vef_merge_joint_begin(vef_merge_state *state, uint32_t task, const vef_log_facts *facts,
                               vef_error *error) {
    const vef_map64 *calls = &facts->before->collectives;
    vef_code code = VEF_OK;
    for (size_t i = 0; facts->skipped > 0 && i < calls->capacity && !code; i++) {
        const uint64_t key = calls->keys[i];
        const uint32_t local = (uint32_t)key;
        uint32_t number = 0;
        if (key == UINT64_MAX || local >= facts->communicator_count)
            continue;
        code = vef_merge_comm(state, task, local, &number, error);
        if (!code)
            vef_joint_before(&state->joint, task, number, (uint32_t)(key >> 32), calls->values[i]);
    }
    return code;
}

static vef_code note_communicators(vef_merge_state *state, uint32_t task,
                                   const vef_log_facts *facts, vef_error *error) {
    const vef_before *before = facts->before;
    uint32_t number = 0;
    vef_code code = VEF_OK;
    for (uint32_t i = 2; i < before->communicators && i < facts->communicator_count && !code; i++) {
        code = vef_merge_comm(state, task, i, &number, error);
        if (!code)
            vef_map64_set(&state->partial, number, 1);
    }
    return code;
}

vef_code vef_merge_before(vef_merge_state *state, uint32_t task, const vef_log_facts *facts,
                          vef_merge_outstanding *outstanding, void *context, vef_error *error) {
    const vef_before *before = facts->before;
    vef_code code = note_communicators(state, task, facts, error);
    state->dropped = true;
    for (size_t i = 0; i < before->message_count && !code; i++) {
        const vef_before_messages *messages = &before->messages[i];
        uint32_t envelope = 0;
        code = envelope_of(state, task, facts, messages, &envelope, error);
        if (!code)
            state->matcher.envelopes[envelope].before +=
                messages->send ? (int64_t)messages->count : -(int64_t)messages->count;
    }
    for (size_t i = 0; i < before->request_count && !code; i++)
        if (!before->requests[i].send)
            code = outstanding(context, &before->requests[i], error);
    return code;
}

vef_code vef_merge_lacks(vef_merge_state *state, uint32_t task, const vef_event *event, bool *lacks,
                         vef_error *error) {
    const vef_kind kind = vef_call_kind(event->call);
    const uint32_t comm = kind == VEF_KIND_SYNC   ? event->comm
                          : kind == VEF_KIND_COMM ? event->new_comm
                          : kind == VEF_KIND_ONE_SIDED && event->operation_count > 0
                              ? event->operations[0].comm
                              : VEF_NO_COMM;
    uint32_t number = 0;
    *lacks = false;
    if (comm == VEF_NO_COMM)
        return VEF_OK;
    const vef_code code = vef_merge_comm(state, task, comm, &number, error);
    *lacks = !code && vef_map64_get(&state->partial, number);
    return code;
}

/* ---- calls under way ---- */

/* A slot has no checksum and is not trusted: an invalid communicator or rank becomes unknown. */
static void translate(const vef_merge_task *part, const vef_log_facts *facts, vef_waited *waited) {
    uint32_t local = waited->comm, world = 0;
    vef_error ignored;
    bool known = local < part->number_count && part->numbers[local] != VEF_NO_COMM;
    if (waited->peer >= 0 && !vef_merge_world(facts, local, waited->peer, &world, &ignored))
        waited->peer = (int32_t)world;
    else if (waited->peer != VEF_ANY_SOURCE)
        waited->peer = VEF_NO_TASK;
    waited->comm = known ? part->numbers[local] : VEF_NO_COMM;
    waited->flags &= VEF_OP_SEND;
    if (!vef_call_name(waited->call))
        waited->call = 0;
}

void vef_merge_under_way(vef_merge_state *state, uint32_t task, const vef_log_facts *facts) {
    size_t count = state->under_way_count + facts->under_way_count;
    vef_grow(&state->under_way, &state->under_way_capacity, count, sizeof *state->under_way);
    for (uint32_t i = 0; i < facts->under_way_count; i++) {
        vef_under_way *to = &state->under_way[state->under_way_count++];
        *to = facts->under_way[i];
        for (uint32_t k = 0; k < vef_waited_shown(to); k++)
            translate(&state->task[task], facts, &to->waited[k]);
        for (uint32_t k = 0; k < to->stack_count; k++)
            to->stack[k] = vef_merge_site(state, task, facts, to->stack[k]);
    }
}
