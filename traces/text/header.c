/* The header of a trace in text: the lines before the first task. See assembly.h. */
#include "common/containers/grow.h"
#include "traces/text/assembly.h"

vef_code vef_text_number_word(vef_assembly *as, const char *key, uint64_t limit, uint64_t *value,
                              vef_error *error) {
    vef_span word;
    if (!vef_text_word(&as->text, &word))
        return vef_text_needs(&as->text, error, key, "a number");
    return vef_text_number(&as->text, key, word, limit, value, error);
}

vef_code vef_text_key_number(vef_assembly *as, const char *key, uint64_t *value, vef_error *error) {
    vef_span word, number;
    if (!vef_text_word(&as->text, &word))
        return VEF_OK;
    if (!vef_span_is(vef_span_split(word, '=', &number), key) || !number.begin)
        return vef_text_fail(&as->text, error, "unexpected '%.*s'", VEF_SPAN(word));
    return vef_text_number(&as->text, key, number, UINT64_MAX, value, error);
}

vef_code vef_text_line_ends(vef_assembly *as, vef_error *error) {
    vef_span word;
    if (vef_text_word(&as->text, &word))
        return vef_text_fail(&as->text, error, "unexpected '%.*s'", VEF_SPAN(word));
    return VEF_OK;
}

/* ---- header ---- */

static vef_code read_text(vef_assembly *as, const char *key, const char **value, vef_error *error) {
    vef_span word;
    if (!vef_text_word(&as->text, &word))
        return vef_text_needs(&as->text, error, key, "a text in double quotes");
    return vef_text_quoted(&as->text, key, word, &as->arena, value, error);
}

static vef_code set_tasks(vef_assembly *as, vef_error *error) {
    uint64_t tasks = 0;
    vef_code code = vef_text_number_word(as, "tasks", 1 << 24, &tasks, error);
    if (code)
        return code;
    if (tasks == 0 || as->header.tasks != 0)
        return vef_text_fail(&as->text, error, "tasks: %s",
                             tasks ? "duplicate line" : "expected at least 1");
    code = vef_text_limit(&as->text, VEF_LIMIT_TASKS, tasks, error);
    if (code)
        return code;
    as->header.tasks = (uint32_t)tasks;
    as->seen = vef_arena_alloc(&as->arena, tasks, sizeof *as->seen);
    vef_matcher_init(&as->matcher, as->header.tasks);
    return VEF_OK;
}

static void add_communicator(vef_assembly *as, const vef_communicator *communicator) {
    *VEF_NEW_ITEM(as->communicators, as->header.communicator_count, as->communicator_capacity) =
        *communicator;
    as->header.communicators = as->communicators;
}

void vef_text_add_world(vef_assembly *as) {
    uint32_t *members = vef_arena_alloc(&as->arena, as->header.tasks, sizeof *members);
    for (uint32_t i = 0; i < as->header.tasks; i++)
        members[i] = i;
    vef_communicator world = {.parent = VEF_NO_COMM,
                              .made_by = VEF_PREDEFINED,
                              .size = as->header.tasks,
                              .members = members};
    add_communicator(as, &world);
}

static vef_code read_communicator(vef_assembly *as, vef_error *error) {
    uint64_t number = 0;
    vef_communicator communicator;
    if (as->header.tasks == 0)
        return vef_text_fail(&as->text, error, "expected 'tasks N' before the communicators");
    vef_code code = vef_text_number_word(as, "comm", UINT32_MAX - 1, &number, error);
    if (!code && as->header.communicator_count == 0 && number == 1)
        vef_text_add_world(as);
    if (!code && number != as->header.communicator_count)
        return vef_text_fail(&as->text, error, "communicator %llu: expected number %u",
                             (unsigned long long)number, as->header.communicator_count);
    if (!code)
        code = vef_text_communicator_read(&as->text, as->header.tasks, &as->arena, &communicator,
                                          error);
    if (!code && communicator.parent != VEF_NO_COMM && communicator.parent >= number)
        return vef_text_fail(&as->text, error, "parent %u: expected before communicator %llu",
                             communicator.parent, (unsigned long long)number);
    if (!code && number == 0 && communicator.size != as->header.tasks)
        return vef_text_fail(&as->text, error,
                             "communicator 0 is MPI_COMM_WORLD: expected all tasks");
    if (!code)
        code = vef_text_limit(&as->text, VEF_LIMIT_MEMBERS,
                              as->arena.held_bytes / sizeof *communicator.members, error);
    if (!code)
        add_communicator(as, &communicator);
    return code;
}

static vef_code read_calls(vef_assembly *as, const char *key, uint64_t *calls, uint64_t *ns,
                           vef_error *error) {
    vef_span word;
    const int call = vef_text_word(&as->text, &word) ? vef_span_call(word) : -1;
    if (call < 0)
        return vef_text_needs(&as->text, error, key, "the name of an MPI call, without MPI_");
    vef_code code = vef_text_number_word(as, key, UINT64_MAX, &calls[call], error);
    return code ? code : vef_text_key_number(as, "time", &ns[call], error);
}

