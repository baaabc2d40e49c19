/* See random_events.h. */
#include "tests/traces/random_events.h"

/* Mostly small, sometimes anything. */
static uint64_t number(vef_rng *rng) {
    uint64_t bits = vef_rng_next(rng);
    switch (vef_rng_below(rng, 4)) {
    case 0:
        return bits & 1;
    case 1:
        return bits & 0xff;
    case 2:
        return bits & 0xffffff;
    default:
        return bits >> (1 + vef_rng_below(rng, 63)); /* MPI's counts are signed */
    }
}

static bool once_in(vef_rng *rng, uint32_t n) {
    return vef_rng_below(rng, n) == 0;
}

static void operation(random_task *task, vef_operation *op) {
    vef_rng *rng = &task->rng;
    op->flags = (uint16_t)(vef_rng_next(rng) & 0x7ff);
    op->peer = (int32_t)vef_rng_below(rng, task->tasks + 1) - 1;
    if (task->log && once_in(rng, 5))
        op->peer = VEF_ANY_SOURCE;
    op->tag = (int32_t)vef_rng_next(rng) >> vef_rng_below(rng, 32);
    op->comm = vef_rng_below(rng, task->comms);
    op->bytes = number(rng);
    op->ordinal = once_in(rng, 3) ? VEF_NO_ORDINAL : number(rng) >> 1;
    op->request = VEF_NO_REQUEST;
    if (once_in(rng, 2))
        op->request = task->started++;
    else if (task->started > 0 && once_in(rng, 10)) /* an odd one: an earlier number again */
        op->request = vef_rng_next(rng) % task->started;
}

static void completions(random_task *task) {
    vef_rng *rng = &task->rng;
    uint32_t count = task->started ? vef_rng_below(rng, RANDOM_LIST) : 0;
    uint64_t request = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool run = i > 0 && request + 1 < task->started && !once_in(rng, 4);
        request = run ? request + 1 : vef_rng_next(rng) % task->started;
        bool has_source = task->log && once_in(rng, 2);
        task->completions[i] =
            (vef_completion){request, once_in(rng, 9),
                             has_source ? (int32_t)vef_rng_below(rng, task->tasks) : VEF_NO_TASK,
                             has_source ? (int32_t)number(rng) : 0, has_source ? number(rng) : 0};
    }
    task->event.completion_count = count;
    task->event.completions = task->completions;
}

static void group(random_task *task) {
    vef_rng *rng = &task->rng;
    vef_event *event = &task->event;
    event->comm = 0;
    if (vef_call_kind(event->call) == VEF_KIND_COMM) {
        event->new_comm = once_in(rng, 3) ? VEF_NO_COMM : vef_rng_below(rng, task->comms);
        return;
    }
    event->root = (int32_t)vef_rng_below(rng, task->tasks + 3) - 3;
    event->bytes = number(rng);
    event->elements = number(rng);
    event->send_count = once_in(rng, 2) ? task->tasks : 0;
    event->receive_count = once_in(rng, 2) ? task->tasks : 0;
    for (uint32_t i = 0; i < task->tasks; i++) {
        task->sends[i] = number(rng);
        task->receives[i] = number(rng);
    }
    event->send_bytes = event->send_count ? task->sends : NULL;
    event->receive_bytes = event->receive_count ? task->receives : NULL;
}

static void synchronisation(random_task *task) {
    vef_rng *rng = &task->rng;
    vef_event *event = &task->event;
    event->comm = vef_rng_below(rng, task->comms);
    event->argument = once_in(rng, 2) ? 0 : (int64_t)(number(rng) >> 1);
    event->peer_count = once_in(rng, 2) ? vef_rng_below(rng, RANDOM_LIST) : 1;
    for (uint32_t i = 0; i < event->peer_count; i++)
        task->peers[i] = (int32_t)vef_rng_below(rng, task->tasks + 1) - 1;
    event->peers = task->peers;
}

