/* The order of a task's events without ticks: see thread_order.h. */
#include "traces/file/thread_order.h"

void vef_thread_order_clear(vef_thread_order *order) {
    vef_map64_clear(&order->requests);
}

void vef_thread_order_release(vef_thread_order *order) {
    vef_map64_free(&order->requests);
    *order = (vef_thread_order){0};
}

bool vef_thread_order_has_ticks(const vef_event *event) {
    return event->entered || event->left || event->flags & VEF_EVENT_OPEN;
}

/* Whether an event, the next of its thread, may be processed now. Events with ticks always may. */
static bool is_ready(const vef_thread_order *order, const vef_event *event) {
    if (vef_thread_order_has_ticks(event))
        return true;
    for (uint32_t i = 0; i < event->completion_count; i++) {
        const uint64_t *released = vef_map64_get(&order->requests, event->completions[i].request);
        if (!released || !*released)
            return false;
    }
    return !vef_call_names_request(event->call) ||
           vef_map64_get(&order->requests, (uint64_t)event->argument);
}

bool vef_thread_order_precedes(const vef_thread_order *order, const vef_event *a,
                               const vef_event *b) {
    const bool ready[] = {is_ready(order, a), is_ready(order, b)};
    return ready[0] != ready[1] ? ready[0] : a->entered < b->entered;
}

static bool needs_release(const vef_operation *operation) {
    return operation->flags & VEF_OP_GENERALISED ||
           (operation->flags & VEF_OP_PARTITIONED && operation->flags & VEF_OP_SEND);
}

void vef_thread_order_take(vef_thread_order *order, const vef_event *event) {
    if (vef_thread_order_has_ticks(event))
        return;
    for (uint32_t i = 0; i < event->operation_count; i++)
        if (event->operations[i].request != VEF_NO_REQUEST)
            vef_map64_set(&order->requests, event->operations[i].request,
                          !needs_release(&event->operations[i]));
    if (vef_event_starts_request(event) && event->request != VEF_NO_REQUEST)
        vef_map64_set(&order->requests, event->request, 1);
    if (vef_event_releases(event))
        vef_map64_set(&order->requests, (uint64_t)event->argument, 1);
}
