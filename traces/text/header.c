/* The header of a trace in text: the lines before the first task. See assembly.h. */
#include "common/containers/grow.h"
#include "traces/format/preamble.h"
#include "traces/text/assembly.h"
#include "traces/text/words.h"

#include <string.h>

vef_code vef_text_needs(const vef_text *text, vef_error *error, const char *key, const char *what) {
    return vef_text_fail(text, error, "%s: expected %s", key, what);
}

vef_code vef_text_number_word(vef_assembly *as, const char *key, uint64_t limit, uint64_t *value,
                              vef_error *error) {
    const char *word;
    size_t length;
    if (!vef_text_word(&as->text, &word, &length))
        return vef_text_needs(&as->text, error, key, "a number");
    return vef_text_number(&as->text, key, word, length, limit, value, error);
}

vef_code vef_text_key_number(vef_assembly *as, const char *key, uint64_t *value, vef_error *error) {
    const char *word;
    size_t length, letters = strlen(key);
    if (!vef_text_word(&as->text, &word, &length))
        return VEF_OK;
    if (length <= letters || memcmp(word, key, letters) != 0 || word[letters] != '=')
        return vef_text_fail(&as->text, error, "unexpected '%.*s'", (int)length, word);
    return vef_text_number(&as->text, key, word + letters + 1, length - letters - 1, UINT64_MAX,
                           value, error);
}

vef_code vef_text_line_ends(vef_assembly *as, vef_error *error) {
    const char *word;
    size_t length;
    if (vef_text_word(&as->text, &word, &length))
        return vef_text_fail(&as->text, error, "unexpected '%.*s'", (int)length, word);
    return VEF_OK;
}

/* ---- header ---- */

static vef_code read_text(vef_assembly *as, const char *key, const char **value, vef_error *error) {
    const char *next = as->text.word;
    while (next < as->text.line_end && (*next == ' ' || *next == '\t'))
        next++;
    *value = vef_unquote(&next, as->text.line_end, &as->arena);
    if (!*value)
        return vef_text_needs(&as->text, error, key, "a text in double quotes");
    as->text.word = next;
    return VEF_OK;
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
    vef_grow(&as->communicators, &as->communicator_capacity, as->header.communicator_count + 1,
             sizeof *as->communicators);
    as->communicators[as->header.communicator_count++] = *communicator;
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
    const char *word;
    size_t length;
    char name[64] = "";
    if (vef_text_word(&as->text, &word, &length) && length < sizeof name)
        memcpy(name, word, length);
    int call = vef_call_find(name);
    if (call < 0)
        return vef_text_needs(&as->text, error, key, "the name of an MPI call, without MPI_");
    vef_code code = vef_text_number_word(as, key, UINT64_MAX, &calls[call], error);
    return code ? code : vef_text_key_number(as, "time", &ns[call], error);
}

/* The words of a line after its task. */
static vef_code read_measures(vef_text *text, vef_measured *measured, vef_error *error) {
    const char *word;
    size_t length;
    vef_code code = VEF_OK;
    while (!code && vef_text_word(text, &word, &length)) {
        const char *equals = memchr(word, '=', length);
        size_t letters = equals ? (size_t)(equals - word) : length, i = 0;
        while (i < VEF_MEASURED_FIELDS && !vef_text_is(word, letters, vef_measured_fields[i].name))
            i++;
        if (!equals || i == VEF_MEASURED_FIELDS)
            return vef_text_fail(text, error,
                                 "unknown word '%.*s': expected run_ns=, wall_ns=, cpu_ns=, "
                                 "core_wait_ns=, cpu_clock=, threads=, host_tasks=, host_cores=, "
                                 "clock_compared_ns=, clock_error_ns= or clock_jumps=",
                                 (int)length, word);
        code = vef_text_number(text, vef_measured_fields[i].name, equals + 1, length - letters - 1,
                               UINT64_MAX, vef_measured_at(measured, i), error);
    }
    return code;
}

static vef_code read_measured(vef_assembly *as, vef_error *error) {
    uint64_t task = 0;
    if (as->header.tasks == 0)
        return vef_text_fail(&as->text, error, "expected 'tasks N' before 'measured'");
    vef_code code = vef_text_number_word(as, "measured", as->header.tasks - 1, &task, error);
    if (!code && !as->measured)
        as->measured = vef_arena_alloc(&as->arena, as->header.tasks, sizeof *as->measured);
    return code ? code : read_measures(&as->text, &as->measured[task], error);
}

static vef_code read_neighbours(vef_assembly *as, vef_error *error) {
    if (as->header.communicator_count == 0)
        return vef_text_fail(&as->text, error, "expected 'neighbours' below its communicator");
    return vef_text_neighbours_read(&as->text, &as->arena,
                                    &as->communicators[as->header.communicator_count - 1], error);
}

