/* The walk through the calls of one task. See restore.h for the rules. */
#include "replay/formats/otf2/restore_task.h"

#include "common/grow.h"
#include "traces/call.h"

#include <stdlib.h>
#include <string.h>

#define NONE SIZE_MAX
#define EVER UINT64_MAX

/* A request of the task. */
typedef struct request {
    size_t started, due; /* steps; NONE: no call is due to complete it */
    size_t next_due;     /* another request that the same call is due to complete */
    bool receive, done;
} request;

/* The messages of a sender to the task. */
typedef struct sender {
    uint32_t task;
    size_t next, end; /* in `mine`: those before `next` are taken */
    uint64_t total;
    uint64_t received;       /* by receives that are not stated */
    uint64_t sent, sent_all; /* messages of the task to it: so far, and all */
} sender;

/* The messages of a sender with the same communicator and tag. */
typedef struct channel {
    size_t first, count, next; /* in `sorted` */
    size_t stated, stated_seen; /* receives that the archive states */
    size_t first_limit;         /* in `limits` */
    size_t taken;               /* by receives that are not stated */
} channel;

typedef struct walk {
    vef_otf2_restore *self;
    vef_otf2_restored *task;
    const size_t *mine;
    size_t count;
    bool *taken;         /* per message of `mine` */
    size_t *sorted;      /* places in `mine`, by channel */
    size_t *channel_of;  /* per message of `mine` */
    channel *channels;
    size_t channel_count;
    int64_t *limits; /* of the channels, per stated receive: how many messages others may have taken
                        before it */
    sender *senders;
    size_t sender_count;
    vef_map64 sender_of;   /* task → place in `senders` */
    sender nowhere;        /* MPI_PROC_NULL */
    request *requests;
    size_t *first_due, *next_all; /* per step */
    size_t *receives, *sends;     /* requests, in the order of their start */
    size_t receive_head, receive_end, send_head, send_end;
    uint64_t wanted, received; /* receives that are not stated: all, and complete */
} walk;

static const vef_otf2_message *message_of(const walk *at, size_t place) {
    return &at->self->messages[at->mine[place]];
}

/* ---- calls ---- */

static bool is_test(const vef_otf2_step *step) {
    return step->kind == VEF_OTF2_STEP_COMPLETE &&
           (step->call == VEF_CALL_Test || step->call == VEF_CALL_Testall ||
            step->call == VEF_CALL_Testany || step->call == VEF_CALL_Testsome);
}

/* Whether the call may complete something: not a test that is made again. */
static bool completes(const vef_otf2_restored *task, size_t i) {
    const vef_otf2_step *step = &task->steps[i];
    return step->kind == VEF_OTF2_STEP_COMPLETE &&
           !(is_test(step) && i + 1 < task->step_count && is_test(step + 1));
}

