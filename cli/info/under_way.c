/* The table of calls that tasks are in, or were in when they were killed. See
 * traces/format/under_way.h. */
#include "cli/info/view.h"

#include <string.h>

/* A row: what is written into one of its cells. */
typedef struct row {
    const vef_info_view *view;
    const vef_under_way *work;
    bool people; /* they see a part of long lists */
} row;

/* One operation: "send to 3 (tag 7, comm 1)". */
static void put_waited(FILE *to, const vef_waited *waited) {
    char name[80], comm[32] = "";
    if (waited->call)
        fprintf(to, "%s ", vef_info_call_name(name, waited->call));
    if (waited->comm != VEF_NO_COMM && waited->comm != 0)
        snprintf(comm, sizeof comm, "comm %" PRIu32, waited->comm);
    if (waited->peer == VEF_NO_TASK) {
        fprintf(to, "all of %s",
                *comm               ? comm
                : waited->comm == 0 ? "the world"
                                    : "its communicator");
        return;
    }
    fputs(waited->flags & VEF_OP_SEND ? "to " : "from ", to);
    if (waited->peer == VEF_ANY_SOURCE)
        fputs("any", to);
    else
        fprintf(to, "%" PRId32, waited->peer);
    if (waited->tag != VEF_ANY_TAG)
        fprintf(to, " tag %" PRId32, waited->tag);
    if (*comm)
        fprintf(to, " %s", comm);
    if (waited->bytes > 0)
        fprintf(to, " (%" PRIu64 " bytes)", waited->bytes);
}

/* The operations for which the call waits. */
static void put_all_waited(const void *context, FILE *to) {
    enum { FEW_WAITED = 4 };
    const row *shown_in = context;
    const vef_under_way *work = shown_in->work;
    const uint32_t most = shown_in->people ? FEW_WAITED : VEF_WAITED_SHOWN;
    const uint32_t shown = vef_waited_shown(work) < most ? vef_waited_shown(work) : most;
    for (uint32_t i = 0; i < shown; i++) {
        fputs(i ? ", " : "", to);
        put_waited(to, &work->waited[i]);
    }
    if (work->waited_count > shown)
        fprintf(to, ", and %" PRIu32 " more", work->waited_count - shown);
}

static void put_regions(const void *context, FILE *to) {
    const vef_under_way *work = ((const row *)context)->work;
    for (uint32_t i = 0; i < vef_regions_shown(work); i++)
        fprintf(to, "%s%s", i ? " > " : "", work->region[i]);
    if (work->region_count > VEF_REGIONS_SHOWN)
        fputs(" > …", to);
}

/* "exchange at solver.c:214 < main at solver.c:40", from the call outwards; of an inlined function
 * with its caller. What called main is of the C library. */
static void put_stack(const void *context, FILE *to) {
    enum { FEW_FRAMES = 6 };
    const row *shown_in = context;
    const vef_under_way *work = shown_in->work;
    const uint32_t most = shown_in->people ? FEW_FRAMES : VEF_STACK_SHOWN;
    char name[VEF_SITE_NAME_BYTES];
    for (uint32_t i = 0; i < work->stack_count && i < most; i++) {
        const vef_site *site = vef_trace_site(shown_in->view->header, work->stack[i]);
        fputs(i ? " < " : "", to);
        if (site && *site->file && *site->function)
            fprintf(to, "%s at ", site->function);
        fprintf(to, "%s", vef_site_name(site, name));
        if (site && *site->caller)
            fprintf(to, " < %s", site->caller);
        const char *outermost = site ? strrchr(site->caller, '<') : NULL;
        outermost = outermost ? outermost + 2 : site && *site->caller ? site->caller : "";
        if (site && (strcmp(site->function, "main") == 0 || strncmp(outermost, "main at ", 8) == 0))
            break;
    }
}

void vef_info_under_way(const vef_info_view *view, vef_result *into, const char *name,
                        size_t most) {
    static const vef_column columns[] =
        VEF_COLUMNS(VEF_COLUMN("task", NULL), VEF_COLUMN(NULL, "task"), VEF_COLUMN("thread", NULL),
                    VEF_COLUMN("call", NULL), VEF_COLUMN(NULL, "call"), VEF_COLUMN("inside", NULL),
                    VEF_COLUMN("since_ns", "since (s)", .format = "%.3f", .scale = 1e-9),
                    VEF_COLUMN("seen_ns", NULL), VEF_COLUMN(NULL, "for (s)", .format = "%.3f"),
                    VEF_COLUMN("waits_for", "waits for"), VEF_COLUMN("regions", "regions"));
    const bool sites = view->header->site_count > 0;
    vef_result *table = vef_put_table(into, name, VEF_EVERYONE, columns);
    if (sites)
        vef_add_column(table, (vef_column){.key = "stack", .label = "stack"});
    for (size_t i = 0; i < view->under_way_count && i < most; i++) {
        const vef_under_way *caller = &view->under_way[i];
        const row made = {view, caller, vef_result_is_for(into, VEF_PEOPLE)};
        char call[VEF_CALL_NAME_BYTES + 16];
        snprintf(call, sizeof call, "%s%s", caller->inside ? "" : "after ", caller->call);
        VEF_CELLS(table, caller->task);
        vef_cell_printed(table, caller->thread > 0 ? "%" PRIu32 ".%" PRIu32 : "%" PRIu32,
                         caller->task, caller->thread);
        VEF_CELLS(table, caller->thread, (const char *)caller->call, call, (int)caller->inside,
                  caller->since_ns, caller->seen_ns,
                  VEF_IF(caller->seen_ns > caller->since_ns,
                         (double)(caller->seen_ns - caller->since_ns) * 1e-9));
        vef_cell_by(table, put_all_waited, &made);
        vef_cell_by(table, put_regions, &made);
        if (sites)
            vef_cell_by(table, put_stack, &made);
    }
}