/* The texts of a site by their keys. */
static const char **site_text(vef_site *site, const char *key, size_t length) {
    const struct {
        const char *key, **text;
    } texts[] = {{"module", &site->module},
                 {"build_id", &site->build_id},
                 {"function", &site->function},
                 {"file", &site->file},
                 {"caller", &site->caller}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (vef_text_is(key, length, texts[i].key))
            return texts[i].text;
    return NULL;
}

/* One word `key=value` of a site. */
static vef_code read_site_word(vef_assembly *as, vef_site *site, const char *word, size_t length,
                               vef_error *error) {
    const char *equals = memchr(word, '=', length);
    const size_t letters = equals ? (size_t)(equals - word) : length;
    const char **text = site_text(site, word, letters);
    uint64_t line = 0;
    if (equals && text) {
        const char *from = equals + 1;
        *text = vef_unquote(&from, word + length, &as->arena);
        return *text && from == word + length
                   ? VEF_OK
                   : vef_text_fail(&as->text, error, "site: %.*s: expected a text in quotes",
                                   (int)letters, word);
    }
    if (equals && vef_text_is(word, letters, "offset"))
        return vef_text_number(&as->text, "offset", equals + 1, length - letters - 1, UINT64_MAX,
                               &site->offset, error);
    if (!equals || !vef_text_is(word, letters, "line"))
        return vef_text_fail(&as->text, error,
                             "unknown word '%.*s' of a site: expected module=, build_id=, offset=, "
                             "function=, file=, line= or caller=",
                             (int)length, word);
    const vef_code code = vef_text_number(&as->text, "line", equals + 1, length - letters - 1,
                                          UINT32_MAX, &line, error);
    site->line = (uint32_t)line;
    return code;
}

static vef_code read_site(vef_assembly *as, vef_error *error) {
    vef_trace_header *header = &as->header;
    vef_site site = {"", "", 0, "", "", "", 0};
    uint64_t number = 0;
    const char *word;
    size_t length;
    vef_code code = vef_text_number_word(as, "site", VEF_SITE_LIMIT, &number, error);
    if (!code && number != header->site_count + 1ull)
        return vef_text_fail(&as->text, error, "site %llu: expected number %u",
                             (unsigned long long)number, header->site_count + 1);
    while (!code && vef_text_word(&as->text, &word, &length))
        code = read_site_word(as, &site, word, length, error);
    vef_grow(&as->sites, &as->site_capacity, header->site_count + 1, sizeof *as->sites);
    as->sites[header->site_count++] = site;
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
    bool good = record->task < as->header.tasks;
    for (uint32_t i = 0; i < record->stack_count; i++)
        good &= record->stack[i] <= as->header.site_count;
    for (uint32_t i = 0; i < vef_waited_shown(record); i++)
        good &= record->waited[i].peer < (int64_t)as->header.tasks &&
                (record->waited[i].comm == VEF_NO_COMM ||
                 record->waited[i].comm < as->header.communicator_count);
    if (!good)
        return vef_text_fail(&as->text, error,
                             "under_way: a task, communicator or site is out of range: expected "
                             "'tasks', 'comm' and 'site' lines before");
    as->under_way_count++;
    as->text.word = as->text.line_end;
    return VEF_OK;
}

vef_code vef_text_header_line(vef_assembly *as, const char *word, size_t length, vef_error *error) {
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
        if (vef_text_is(word, length, texts[i].key))
            return read_text(as, texts[i].key, texts[i].value, error);
    if (vef_text_is(word, length, "tasks"))
        return set_tasks(as, error);
    if (vef_text_is(word, length, "comm"))
        return read_communicator(as, error);
    if (vef_text_is(word, length, "neighbours"))
        return read_neighbours(as, error);
    if (vef_text_is(word, length, "not_recorded"))
        return read_calls(as, "not_recorded", as->not_recorded, as->not_recorded_ns, error);
    if (vef_text_is(word, length, "left_out"))
        return read_calls(as, "left_out", as->left_out.calls, as->left_out.ns, error);
    if (vef_text_is(word, length, "measured"))
        return read_measured(as, error);
    if (vef_text_is(word, length, "site"))
        return read_site(as, error);
    if (vef_text_is(word, length, "under_way"))
        return read_under_way(as, error);
    if (vef_text_is(word, length, "exit_status")) {
        uint64_t status = 0;
        bool negative = vef_text_word(&as->text, &word, &length) && *word == '-';
        vef_code code = vef_text_number(&as->text, "exit_status", word + negative,
                                        length - negative, INT32_MAX, &status, error);
        header->exit_status = negative ? -(int)status : (int)status;
        return code;
    }
    return vef_text_fail(
        &as->text, error,
        "unknown line '%.*s' of the header: expected tasks, application, command, library, clock, "
        "times, options, date, exit_status, not_recorded, left_out, measured, comm, neighbours, "
        "site or under_way, before the first 'task'",
        (int)length, word);
}
