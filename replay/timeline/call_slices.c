/* Calls and regions as slices. See call_slices.h. */
#include "replay/timeline/call_slices.h"

#include "common/containers/grow.h"
#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_LISTED = 2 };

void vef_call_title(uint16_t call, char title[VEF_CALL_TITLE_BYTES]) {
    snprintf(title, VEF_CALL_TITLE_BYTES, "MPI_%s", vef_call_name(call));
}

const char *vef_call_group(const char *title) {
    static const char *const groups[VEF_KIND_COUNTED + 1] = {[VEF_KIND_PROBE] = "receive",
                                                             [VEF_KIND_COMPLETE] = "wait",
                                                             [VEF_KIND_COLLECTIVE] = "collective",
                                                             [VEF_KIND_ONE_SIDED] = "one-sided",
                                                             [VEF_KIND_SYNC] = "one-sided"};
    const int call = strncmp(title, "MPI_", 4) == 0 ? vef_call_find(title + 4) : -1;
    if (call < 0)
        return NULL;
    const vef_kind kind = vef_call_kind((uint16_t)call);
    if (kind == VEF_KIND_TRANSFER)
        return strstr(title, "ecv") && !strstr(title, "Send") ? "receive" : "send";
    return groups[kind] ? groups[kind] : "other call";
}

static size_t add(vef_timeline_argument *arguments, size_t count, const char *key,
                  uint64_t number) {
    arguments[count] = (vef_timeline_argument){.key = key, .number = number};
    return count + 1;
}

static size_t describe_operations(const vef_event *event, bool one_sided,
                                  vef_timeline_argument *arguments, size_t count) {
    uint64_t sent = 0, received = 0;
    for (uint32_t i = 0; i < event->operation_count; i++) {
        const vef_operation *operation = &event->operations[i];
        bool send = operation->flags & VEF_OP_SEND;
        *(send ? &sent : &received) += operation->bytes;
        if (event->operation_count <= MOST_LISTED && operation->peer != VEF_NO_TASK)
            count = add(arguments, count,
                        one_sided ? "target"
                        : send    ? "to"
                                  : "from",
                        (uint64_t)operation->peer);
    }
    if (event->operation_count > MOST_LISTED)
        count = add(arguments, count, "operations", event->operation_count);
    if (sent > 0 && received > 0)
        count = add(arguments, count, "bytes received", received);
    count = add(arguments, count, "bytes", sent > 0 ? sent : received);
    if (!one_sided && event->operation_count == 1)
        count = add(arguments, count, "tag", (uint64_t)event->operations->tag);
    if (event->operation_count > 0)
        count =
            add(arguments, count, one_sided ? "window" : "communicator", event->operations->comm);
    return count;
}

static size_t describe_collective(const vef_event *event, vef_timeline_argument *arguments,
                                  size_t count) {
    uint64_t bytes = event->bytes;
    for (uint32_t i = 0; i < event->send_count; i++)
        bytes += event->send_bytes[i];
    if (!vef_call_has(event->call, VEF_FACT_NO_DATA))
        count = add(arguments, count, "bytes", bytes);
    if (event->root >= 0)
        count = add(arguments, count, "root", (uint64_t)event->root);
    return add(arguments, count, "communicator", event->comm);
}

size_t vef_call_describe(const vef_event *event, uint64_t number, const vef_trace_header *trace,
                         vef_timeline_argument *arguments, char site[VEF_SITE_NAME_BYTES]) {
    size_t count = add(arguments, 0, "event", number);
    if (event->site > 0)
        arguments[count++] = (vef_timeline_argument){
            .key = "site", .text = vef_site_name(vef_trace_site(trace, event->site), site)};
    if (event->flags & VEF_EVENT_POLL)
        return add(arguments, count, "calls", event->repeats);
    switch (vef_call_kind(event->call)) {
    case VEF_KIND_TRANSFER:
    case VEF_KIND_PROBE:
        return describe_operations(event, false, arguments, count);
    case VEF_KIND_ONE_SIDED:
        return describe_operations(event, true, arguments, count);
    case VEF_KIND_COMPLETE:
        return add(arguments, count, "completed", event->completion_count);
    case VEF_KIND_COLLECTIVE:
        return describe_collective(event, arguments, count);
    case VEF_KIND_COMM:
        if (event->new_comm != VEF_NO_COMM)
            count = add(arguments, count, "new communicator", event->new_comm);
        return event->comm == VEF_NO_COMM ? count
                                          : add(arguments, count, "communicator", event->comm);
    case VEF_KIND_SYNC:
        return add(arguments, count, "window", event->comm);
    case VEF_KIND_LOCAL:
    case VEF_KIND_REGION:
    case VEF_KIND_AS:
    case VEF_KIND_COUNTED:
        break;
    }
    return count;
}

/* ---- regions ---- */

void vef_shown_regions_push(vef_shown_regions *regions, const char *name, bool written) {
    *VEF_NEW_ITEM(regions->open, regions->count, regions->room) =
        (vef_shown_region){vef_strdup(name), written};
}

size_t vef_shown_regions_find(const vef_shown_regions *regions, const char *name) {
    size_t place = regions->count;
    while (place > 0 && strcmp(regions->open[place - 1].name, name ? name : "") != 0)
        place--;
    return place;
}

void vef_shown_regions_pop(vef_shown_regions *regions) {
    free(regions->open[--regions->count].name);
}

void vef_shown_regions_free(vef_shown_regions *regions) {
    while (regions->count > 0)
        vef_shown_regions_pop(regions);
    free(regions->open);
}
