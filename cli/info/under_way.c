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
static void put_all_waited(sink *to, const vef_under_way *of, uint32_t most) {
    uint32_t shown = vef_waited_shown(of) < most ? vef_waited_shown(of) : most;
    for (uint32_t i = 0; i < shown; i++) {
        put(to, i ? ", " : "");
        put_waited(to, &of->waited[i]);
    }
    if (of->waited_count > shown)
        put(to, ", and %" PRIu32 " more", of->waited_count - shown);
}

static void put_regions(sink *to, const vef_under_way *of) {
    for (uint32_t i = 0; i < vef_regions_shown(of); i++)
        put(to, "%s%s", i ? " > " : "", of->region[i]);
    if (of->region_count > VEF_REGIONS_SHOWN)
        put(to, " > …");
}

vef_table *vef_info_under_way(const vef_info_view *view, vef_info_style style, size_t most) {
    enum { FEW_WAITED = 4 };
    static const char *const heads[2][8] = {
        {"task", "call", "since (s)", "for (s)", "waits for", "regions"},
        {"task", "thread", "call", "inside", "since_ns", "seen_ns", "waits_for", "regions"}};
    bool text = style == VEF_INFO_TEXT;
    vef_table *table = vef_table_new(heads[style], text ? 6 : 8);
    for (size_t i = 0; i < view->under_way_count && i < most; i++) {
        const vef_under_way *of = &view->under_way[i];
        char line[4096] = "", regions[1024] = "";
        sink waits = {line, sizeof line, 0}, stack = {regions, sizeof regions, 0};
        put_all_waited(&waits, of, text ? FEW_WAITED : VEF_WAITED_SHOWN);
        put_regions(&stack, of);
        if (text && of->thread > 0)
            vef_table_number(table, "%" PRIu32 ".%" PRIu32, of->task, of->thread);
        else
            vef_table_number(table, "%" PRIu32, of->task);
        if (text) {
            char call[VEF_CALL_NAME_BYTES + 16];
            snprintf(call, sizeof call, "%s%s", of->inside ? "" : "after ", of->call);
            vef_table_text(table, call);
            vef_table_number(table, "%.3f", (double)of->since_ns * 1e-9);
            if (of->seen_ns > of->since_ns)
                vef_table_number(table, "%.3f", (double)(of->seen_ns - of->since_ns) * 1e-9);
            else
                vef_table_text(table, "");
        } else {
            vef_table_number(table, "%" PRIu32, of->thread);
            vef_table_text(table, of->call);
            vef_table_number(table, "%d", of->inside);
            vef_table_number(table, "%" PRIu64, of->since_ns);
            vef_table_number(table, "%" PRIu64, of->seen_ns);
        }
        vef_table_text(table, line);
        vef_table_text(table, regions);
    }
    return table;
}