static void fill(random_task *task) {
    static const char *const names[] = {"", "solve", "a \"b\" # c", "\\\n\t\x01",
                                        "\xff\xe2\x82\xac="};
    vef_rng *rng = &task->rng;
    vef_event *event = &task->event;
    switch (vef_call_kind(event->call)) {
    case VEF_KIND_TRANSFER:
    case VEF_KIND_PROBE:
        event->operation_count = vef_rng_below(rng, once_in(rng, 9) ? RANDOM_LIST : 3);
        if (vef_call_kind(event->call) == VEF_KIND_TRANSFER && event->call != VEF_CALL_Startall)
            event->operation_count++;
        for (uint32_t i = 0; i < event->operation_count; i++)
            operation(task, &task->operations[i]);
        event->operations = task->operations;
        break;
    case VEF_KIND_ONE_SIDED:
        event->operation_count = 1;
        event->operations = task->operations;
        operation(task, &task->operations[0]);
        task->operations[0].flags &= (uint16_t)~VEF_OP_SEND;
        break;
    case VEF_KIND_COMPLETE:
        completions(task);
        break;
    case VEF_KIND_COLLECTIVE:
    case VEF_KIND_COMM:
        group(task);
        break;
    case VEF_KIND_SYNC:
        synchronisation(task);
        break;
    case VEF_KIND_REGION:
        event->name = names[vef_rng_below(rng, sizeof names / sizeof *names)];
        break;
    case VEF_KIND_LOCAL:
    case VEF_KIND_AS:
    case VEF_KIND_COUNTED:
        event->argument = (int64_t)(number(rng) >> 1) * (once_in(rng, 2) ? 1 : -1);
        break;
    }
}

/* Now and then the event before comes again, with other times: that is what programs do. */
const vef_event *random_event(random_task *task) {
    vef_rng *rng = &task->rng;
    vef_event *event = &task->event;
    if (!event->call || !once_in(rng, 3) || event->operation_count || event->completion_count) {
        *event = (vef_event){
            .new_comm = VEF_NO_COMM, .root = -1, .comm = VEF_NO_COMM, .request = VEF_NO_REQUEST};
        do
            event->call = (uint16_t)vef_rng_below(rng, (uint32_t)vef_call_count());
        while (!vef_call_is_held(event->call));
        event->flags = (uint16_t)(vef_rng_next(rng) & 0x1ff);
        if (!task->log)
            event->flags &= (uint16_t)~VEF_EVENT_MUTED;
        fill(task);
        event->site = task->sites ? vef_rng_below(rng, task->sites + 1) : 0;
    }
    if (vef_event_starts_request(event))
        event->request =
            once_in(rng, 10) && task->started ? vef_rng_next(rng) % task->started : task->started++;
    /* Long runs without a gap in the ticks, then gaps, calls that take a while among them. */
    if (task->threads > 0) {
        bool gaps = task->ticks & 0x2000;
        event->thread = once_in(rng, 4) ? vef_rng_below(rng, task->threads) : 0;
        event->outside_ns = once_in(rng, 3) ? number(rng) : 0;
        task->ticks += gaps && once_in(rng, 2) ? number(rng) >> 40 : 0;
        event->entered = task->ticks;
        event->left = task->ticks + 1 + (gaps && once_in(rng, 5) ? number(rng) >> 8 : 0);
        task->ticks += 2;
    } else {
        event->entered = task->ticks++;
        event->left = task->ticks++;
    }
    event->gap_ns = number(rng);
    event->duration_ns = number(rng);
    event->repeats = event->flags & VEF_EVENT_POLL ? number(rng) : 1;
    event->series_ns = event->flags & VEF_EVENT_POLL && once_in(rng, 2) ? number(rng) : 0;
    return event;
}

random_task trace_task(uint64_t seed, uint32_t number, uint32_t tasks) {
    random_task task = {
        .rng = vef_rng_make(seed, VEF_RNG_TEST, number), .tasks = tasks, .comms = 2, .threads = 3};
    return task;
}
