/* A task's requests, the messages to it, and the choice among them. See task.h. */
#include "interchange/otf2/restore/task.h"

#include "common/memory.h"
#include "traces/call.h"

#include <math.h>
#include <stdlib.h>

/* Messages of a sender that a choice looks at: most are the first that may be taken, and others
 * wait for stated receives. */
enum { MOST_LOOKS = 64 };

static const vef_otf2_message *message_of(const vef_otf2_walk *at, size_t place) {
    return &at->self->messages[at->mine[place]];
}

/* ---- calls ---- */

static bool is_test(const vef_otf2_step *step) {
    return step->kind == VEF_OTF2_STEP_COMPLETE &&
           (step->call == VEF_CALL_Test || step->call == VEF_CALL_Testall ||
            step->call == VEF_CALL_Testany || step->call == VEF_CALL_Testsome);
}

bool vef_otf2_walk_completes(const vef_otf2_restored *task, size_t i) {
    const vef_otf2_step *step = &task->steps[i];
    return step->kind == VEF_OTF2_STEP_COMPLETE &&
           !(is_test(step) && i + 1 < task->step_count && is_test(step + 1));
}

bool vef_otf2_walk_is_for_one(uint16_t call) {
    return call == VEF_CALL_Wait || call == VEF_CALL_Waitany || call == VEF_CALL_Test ||
           call == VEF_CALL_Testany;
}

static bool starts(const vef_otf2_step *step) {
    return step->kind == VEF_OTF2_STEP_START_SEND || step->kind == VEF_OTF2_STEP_START_RECEIVE;
}

static bool sends(const vef_otf2_step *step) {
    return step->kind == VEF_OTF2_STEP_SEND || step->kind == VEF_OTF2_STEP_START_SEND;
}

/* ---- preparation ---- */

/* The requests, and which call is due to complete each. */
static void prepare_requests(vef_otf2_walk *at) {
    const vef_otf2_restored *task = at->task;
    vef_map64 at_address = {0};
    size_t last = VEF_OTF2_NONE, count = 0;
    for (size_t i = 0; i < task->step_count; i++) {
        const vef_otf2_step *step = &task->steps[i];
        at->first_due[i] = VEF_OTF2_NONE;
        if (vef_otf2_walk_completes(task, i))
            last = i;
        if (!starts(step))
            continue;
        const uint64_t *former = vef_map64_get(&at_address, step->address);
        if (former && last != VEF_OTF2_NONE && last > at->requests[*former].started) {
            at->requests[*former].due = last;
            at->requests[*former].next_due = at->first_due[last];
            at->first_due[last] = *former;
        }
        at->requests[count] =
            (vef_otf2_request){.started = i,
                               .due = VEF_OTF2_NONE,
                               .next_due = VEF_OTF2_NONE,
                               .receive = step->kind == VEF_OTF2_STEP_START_RECEIVE};
        at->wanted += at->requests[count].receive;
        vef_map64_set(&at_address, step->address, count++);
    }
    vef_map64_free(&at_address);
    size_t next_all = VEF_OTF2_NONE;
    for (size_t i = task->step_count; i-- > 0;) {
        at->next_all[i] = next_all;
        if (vef_otf2_walk_completes(task, i) && !vef_otf2_walk_is_for_one(task->steps[i].call))
            next_all = i;
    }
}

static int by_channel(const void *a, const void *b, void *with) {
    const vef_otf2_walk *at = with;
    const size_t i = *(const size_t *)a, j = *(const size_t *)b;
    const vef_otf2_message *left = message_of(at, i), *right = message_of(at, j);
    if (left->sender != right->sender)
        return left->sender < right->sender ? -1 : 1;
    if (left->comm != right->comm)
        return left->comm < right->comm ? -1 : 1;
    if (left->tag != right->tag)
        return left->tag < right->tag ? -1 : 1;
    return (i > j) - (i < j);
}