static vef_code read_measured(vef_assembly *as, vef_error *error) {
    uint64_t task = 0;
    if (as->header.tasks == 0)
        return vef_text_fail(&as->text, error, "expected 'tasks N' before 'measured'");
    vef_code code = vef_text_number_word(as, "measured", as->header.tasks - 1, &task, error);
    if (!code && !as->measured)
        as->measured = vef_arena_alloc(&as->arena, as->header.tasks, sizeof *as->measured);
    for (vef_span word, value; !code && vef_text_word(&as->text, &word);) {
        const vef_span key = vef_span_split(word, '=', &value);
        size_t i = 0;
        while (i < VEF_MEASURED_FIELDS && !vef_span_is(key, vef_measured_fields[i].name))
            i++;
        if (!value.begin || i == VEF_MEASURED_FIELDS)
            return vef_text_fail(&as->text, error,
                                 "unknown word '%.*s': expected run_ns=, wall_ns=, cpu_ns=, "
                                 "core_wait_ns=, cpu_clock=, threads=, host_tasks=, host_cores=, "
                                 "clock_compared_ns=, clock_error_ns= or clock_jumps=",
                                 VEF_SPAN(word));
        code = vef_text_number(&as->text, vef_measured_fields[i].name, value, UINT64_MAX,
                               vef_measured_at(&as->measured[task], i), error);
    }
    return code;
}

static vef_code read_neighbours(vef_assembly *as, vef_error *error) {
    if (as->header.communicator_count == 0)
        return vef_text_fail(&as->text, error, "expected 'neighbours' below its communicator");
    return vef_text_neighbours_read(&as->text, &as->arena,
                                    &as->communicators[as->header.communicator_count - 1], error);
}

/* One word `key=value` of a site. */
static vef_code read_site_word(vef_assembly *as, vef_site *site, vef_span word, vef_error *error) {
    vef_span value;
    const vef_span key = vef_span_split(word, '=', &value);
    uint64_t line = 0;
    for (size_t i = 0; value.begin && i < VEF_SITE_TEXTS; i++)
        if (vef_span_is(key, vef_site_texts[i].name))
            return vef_text_quoted(&as->text, vef_site_texts[i].name, value, &as->arena,
                                   vef_site_text_at(site, i), error);
    if (value.begin && vef_span_is(key, "offset"))
        return vef_text_number(&as->text, "offset", value, UINT64_MAX, &site->offset, error);
    if (!value.begin || !vef_span_is(key, "line"))
        return vef_text_fail(&as->text, error,
                             "unknown word '%.*s' of a site: expected module=, build_id=, offset=, "
                             "function=, file=, line= or caller=",
                             VEF_SPAN(word));
    const vef_code code = vef_text_number(&as->text, "line", value, UINT32_MAX, &line, error);
    site->line = (uint32_t)line;
    return code;
}

static vef_code read_site(vef_assembly *as, vef_error *error) {
    vef_trace_header *header = &as->header;
    vef_site site = {"", "", 0, "", "", "", 0, 0};
    uint64_t number = 0;
    vef_span word;
    vef_code code = vef_text_number_word(as, "site", VEF_SITE_LIMIT, &number, error);
    if (!code && number != header->site_count + 1ull)
        return vef_text_fail(&as->text, error, "site %llu: expected number %u",
                             (unsigned long long)number, header->site_count + 1);
    while (!code && vef_text_word(&as->text, &word))
        code = read_site_word(as, &site, word, error);
    *VEF_NEW_ITEM(as->sites, header->site_count, as->site_capacity) = site;
    header->sites = as->sites;
    return code;
}

static vef_code read_under_way(vef_assembly *as, vef_error *error) {
    vef_grow(&as->under_way, &as->under_way_capacity, as->under_way_count + 1,
             sizeof *as->under_way);
    vef_error wrong;
    vef_under_way *record = &as->under_way[as->under_way_count];
    if (vef_under_way_get(as->text.word, as->text.line_end, &as->arena, record, &wrong) != VEF_OK)
        return vef_text_fail(&as->text, error, "%s", wrong.message);
    if (!vef_trace_has_under_way(&as->header, record))
        return vef_text_fail(&as->text, error,
                             "under_way: a task, communicator or site is out of range: expected "
                             "'tasks', 'comm' and 'site' lines before");
    as->under_way_count++;
    as->text.word = as->text.line_end;
    return VEF_OK;
}

vef_code vef_text_header_line(vef_assembly *as, vef_span word, vef_error *error) {
    vef_trace_header *header = &as->header;
    const struct {
        const char *key, **value;
    } texts[] = {{"application", &header->application},
                 {"command", &header->command},
                 {"library", &header->library},
                 {"clock", &header->clock},
                 {"times", &header->times},
                 {"options", &header->options},
                 {"date", &header->date}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (vef_span_is(word, texts[i].key))
            return read_text(as, texts[i].key, texts[i].value, error);
    if (vef_span_is(word, "tasks"))
        return set_tasks(as, error);
    if (vef_span_is(word, "comm"))
        return read_communicator(as, error);
    if (vef_span_is(word, "neighbours"))
        return read_neighbours(as, error);
    if (vef_span_is(word, "not_recorded"))
        return read_calls(as, "not_recorded", as->not_recorded, as->not_recorded_ns, error);
    if (vef_span_is(word, "left_out"))
        return read_calls(as, "left_out", as->left_out.calls, as->left_out.ns, error);
    if (vef_span_is(word, "measured"))
        return read_measured(as, error);
    if (vef_span_is(word, "site"))
        return read_site(as, error);
    if (vef_span_is(word, "under_way"))
        return read_under_way(as, error);
    if (vef_span_is(word, "exit_status")) {
        uint64_t status = 0;
        const bool negative = vef_text_word(&as->text, &word) && *word.begin == '-';
        word.begin += negative;
        vef_code code = vef_text_number(&as->text, "exit_status", word, INT32_MAX, &status, error);
        header->exit_status = negative ? -(int)status : (int)status;
        return code;
    }
    return vef_text_fail(
        &as->text, error,
        "unknown line '%.*s' of the header: expected tasks, application, command, library, clock, "
        "times, options, date, exit_status, not_recorded, left_out, measured, comm, neighbours, "
        "site or under_way, before the first 'task'",
        VEF_SPAN(word));
}
