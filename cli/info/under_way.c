/* The table of calls that tasks are in, or were in when they were killed. See
 * traces/format/under_way.h. */
#include "cli/info/view.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct sink {
    char *text;
    size_t room, used;
} sink;

static void __attribute__((format(printf, 2, 3))) put(sink *to, const char *format, ...) {
    va_list arguments;
    if (to->used >= to->room)
        return;
    va_start(arguments, format);
    int length = vsnprintf(to->text + to->used, to->room - to->used, format, arguments);
    va_end(arguments);
    to->used += length > 0 ? (size_t)length : 0;
}

/* One operation: "send to 3 (tag 7, comm 1)". */
static void put_waited(sink *to, const vef_waited *waited) {
    char name[80], comm[32] = "";
    if (waited->call)
        put(to, "%s ", vef_info_call_name(name, waited->call));
    if (waited->comm != VEF_NO_COMM && waited->comm != 0)
        snprintf(comm, sizeof comm, "comm %" PRIu32, waited->comm);
    if (waited->peer == VEF_NO_TASK) {
        put(to, "all of %s", *comm ? comm : waited->comm == 0 ? "the world" : "its communicator");
        return;
    }
    put(to, waited->flags & VEF_OP_SEND ? "to " : "from ");
    if (waited->peer == VEF_ANY_SOURCE)
        put(to, "any");
    else
        put(to, "%" PRId32, waited->peer);
    if (waited->tag != VEF_ANY_TAG)
        put(to, " tag %" PRId32, waited->tag);
    if (*comm)
        put(to, " %s", comm);
    if (waited->bytes > 0)
        put(to, " (%" PRIu64 " bytes)", waited->bytes);
}

/* At most `most` of the operations for which the call waits. */
static void put_all_waited(sink *to, const vef_under_way *work, uint32_t most) {
    uint32_t shown = vef_waited_shown(work) < most ? vef_waited_shown(work) : most;
    for (uint32_t i = 0; i < shown; i++) {
        put(to, i ? ", " : "");
        put_waited(to, &work->waited[i]);
    }
    if (work->waited_count > shown)
        put(to, ", and %" PRIu32 " more", work->waited_count - shown);
}

static void put_regions(sink *to, const vef_under_way *work) {
    for (uint32_t i = 0; i < vef_regions_shown(work); i++)
        put(to, "%s%s", i ? " > " : "", work->region[i]);
    if (work->region_count > VEF_REGIONS_SHOWN)
        put(to, " > …");
}

/* "exchange at solver.c:214 < main at solver.c:40", from the call outwards; of an inlined function
 * with its caller. What called main is of the C library. */
static void put_stack(sink *to, const vef_info_view *view, const vef_under_way *work,
                      uint32_t most) {
    char name[VEF_SITE_NAME_BYTES];
    for (uint32_t i = 0; i < work->stack_count && i < most; i++) {
        const vef_site *site = vef_trace_site(view->header, work->stack[i]);
        put(to, i ? " < " : "");
        if (site && *site->file && *site->function)
            put(to, "%s at ", site->function);
        put(to, "%s", vef_site_name(site, name));
        if (site && *site->caller)
            put(to, " < %s", site->caller);
        if (site && strcmp(site->function, "main") == 0)
            break;
    }
}

void vef_info_under_way(const vef_info_view *view, vef_result *into, const char *name,
                        size_t most) {
    enum { FEW_WAITED = 4, FEW_FRAMES = 6 };
    static const vef_column columns[] =
        VEF_COLUMNS(VEF_COLUMN("task", NULL), VEF_COLUMN(NULL, "task"), VEF_COLUMN("thread", NULL),
                    VEF_COLUMN("call", NULL), VEF_COLUMN(NULL, "call"), VEF_COLUMN("inside", NULL),
                    VEF_COLUMN("since_ns", "since (s)", .format = "%.3f", .scale = 1e-9),
                    VEF_COLUMN("seen_ns", NULL), VEF_COLUMN(NULL, "for (s)", .format = "%.3f"),
                    VEF_COLUMN("waits_for", "waits for"), VEF_COLUMN("regions", "regions"));
    const bool people = vef_result_is_for(into, VEF_PEOPLE);
    const bool sites = view->header->site_count > 0;
    vef_result *table = vef_put_table(into, name, VEF_EVERYONE, columns);
    if (sites)
        vef_add_column(table, (vef_column){.key = "stack", .label = "stack"});
    for (size_t i = 0; i < view->under_way_count && i < most; i++) {
        const vef_under_way *caller = &view->under_way[i];
        char line[4096] = "", regions[1024] = "", call[VEF_CALL_NAME_BYTES + 16];
        sink waits = {line, sizeof line, 0}, stack = {regions, sizeof regions, 0};
        put_all_waited(&waits, caller, people ? FEW_WAITED : VEF_WAITED_SHOWN);
        put_regions(&stack, caller);
        snprintf(call, sizeof call, "%s%s", caller->inside ? "" : "after ", caller->call);
        VEF_CELLS(table, caller->task);
        vef_cell_printed(table, caller->thread > 0 ? "%" PRIu32 ".%" PRIu32 : "%" PRIu32,
                         caller->task, caller->thread);
        VEF_CELLS(table, caller->thread, (const char *)caller->call, call, (int)caller->inside,
                  caller->since_ns, caller->seen_ns,
                  VEF_IF(caller->seen_ns > caller->since_ns,
                         (double)(caller->seen_ns - caller->since_ns) * 1e-9),
                  line, regions);
        if (sites) {
            waits = (sink){line, sizeof line, 0};
            *line = '\0';
            put_stack(&waits, view, caller, people ? FEW_FRAMES : VEF_STACK_SHOWN);
            VEF_CELLS(table, (const char *)line);
        }
    }
}