static void prepare_senders(vef_otf2_walk *at) {
    for (size_t i = 0; i < at->count; i++) {
        const uint32_t task = message_of(at, i)->sender;
        vef_otf2_sender *last = at->sender_count ? &at->senders[at->sender_count - 1] : NULL;
        if (!last || last->task != task) {
            vef_map64_set(&at->sender_of, task, at->sender_count);
            last = &at->senders[at->sender_count++];
            *last = (vef_otf2_sender){.task = task, .next = i};
        }
        last->end = i + 1;
        last->total++;
        at->sorted[i] = i;
    }
    qsort_r(at->sorted, at->count, sizeof *at->sorted, by_channel, at);
    for (size_t i = 0; i < at->count; i++) {
        const vef_otf2_message *message = message_of(at, at->sorted[i]);
        const vef_otf2_message *former = i ? message_of(at, at->sorted[i - 1]) : NULL;
        if (!former || former->sender != message->sender || former->comm != message->comm ||
            former->tag != message->tag)
            at->channels[at->channel_count++] = (vef_otf2_channel){.first = i, .next = i};
        at->channels[at->channel_count - 1].count++;
        at->channel_of[at->sorted[i]] = at->channel_count - 1;
    }
}

vef_otf2_channel *vef_otf2_walk_channel(const vef_otf2_walk *at, const vef_otf2_step *step) {
    if (step->kind != VEF_OTF2_STEP_RECEIVE)
        return NULL;
    size_t low = 0, high = at->channel_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const vef_otf2_message *with = message_of(at, at->sorted[at->channels[middle].first]);
        const bool below = with->sender != step->sender ? with->sender < step->sender
                           : with->comm != step->comm   ? with->comm < step->comm
                                                        : with->tag < step->tag;
        if (!below && with->sender == step->sender && with->comm == step->comm &&
            with->tag == step->tag)
            return &at->channels[middle];
        if (below)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static void prepare_stated(vef_otf2_walk *at) {
    const vef_otf2_restored *task = at->task;
    size_t total = 0;
    for (size_t i = 0; i < task->step_count; i++) {
        vef_otf2_channel *found = vef_otf2_walk_channel(at, &task->steps[i]);
        if (found)
            found->stated++;
    }
    for (size_t i = 0; i < at->channel_count; i++) {
        at->channels[i].first_limit = total;
        total += at->channels[i].stated;
    }
    at->free[at->count] = at->count;
    for (size_t i = at->count; i-- > 0;) {
        const vef_otf2_channel *of = &at->channels[at->channel_of[i]];
        at->free[i] = of->count > of->stated ? i : at->free[i + 1];
    }
}

static void prepare_shares(vef_otf2_walk *at) {
    uint64_t spare = 0;
    for (size_t i = 0; i < at->channel_count; i++)
        if (at->channels[i].count > at->channels[i].stated)
            spare += at->channels[i].count - at->channels[i].stated;
    at->nowhere.total = at->wanted > spare ? at->wanted - spare : 0;
}

vef_otf2_sender *vef_otf2_walk_partner(vef_otf2_walk *at, const vef_otf2_step *step) {
    if (!sends(step))
        return NULL;
    if (step->message == VEF_OTF2_NO_MESSAGE)
        return &at->nowhere;
    const uint64_t *place =
        vef_map64_get(&at->sender_of, at->self->messages[step->message].receiver);
    return place ? &at->senders[*place] : NULL;
}

/* ---- choosing a message ---- */

/* Whether the message was possibly sent before the task's clock showed `until_ns`. */
static bool possibly_sent(const vef_otf2_walk *at, size_t place, uint64_t until_ns) {
    const vef_otf2_message *message = message_of(at, place);
    const vef_otf2_clock *from = &at->clocks[message->sender], *here = &at->clocks[at->number];
    return until_ns == UINT64_MAX || message->sender == at->number ||
           from->highest >= VEF_OTF2_CLOCK_FREE || here->lowest <= -VEF_OTF2_CLOCK_FREE ||
           (int64_t)message->sent_ns - from->highest <= (int64_t)until_ns - here->lowest;
}

static bool may_take(const vef_otf2_walk *at, size_t place, vef_otf2_wish wish) {
    const vef_otf2_channel *of = &at->channels[at->channel_of[place]];
    const bool risky = wish == VEF_OTF2_WISH_RISKY || wish == VEF_OTF2_WISH_SENT_RISKY;
    if (at->taken[place] || of->taken + of->stated >= of->count ||
        ((at->ways & VEF_OTF2_IN_ORDER) && of->posted > at->posted))
        return false;
    const size_t left = of->first + of->stated_seen + of->taken + 1; /* for the next stated one */
    if (of->stated_seen == of->stated || at->sent[at->mine[at->sorted[left]]])
        return true;
    /* Below zero the clocks contradict the stated receives themselves. */
    const int64_t limit = at->limits[of->first_limit + of->stated_seen];
    return risky && (limit < 0 || (int64_t)of->taken < limit);
}

/* The next message of the sender that a receive may take; VEF_OTF2_NONE: there is none. */
static size_t next_of(vef_otf2_walk *at, vef_otf2_sender *from, uint64_t until_ns,
                      vef_otf2_wish wish) {
    from->next = at->free[from->next];
    while (from->next < from->end && at->taken[from->next])
        from->next = at->free[from->next + 1];
    const bool only_sent = wish == VEF_OTF2_WISH_SENT || wish == VEF_OTF2_WISH_SENT_RISKY;
    int looks = MOST_LOOKS;
    for (size_t i = from->next; i < from->end && looks-- > 0; i = at->free[i + 1]) {
        if (!possibly_sent(at, i, until_ns) || (only_sent && !at->sent[at->mine[i]]))
            break;
        if (may_take(at, i, wish))
            return i;
    }
    return VEF_OTF2_NONE;
}

/* How many messages the sender is behind its share. */
static double behind(const vef_otf2_walk *at, const vef_otf2_sender *from) {
    const double share = from->sent_all
                             ? (double)from->sent / (double)from->sent_all
                             : (double)at->received / (double)(at->count ? at->count : 1);
    return floor(share * (double)from->total - (double)from->received + 0.5);
}

/* A sender that may be taken next. */
typedef struct candidate {
    size_t sender, place;
    double lag;
    bool partner; /* the task sends to it */
    bool shared;  /* stated receives could get its message, too */
    int64_t first,
        last;       /* when its message was sent by the clock of task 0, at the earliest and latest
                     */
    uint64_t since; /* the task's receives when it last got one of this sender */
} candidate;

static candidate candidate_of(const vef_otf2_walk *at, size_t number, size_t place) {
    const vef_otf2_sender *from = &at->senders[number];
    const vef_otf2_message *message = message_of(at, place);
    const vef_otf2_clock *clock = &at->clocks[message->sender];
    const int64_t sent = (int64_t)message->sent_ns;
    return (candidate){.sender = number,
                       .place = place,
                       .lag = behind(at, from),
                       .partner = from->sent_all > 0,
                       .shared = at->channels[at->channel_of[place]].stated > 0,
                       .first = clock->highest < VEF_OTF2_CLOCK_FREE ? sent - clock->highest
                                                                     : -VEF_OTF2_CLOCK_FREE,
                       .last = clock->lowest > -VEF_OTF2_CLOCK_FREE ? sent - clock->lowest
                                                                    : VEF_OTF2_CLOCK_FREE,
                       .since = from->last_received};
}

static bool is_before(const candidate *one, const candidate *other, unsigned ways) {
    const bool apart = one->last < other->first || other->last < one->first;
    if ((ways & VEF_OTF2_SHARED) && one->shared != other->shared)
        return one->shared;
    if ((ways & VEF_OTF2_BY_TIME) && apart)
        return one->last < other->first;
    if (one->lag > other->lag || one->lag < other->lag)
        return one->lag > other->lag;
    if (apart)
        return one->last < other->first;
    if (one->partner != other->partner)
        return one->partner;
    return one->since < other->since;
}

static bool is_nowhere_before(const vef_otf2_walk *at, const candidate *other) {
    const double lag = behind(at, &at->nowhere);
    return lag > other->lag || (lag >= other->lag && at->nowhere.sent_all > 0);
}

bool vef_otf2_walk_choose(vef_otf2_walk *at, uint64_t until_ns, vef_otf2_wish wish,
                          vef_otf2_choice *choice) {
    candidate best = {.place = VEF_OTF2_NONE};
    size_t found = 0;
    for (size_t i = 0; i < at->sender_count; i++) {
        const size_t place = next_of(at, &at->senders[i], until_ns, wish);
        if (place == VEF_OTF2_NONE)
            continue;
        const candidate one = candidate_of(at, i, place);
        if (found++ == 0 || is_before(&one, &best, at->ways))
            best = one;
    }
    *choice = (vef_otf2_choice){.sender = best.sender, .place = best.place};
    if (at->nowhere.received < at->nowhere.total && (found++ == 0 || is_nowhere_before(at, &best)))
        *choice = (vef_otf2_choice){.sender = VEF_OTF2_NONE, .place = VEF_OTF2_NONE};
    choice->alone = found == 1;
    return found > 0;
}

void vef_otf2_walk_limit(vef_otf2_walk *at, const vef_otf2_clock *clocks) {
    const vef_otf2_restored *task = at->task;
    at->clocks = clocks;
    for (size_t i = 0; i < task->step_count; i++) {
        const vef_otf2_step *step = &task->steps[i];
        vef_otf2_channel *found = vef_otf2_walk_channel(at, step);
        if (!found)
            continue;
        while (found->next < found->first + found->count &&
               possibly_sent(at, at->sorted[found->next], step->at_ns))
            found->next++;
        int64_t *limit = &at->limits[found->first_limit + found->stated_seen++];
        *limit = (int64_t)(found->next - found->first) - (int64_t)found->stated_seen;
    }
    for (size_t i = 0; i < at->channel_count; i++) {
        vef_otf2_channel *of = &at->channels[i];
        int64_t *limits = at->limits + of->first_limit;
        for (size_t j = of->stated; j-- > 1;)
            if (limits[j - 1] > limits[j])
                limits[j - 1] = limits[j];
        of->next = of->first;
        of->stated_seen = 0;
    }
}

/* ---- memory ---- */

static void allocate(vef_otf2_walk *at) {
    vef_otf2_restored *task = at->task;
    const size_t steps = task->step_count + 1, messages = at->count + 1;
    size_t requests = 1;
    for (size_t i = 0; i < task->step_count; i++)
        requests += starts(&task->steps[i]);
    task->request_count = requests - 1;
    task->ends = vef_calloc(steps, sizeof *task->ends);
    task->messages = vef_malloc(requests * sizeof *task->messages);
    task->nowhere = vef_calloc(requests, sizeof *task->nowhere);
    at->taken = vef_calloc(messages, sizeof *at->taken);
    at->sorted = vef_calloc(messages, sizeof *at->sorted);
    at->channel_of = vef_calloc(messages, sizeof *at->channel_of);
    at->free = vef_calloc(messages, sizeof *at->free);
    at->channels = vef_calloc(messages, sizeof *at->channels);
    at->senders = vef_calloc(messages, sizeof *at->senders);
    at->limits = vef_calloc(steps, sizeof *at->limits);
    at->first_due = vef_calloc(steps, sizeof *at->first_due);
    at->next_all = vef_calloc(steps, sizeof *at->next_all);
    at->requests = vef_calloc(requests, sizeof *at->requests);
    at->receives = vef_calloc(requests, sizeof *at->receives);
    at->sends = vef_calloc(requests, sizeof *at->sends);
    for (size_t i = 0; i < requests; i++)
        task->messages[i] = VEF_OTF2_NO_MESSAGE;
}

void vef_otf2_walk_release(vef_otf2_walk *at) {
    vef_map64_free(&at->sender_of);
    free(at->taken);
    free(at->sorted);
    free(at->channel_of);
    free(at->free);
    free(at->channels);
    free(at->senders);
    free(at->limits);
    free(at->first_due);
    free(at->next_all);
    free(at->requests);
    free(at->receives);
    free(at->sends);
}

void vef_otf2_walk_begin(vef_otf2_walk *at, vef_otf2_restore *self, uint32_t task,
                         const size_t *mine, size_t count) {
    *at = (vef_otf2_walk){.self = self,
                          .task = &self->tasks[task],
                          .number = task,
                          .mine = mine,
                          .count = count,
                          .awaited = VEF_OTF2_NO_MESSAGE};
    allocate(at);
    prepare_requests(at);
    prepare_senders(at);
    prepare_stated(at);
    prepare_shares(at);
    for (size_t i = 0; i < at->task->step_count; i++) {
        vef_otf2_sender *partner = vef_otf2_walk_partner(at, &at->task->steps[i]);
        if (partner)
            partner->sent_all++;
    }
}