static bool is_for_one(uint16_t call) {
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
static vef_code prepare_requests(walk *at, vef_error *error) {
    const vef_otf2_restored *task = at->task;
    vef_map64 at_address = {0};
    vef_code code = VEF_OK;
    size_t last = NONE, count = 0;
    for (size_t i = 0; i < task->step_count && !code; i++) {
        const vef_otf2_step *step = &task->steps[i];
        at->first_due[i] = NONE;
        if (completes(task, i))
            last = i;
        if (!starts(step))
            continue;
        const uint64_t *former = vef_map64_get(&at_address, step->address);
        if (former && last != NONE && last > at->requests[*former].started) {
            at->requests[*former].due = last;
            at->requests[*former].next_due = at->first_due[last];
            at->first_due[last] = *former;
        }
        at->requests[count] = (request){.started = i,
                                        .due = NONE,
                                        .next_due = NONE,
                                        .receive = step->kind == VEF_OTF2_STEP_START_RECEIVE};
        at->wanted += at->requests[count].receive;
        if (!vef_map64_set(&at_address, step->address, count++))
            code = vef_fail_memory(error, "requests", vef_map64_bytes(&at_address));
    }
    vef_map64_free(&at_address);
    size_t next_all = NONE;
    for (size_t i = task->step_count; i-- > 0;) {
        at->next_all[i] = next_all;
        if (completes(task, i) && !is_for_one(task->steps[i].call))
            next_all = i;
    }
    return code;
}

static int by_channel(const void *a, const void *b, void *with) {
    const walk *at = with;
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

static vef_code prepare_senders(walk *at, vef_error *error) {
    for (size_t i = 0; i < at->count; i++) {
        const uint32_t task = message_of(at, i)->sender;
        sender *last = at->sender_count ? &at->senders[at->sender_count - 1] : NULL;
        if (!last || last->task != task) {
            if (!vef_map64_set(&at->sender_of, task, at->sender_count))
                return vef_fail_memory(error, "senders", vef_map64_bytes(&at->sender_of));
            last = &at->senders[at->sender_count++];
            *last = (sender){.task = task, .next = i};
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
            at->channels[at->channel_count++] = (channel){.first = i, .next = i};
        at->channels[at->channel_count - 1].count++;
        at->channel_of[at->sorted[i]] = at->channel_count - 1;
    }
    return VEF_OK;
}

/* The channel of a stated receive; NULL: nothing was sent there. */
static channel *find_channel(const walk *at, const vef_otf2_step *step) {
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

/* How many messages of a channel other receives may take before each stated one, so that a message
 * is left for it that was sent in time. */
static void prepare_limits(walk *at) {
    const vef_otf2_restored *task = at->task;
    size_t total = 0;
    for (size_t i = 0; i < task->step_count; i++) {
        channel *found =
            task->steps[i].kind == VEF_OTF2_STEP_RECEIVE ? find_channel(at, &task->steps[i]) : NULL;
        if (found)
            found->stated++;
    }
    for (size_t i = 0; i < at->channel_count; i++) {
        at->channels[i].first_limit = total;
        total += at->channels[i].stated;
    }
    for (size_t i = 0; i < task->step_count; i++) {
        const vef_otf2_step *step = &task->steps[i];
        channel *found = step->kind == VEF_OTF2_STEP_RECEIVE ? find_channel(at, step) : NULL;
        if (!found)
            continue;
        while (found->next < found->first + found->count &&
               message_of(at, at->sorted[found->next])->sent_ns <= step->at_ns)
            found->next++;
        int64_t *limit = &at->limits[found->first_limit + found->stated_seen++];
        *limit = (int64_t)(found->next - found->first) - (int64_t)found->stated_seen;
    }
    for (size_t i = 0; i < at->channel_count; i++) {
        channel *of = &at->channels[i];
        int64_t *limits = at->limits + of->first_limit;
        for (size_t j = of->stated; j-- > 1;)
            if (limits[j - 1] > limits[j])
                limits[j - 1] = limits[j];
        of->next = of->first;
        of->stated_seen = 0;
    }
}

static void prepare_shares(walk *at) {
    uint64_t spare = 0;
    for (size_t i = 0; i < at->channel_count; i++)
        if (at->channels[i].count > at->channels[i].stated)
            spare += at->channels[i].count - at->channels[i].stated;
    at->nowhere.total = at->wanted > spare ? at->wanted - spare : 0;
}

/* The sender that a message of the task goes to, as one to the task. */
static sender *partner_of(walk *at, const vef_otf2_step *step) {
    if (!sends(step))
        return NULL;
    if (step->message == VEF_OTF2_NO_MESSAGE)
        return &at->nowhere;
    const uint64_t *place =
        vef_map64_get(&at->sender_of, at->self->messages[step->message].receiver);
    return place ? &at->senders[*place] : NULL;
}

/* ---- choosing a message ---- */

static bool may_take(const walk *at, size_t place, uint64_t until_ns) {
    const channel *of = &at->channels[at->channel_of[place]];
    if (at->taken[place] || message_of(at, place)->sent_ns > until_ns ||
        of->taken + of->stated >= of->count)
        return false;
    if (of->stated_seen == of->stated)
        return true;
    /* Below zero the clocks contradict the stated receives themselves. */
    const int64_t limit = at->limits[of->first_limit + of->stated_seen];
    return limit < 0 || (int64_t)of->taken < limit;
}

/* The next message of the sender that a receive may take; NONE: there is none. */
static size_t next_of(walk *at, sender *from, uint64_t until_ns) {
    while (from->next < from->end && at->taken[from->next])
        from->next++;
    for (size_t i = from->next; i < from->end; i++)
        if (may_take(at, i, until_ns))
            return i;
        else if (until_ns != EVER && message_of(at, i)->sent_ns > until_ns)
            return NONE;
    return NONE;
}

/* How many messages the sender is behind its share. */
static double behind(const walk *at, const sender *from) {
    const double share = from->sent_all
                             ? (double)from->sent / (double)from->sent_all
                             : (double)at->received / (double)(at->wanted ? at->wanted : 1);
    return share * (double)from->total - (double)from->received;
}

typedef struct choice {
    sender *from;
    size_t place; /* NONE: MPI_PROC_NULL */
} choice;

static bool choose(walk *at, uint64_t until_ns, choice *best) {
    double most = 0;
    uint64_t sent_ns = 0;
    size_t found = 0;
    for (size_t i = 0; i < at->sender_count; i++) {
        const size_t place = next_of(at, &at->senders[i], until_ns);
        if (place == NONE)
            continue;
        const double lag = behind(at, &at->senders[i]);
        const uint64_t at_ns = message_of(at, place)->sent_ns;
        if (found++ == 0 || lag > most || (lag >= most && at_ns < sent_ns)) {
            *best = (choice){&at->senders[i], place};
            most = lag;
            sent_ns = at_ns;
        }
    }
    if (at->nowhere.received < at->nowhere.total &&
        (found++ == 0 || behind(at, &at->nowhere) > most))
        *best = (choice){&at->nowhere, NONE};
    at->self->choices += found > 1;
    return found > 0;
}

/* ---- completing ---- */

static vef_code complete(walk *at, size_t number, uint64_t message, vef_error *error) {
    vef_otf2_restored *task = at->task;
    vef_code code = vef_grow_for(&task->list, &task->room, task->count + 1, sizeof *task->list,
                                 "completions", error);
    if (code)
        return code;
    task->list[task->count++] = (vef_otf2_completed){number, message};
    task->messages[number] = message;
    at->requests[number].done = true;
    return VEF_OK;
}

/* `*done`: a message was there for the receive. */
static vef_code complete_receive(walk *at, size_t number, uint64_t until_ns, bool *done,
                                 vef_error *error) {
    choice chosen = {NULL, NONE};
    *done = choose(at, until_ns, &chosen);
    if (!*done || !chosen.from)
        return VEF_OK;
    chosen.from->received++;
    at->received++;
    if (chosen.place == NONE) {
        at->self->nowhere++;
        at->task->nowhere[number] = true;
        return complete(at, number, VEF_OTF2_NO_MESSAGE, error);
    }
    at->self->receives++;
    at->taken[chosen.place] = true;
    at->channels[at->channel_of[chosen.place]].taken++;
    return complete(at, number, at->mine[chosen.place], error);
}

static size_t oldest(walk *at, const size_t *list, size_t *head, size_t end) {
    while (*head < end && at->requests[list[*head]].done)
        ++*head;
    return *head < end ? list[*head] : NONE;
}

/* One of the requests that the call is due to complete. */
static vef_code complete_due(walk *at, size_t step, uint64_t until_ns, bool *done,
                             vef_error *error) {
    vef_code code = VEF_OK;
    for (size_t i = at->first_due[step]; i != NONE && !*done && !code;
         i = at->requests[i].next_due) {
        if (at->requests[i].done)
            continue;
        if (at->requests[i].receive) {
            code = complete_receive(at, i, until_ns, done, error);
        } else {
            code = complete(at, i, VEF_OTF2_NO_MESSAGE, error);
            *done = true;
        }
    }
    return code;
}

static vef_code complete_one(walk *at, size_t step, vef_error *error) {
    const vef_otf2_step *call = &at->task->steps[step];
    bool done = false;
    vef_code code = complete_due(at, step, call->at_ns, &done, error);
    const size_t receive = oldest(at, at->receives, &at->receive_head, at->receive_end);
    const size_t send = oldest(at, at->sends, &at->send_head, at->send_end);
    if (!code && !done && receive != NONE)
        code = complete_receive(at, receive, call->at_ns, &done, error);
    if (code || done)
        return code;
    const size_t later = at->next_all[step];
    if (send != NONE && (call->call == VEF_CALL_Wait || later == NONE ||
                         (at->requests[send].due != NONE && later > at->requests[send].due)))
        return complete(at, send, VEF_OTF2_NO_MESSAGE, error);
    /* An MPI_Wait does complete one. */
    if (send != NONE || receive == NONE || call->call != VEF_CALL_Wait ||
        at->requests[receive].due != step)
        return VEF_OK;
    code = complete_receive(at, receive, EVER, &done, error);
    at->self->early += done;
    return code;
}

static vef_code complete_all(walk *at, size_t step, vef_error *error) {
    const vef_otf2_step *call = &at->task->steps[step];
    vef_code code = VEF_OK;
    bool there = true, done;
    oldest(at, at->receives, &at->receive_head, at->receive_end);
    oldest(at, at->sends, &at->send_head, at->send_end);
    for (size_t i = at->receive_head; i < at->receive_end && there && !code; i++)
        if (!at->requests[at->receives[i]].done)
            code = complete_receive(at, at->receives[i], call->at_ns, &there, error);
    for (size_t i = at->receive_head; i < at->receive_end && !code; i++) {
        const size_t number = at->receives[i];
        if (at->requests[number].done || at->requests[number].due != step ||
            call->call != VEF_CALL_Waitall)
            continue;
        code = complete_receive(at, number, EVER, &done, error);
        at->self->early += done;
    }
    for (size_t i = at->send_head; i < at->send_end && !code; i++)
        if (!at->requests[at->sends[i]].done)
            code = complete(at, at->sends[i], VEF_OTF2_NO_MESSAGE, error);
    return code;
}

/* ---- the walk ---- */

static void take_stated(walk *at, vef_otf2_step *step) {
    channel *found = find_channel(at, step);
    step->message = VEF_OTF2_NO_MESSAGE;
    if (!found)
        return;
    found->stated_seen++;
    while (found->next < found->first + found->count && at->taken[at->sorted[found->next]])
        found->next++;
    if (found->next < found->first + found->count) {
        at->taken[at->sorted[found->next]] = true;
        step->message = at->mine[at->sorted[found->next]];
    }
}

static vef_code take_steps(walk *at, vef_error *error) {
    vef_otf2_restored *task = at->task;
    vef_code code = VEF_OK;
    size_t count = 0;
    for (size_t i = 0; i < task->step_count && !code; i++) {
        vef_otf2_step *step = &task->steps[i];
        sender *partner = partner_of(at, step);
        if (partner)
            partner->sent++;
        if (step->kind == VEF_OTF2_STEP_RECEIVE)
            take_stated(at, step);
        if (starts(step)) {
            task->nowhere[count] = sends(step) && step->message == VEF_OTF2_NO_MESSAGE;
            if (sends(step))
                at->sends[at->send_end++] = count;
            else
                at->receives[at->receive_end++] = count;
            count++;
        }
        if (completes(task, i))
            code = is_for_one(step->call) ? complete_one(at, i, error) : complete_all(at, i, error);
        if (step->kind == VEF_OTF2_STEP_COMPLETE)
            task->ends[task->call_count++] = task->count;
    }
    for (size_t i = 0; i < at->receive_end; i++)
        at->self->open += !at->requests[at->receives[i]].done;
    return code;
}

static vef_code allocate(walk *at, vef_error *error) {
    vef_otf2_restored *task = at->task;
    const size_t steps = task->step_count + 1, messages = at->count + 1;
    size_t requests = 1;
    for (size_t i = 0; i < task->step_count; i++)
        requests += starts(&task->steps[i]);
    task->request_count = requests - 1;
    task->ends = calloc(steps, sizeof *task->ends);
    task->messages = malloc(requests * sizeof *task->messages);
    task->nowhere = calloc(requests, sizeof *task->nowhere);
    at->taken = calloc(messages, sizeof *at->taken);
    at->sorted = calloc(messages, sizeof *at->sorted);
    at->channel_of = calloc(messages, sizeof *at->channel_of);
    at->channels = calloc(messages, sizeof *at->channels);
    at->senders = calloc(messages, sizeof *at->senders);
    at->limits = calloc(steps, sizeof *at->limits);
    at->first_due = calloc(steps, sizeof *at->first_due);
    at->next_all = calloc(steps, sizeof *at->next_all);
    at->requests = calloc(requests, sizeof *at->requests);
    at->receives = calloc(requests, sizeof *at->receives);
    at->sends = calloc(requests, sizeof *at->sends);
    if (!task->ends || !task->messages || !task->nowhere || !at->taken || !at->sorted ||
        !at->channel_of || !at->channels || !at->senders || !at->limits || !at->first_due ||
        !at->next_all || !at->requests || !at->receives || !at->sends)
        return vef_fail_memory(error, "requests", (steps + messages + requests) * sizeof(size_t));
    for (size_t i = 0; i < requests; i++)
        task->messages[i] = VEF_OTF2_NO_MESSAGE;
    return VEF_OK;
}

static void release(walk *at) {
    vef_map64_free(&at->sender_of);
    free(at->taken);
    free(at->sorted);
    free(at->channel_of);
    free(at->channels);
    free(at->senders);
    free(at->limits);
    free(at->first_due);
    free(at->next_all);
    free(at->requests);
    free(at->receives);
    free(at->sends);
}

vef_code vef_otf2_restore_task(vef_otf2_restore *self, uint32_t task, const size_t *mine,
                               size_t count, vef_error *error) {
    walk at = {.self = self, .task = &self->tasks[task], .mine = mine, .count = count};
    vef_code code = allocate(&at, error);
    code = code ? code : prepare_requests(&at, error);
    code = code ? code : prepare_senders(&at, error);
    if (!code) {
        prepare_limits(&at);
        prepare_shares(&at);
        for (size_t i = 0; i < at.task->step_count; i++) {
            sender *partner = partner_of(&at, &at.task->steps[i]);
            if (partner)
                partner->sent_all++;
        }
        code = take_steps(&at, error);
    }
    release(&at);
    return code;
}
