/* Reading SimGrid's time-independent traces, as `smpirun -replay FILE` replays them. The actions
 * and the sizes of datatypes are those of SimGrid 4.1 (src/smpi/internals/smpi_replay.cpp,
 * src/smpi/mpi/smpi_datatype.cpp, src/xbt/xbt_replay.cpp).
 *
 * FILE names a file for each task, or one with the actions of all; a file is read as a whole. A
 * line is an action: the rank, a name, arguments. Requests have no names: a wait completes the
 * oldest one of its sender, receiver and tag. The world is the only communicator, so programs whose
 * groups call different collectives are refused; SimGrid's replay of them stalls. */
#include "common/containers/grow.h"
#include "common/containers/order.h"
#include "common/limits.h"
#include "common/memory.h"
#include "common/system/file.h"
#include "interchange/import.h"
#include "interchange/simgrid/simgrid.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char blanks[] = " \t\r\n";

/* clang-format off */
/* Bounds of the arguments, by letter (simgrid.h). */
static const struct argument {
    char letter;
    bool optional; /* at the end of a line */
    double least, most; /* most 0: the last rank */
    const char *meaning;
} arguments[] = {
    {'s', false, 0, 0x1p47, "the count"},
    {'n', false, -1, 0x1p47, "the count"}, /* -1: not known to the receiver */
    {'r', false, 0, 0x1p47, "the count of the receiver"},
    {'S', false, 0, INT32_MAX, "the count of a rank"},
    {'R', false, 0, INT32_MAX, "the count of a sending rank"},
    {'t', true, -1, VEF_TI_TYPES - 1, "the datatype"}, /* -1: a derived one */
    {'u', true, -1, VEF_TI_TYPES - 1, "the datatype of the receiver"},
    {'p', false, INT32_MIN, 0, "the rank"},
    {'q', false, INT32_MIN, 0, "the rank of the sender"},
    {'g', false, INT32_MIN, INT32_MAX, "the tag"},
    {'o', true, 0, 0, "the root"},
    {'f', false, 0, 0x1p62, "the flops or seconds"},
};
/* clang-format on */
enum { LETTERS = 128 };

typedef struct open_request {
    double from, to, tag;
    uint64_t number;
} open_request;

/* A line of a file that has those of all tasks. */
typedef struct task_line {
    uint64_t rank, number;
    char *text; /* after the rank */
} task_line;

typedef enum left_out { TESTS, UNKNOWN_WAITS, OTHER_RANKS, WILDCARDS, DERIVED, COUNTS } left_out;

typedef struct reading {
    const char *path;  /* of the file */
    char *text, *rest; /* of the file: all, and what follows the line */
    char *next;        /* in the line */
    uint64_t line;
    task_line *lines; /* by rank, then by number; NULL: each task has a file */
    size_t line_count, line_room, line_next;

    vef_import *import;
    uint32_t tasks, task;
    double default_size, gap_ns; /* the former as in SimGrid: of datatypes of all tasks */
    double value[LETTERS];       /* the arguments; of datatypes their bytes */
    uint64_t *sends, *receives;  /* per rank: arguments S and R */
    open_request *open;          /* the oldest first */
    size_t open_count, open_room;
    uint64_t requests;
    const vef_ti_action **order; /* collectives of rank 0 */
    size_t order_count, order_room, collectives;
    vef_completion *completions;
    size_t completion_room;
    vef_note_count counts[COUNTS];
} reading;

/* ---- lines ---- */

/* The next line of the file that has an action. */
static bool next_line(reading *reader) {
    while (*reader->rest) {
        char *end = reader->rest + strcspn(reader->rest, "\n");
        reader->next = reader->rest + strspn(reader->rest, " \t\r");
        reader->rest = end + (*end == '\n');
        *end = '\0';
        reader->line++;
        if (*reader->next && *reader->next != '#')
            return true;
    }
    return false;
}

/* The next word of the line, cut off; empty at its end. */
static char *next_word(reading *reader) {
    char *word = reader->next + strspn(reader->next, blanks);
    reader->next = word + strcspn(word, blanks);
    if (*reader->next)
        *reader->next++ = '\0';
    return word;
}

static size_t words_left(const reading *reader) {
    size_t count = 0;
    for (const char *next = reader->next; *(next += strspn(next, blanks)); count++)
        next += strcspn(next, blanks);
    return count;
}

static vef_code fail(const reading *reader, vef_error *error, const char *what, const char *word) {
    return vef_fail(error, VEF_INVALID, "%s:%" PRIu64 ": %s, found '%s'", reader->path,
                    reader->line, what, word);
}

/* A number below 2^63 in a word of its own: SimGrid writes whole ones as floating-point numbers. */
static vef_code number(reading *reader, const char *meaning, double least, double most,
                       double *value, vef_error *error) {
    char *end, what[128];
    const char *word = next_word(reader);
    *value = strtod(word, &end);
    if (end > word && *end == '\0' && *value >= least && *value <= most)
        return VEF_OK;
    snprintf(what, sizeof what, "%s: expected a number from %.0f to %.0f", meaning, least, most);
    return fail(reader, error, what, word);
}

/* One argument, or one for each rank. */
static vef_code parse_argument(reading *reader, const struct argument *row, vef_error *error) {
    const unsigned char letter = (unsigned char)row->letter;
    uint64_t *list = letter == 'S' ? reader->sends : letter == 'R' ? reader->receives : NULL;
    double *value = &reader->value[letter];
    const double most = row->most > 0 ? row->most : reader->tasks - 1.0;
    vef_code code = VEF_OK;
    for (uint32_t i = 0; i < (list ? reader->tasks : 1) && !code; i++) {
        code = number(reader, row->meaning, row->least, most, value, error);
        if (!code && list)
            list[i] = (uint64_t)*value;
    }
    if (!code && (letter == 't' || letter == 'u')) {
        reader->counts[DERIVED].count += *value < 0;
        *value = *value < 0 ? 0 : vef_ti_type_bytes[(int)*value];
    }
    return code;
}

static vef_code parse(reading *reader, const vef_ti_action *action, vef_error *error) {
    vef_code code = VEF_OK;
    memset(reader->value, 0, sizeof reader->value);
    reader->value['t'] = reader->value['u'] = reader->default_size;
    for (const char *letter = action->arguments; *letter && !code; letter++) {
        const struct argument *row = arguments;
        while (row->letter != *letter)
            row++;
        const size_t left = row->optional ? words_left(reader) : 1;
        /* The displacements of Allgatherv follow its datatypes, or are in their place. */
        if (action->call == VEF_CALL_Allgatherv && *letter == 't' && left > 2 &&
            left <= reader->tasks)
            break;
        if (left > 0)
            code = parse_argument(reader, row, error);
    }
    return code;
}

/* ---- calls ---- */

/* A call after the computation since the last one, at most 2^62 ns. */
static vef_code put(reading *reader, vef_event event, vef_error *error) {
    event.repeats = 1;
    event.gap_ns = (uint64_t)fmin(reader->gap_ns, 0x1p62);
    event.new_comm = VEF_NO_COMM;
    reader->gap_ns = 0;
    return vef_import_event(reader->import, &event, error);
}

/* A send to, or a receive from a negative rank is one of MPI_PROC_NULL, or from any; a negative tag
 * is any. A receive gets the bytes of its message. */
static vef_operation message(reading *reader, bool send) {
    const double peer = reader->value[send ? 'p' : 'q'], tag = reader->value['g'];
    const bool any = !send && peer < 0, any_tag = !send && tag < 0;
    reader->counts[WILDCARDS].count += any || any_tag;
    return (vef_operation){
        .flags = (uint16_t)((send ? VEF_OP_SEND : 0) | (any ? VEF_OP_ANY_SOURCE : 0) |
                            (any_tag ? VEF_OP_ANY_TAG : 0)),
        .peer = peer >= 0 ? (int32_t)peer
                : send    ? VEF_NO_TASK
                          : VEF_ANY_SOURCE,
        .tag = any_tag ? VEF_ANY_TAG : (int32_t)tag,
        .bytes = send ? (uint64_t)(reader->value['s'] * reader->value['t']) : VEF_TRUNCATED_BYTES,
        .ordinal = VEF_NO_ORDINAL,
        .request = VEF_NO_REQUEST};
}

static vef_code put_message(reading *reader, const vef_ti_action *action, vef_error *error) {
    const bool both = action->call == VEF_CALL_Sendrecv, send = *action->arguments != 'q';
    vef_operation operations[2] = {message(reader, send)};
    if (both)
        operations[1] = message(reader, false);
    if (vef_call_has(action->call, VEF_FACT_STARTS)) {
        const open_request started = {send ? reader->task : reader->value['q'],
                                      send ? reader->value['p'] : reader->task, reader->value['g'],
                                      reader->requests++};
        operations[0].request = started.number;
        operations[0].bytes = send ? operations[0].bytes : 0;
        *VEF_NEW_ITEM(reader->open, reader->open_count, reader->open_room) = started;
    }
    const vef_event event = {.call = action->call,
                             .root = -1,
                             .operation_count = both ? 2 : 1,
                             .operations = operations};
    return put(reader, event, error);
}

/* Completes the request of a wait, or all. */
static vef_code put_wait(reading *reader, uint16_t call, vef_error *error) {
    const double *value = reader->value;
    vef_event event = {.call = call, .root = -1};
    size_t kept = 0;
    vef_grow(&reader->completions, &reader->completion_room, reader->open_count,
             sizeof *reader->completions);
    for (size_t i = 0; i < reader->open_count; i++) {
        const open_request *open = &reader->open[i];
        if (call == VEF_CALL_Waitall || (event.completion_count == 0 && open->from == value['q'] &&
                                         open->to == value['p'] && open->tag == value['g']))
            reader->completions[event.completion_count++] =
                (vef_completion){.request = open->number, .source = VEF_NO_TASK};
        else
            reader->open[kept++] = *open;
    }
    reader->open_count = kept;
    event.completions = reader->completions;
    if (event.completion_count > 0)
        return put(reader, event, error);
    reader->counts[UNKNOWN_WAITS].count += call == VEF_CALL_Wait;
    return VEF_OK;
}

/* All tasks call the same collectives in the same order. `action` is NULL at the end of a task. */
static vef_code check_order(reading *reader, const vef_ti_action *action, vef_error *error) {
    const size_t place = reader->collectives++;
    if (reader->task == 0 && action) {
        vef_grow(&reader->order, &reader->order_room, place + 1, sizeof(const vef_ti_action *));
        reader->order[reader->order_count++] = action;
    }
    const vef_ti_action *first = place < reader->order_count ? reader->order[place] : NULL;
    if (first == action)
        return VEF_OK;
    return vef_fail(error, VEF_INVALID,
                    "%s:%" PRIu64 ": collective %zu of rank %" PRIu32
                    " is %s, of rank 0 %s: "
                    "expected the same in all ranks, since the world is the only communicator",
                    reader->path, reader->line, place, reader->task,
                    action ? action->name : "missing", first ? first->name : "missing");
}

static vef_code put_collective(reading *reader, const vef_ti_action *action, vef_error *error) {
    const bool rooted = strchr(action->arguments, 'o');
    const bool at_root = !rooted || reader->value['o'] == reader->task;
    const bool reduces = vef_call_has(action->call, VEF_FACT_REDUCES);
    vef_event event = {.call = action->call,
                       .root = rooted ? (int32_t)reader->value['o'] : -1,
                       .request = VEF_NO_REQUEST,
                       .elements = reduces ? (uint64_t)reader->value['s'] : 0,
                       .send_bytes = reader->sends,
                       .receive_bytes = reader->receives};
    if (at_root && strchr(action->arguments, 'S'))
        event.send_count = reader->tasks;
    if (at_root && strchr(action->arguments, 'R'))
        event.receive_count = reader->tasks;
    for (uint32_t i = 0; i < event.send_count; i++)
        reader->sends[i] *= (uint64_t)reader->value['t'];
    for (uint32_t i = 0; i < event.receive_count; i++) {
        event.elements += reduces ? reader->receives[i] : 0;
        reader->receives[i] *= (uint64_t)reader->value['u'];
    }
    const char share = action->bytes[!at_root];
    event.bytes = share == 's'   ? (uint64_t)(reader->value['s'] * reader->value['t'])
                  : share == 'r' ? (uint64_t)(reader->value['r'] * reader->value['u'])
                  : share == 'S' ? reader->sends[reader->task]
                  : share == 'R' ? reader->receives[reader->task]
                                 : 0;
    vef_code code = check_order(reader, action, error);
    code = code ? code : put(reader, event, error);
    reader->gap_ns += reader->value['f'];
    return code;
}

static vef_code put_action(reading *reader, const vef_ti_action *action, vef_error *error) {
    const vef_code code = parse(reader, action, error);
    if (code)
        return code;
    switch (action->kind) {
    case VEF_TI_INIT: /* a further word: by a tool that counted doubles */
        reader->default_size = vef_ti_type_bytes[words_left(reader) ? VEF_TI_DOUBLE : VEF_TI_BYTE];
        return VEF_OK;
    case VEF_TI_COMPUTE: /* flops, at 1 Gflop/s */
    case VEF_TI_SLEEP:   /* seconds */
        reader->gap_ns += (action->kind == VEF_TI_SLEEP ? 1e9 : 1) * reader->value['f'];
        return VEF_OK;
    case VEF_TI_MESSAGE:
        return put_message(reader, action, error);
    case VEF_TI_WAIT:
        return put_wait(reader, action->call, error);
    case VEF_TI_COLLECTIVE:
        return put_collective(reader, action, error);
    default:
        reader->counts[TESTS].count += action->kind == VEF_TI_TEST;
        return VEF_OK;
    }
}

/* ---- tasks ---- */

/* The next line of the task, behind its rank; `*more` is false at the end. */
static vef_code next_action(reading *reader, bool *more, vef_error *error) {
    double rank = -1;
    vef_code code = VEF_OK;
    if (reader->lines) {
        const task_line *line = &reader->lines[reader->line_next];
        *more = reader->line_next < reader->line_count && line->rank == reader->task;
        reader->line_next += *more;
        reader->next = *more ? line->text : NULL;
        reader->line = *more ? line->number : reader->line;
        return VEF_OK;
    }
    while (!code && rank != reader->task && (*more = next_line(reader)) == true) {
        code = number(reader, "the rank", 0, INT32_MAX, &rank, error);
        reader->counts[OTHER_RANKS].count += rank != reader->task;
    }
    return code;
}

static vef_code read_task(reading *reader, uint32_t task, vef_error *error) {
    bool more = true;
    reader->task = task;
    reader->requests = reader->open_count = reader->collectives = 0;
    vef_code code = vef_import_task(reader->import, task, NULL, error);
    code = code ? code : put(reader, (vef_event){.call = VEF_CALL_Init, .root = -1}, error);
    while (!code && (code = next_action(reader, &more, error)) == VEF_OK && more) {
        const char *name = next_word(reader);
        const vef_ti_action *action = vef_ti_actions;
        while (action->name && strcmp(name, action->name) != 0)
            action++;
        code = action->name ? put_action(reader, action, error)
                            : fail(reader, error, "expected an action that SimGrid replays", name);
    }
    if (!code && reader->collectives < reader->order_count)
        code = check_order(reader, NULL, error);
    code = code ? code : put_wait(reader, VEF_CALL_Waitall, error);
    return code ? code : put(reader, (vef_event){.call = VEF_CALL_Finalize, .root = -1}, error);
}

/* ---- files ---- */

/* Reads the file `name`. SimGrid takes the names of a list from the working directory; a list that
 * was moved with its files names files beside it. */
static vef_code load(reading *reader, const char *list, const char *name, vef_error *error) {
    const char *slash = *name == '/' || access(name, R_OK) == 0 ? NULL : strrchr(list, '/');
    char *path = vef_printed("%.*s%s", slash ? (int)(slash + 1 - list) : 0, list, name);
    size_t bytes = 0;
    free(reader->text);
    reader->text = NULL;
    vef_code code = vef_file_read(path, SIZE_MAX / 4, &reader->text, &bytes, error);
    free(path);
    if (!code && strlen(reader->text) != bytes)
        code = vef_fail(error, VEF_INVALID, "%s: a NUL byte: not a text file", name);
    reader->path = name;
    reader->rest = reader->text;
    reader->line = 0;
    return code;
}

/* The names in the list at `path`, one a line: none if it has actions itself. */
static vef_code read_list(reading *reader, const char *path, char ***names, uint32_t *count,
                          vef_error *error) {
    size_t room = 0;
    vef_code code = load(reader, "", path, error);
    while (!code && next_line(reader)) {
        size_t length = strlen(reader->next);
        if (*count == 0 && isdigit((unsigned char)*reader->next) && words_left(reader) > 1)
            break;
        while (strchr(blanks, reader->next[length - 1]))
            length--;
        vef_grow(names, &room, *count + 1ull, sizeof **names);
        (*names)[(*count)++] = vef_strndup(reader->next, length);
        code = vef_limit_check(VEF_LIMIT_TASKS, *count, error);
    }
    return code;
}

VEF_ORDER_BY(by_rank, task_line, rank, number)

/* Sorts the lines of a file by task. */
static vef_code divide(reading *reader, vef_error *error) {
    while (next_line(reader)) {
        double rank;
        const vef_code code = number(reader, "the rank", 0, INT32_MAX - 1, &rank, error);
        if (code)
            return code;
        vef_grow(&reader->lines, &reader->line_room, reader->line_count + 1, sizeof(task_line));
        reader->lines[reader->line_count++] =
            (task_line){(uint64_t)rank, reader->line, reader->next};
        reader->tasks = rank < reader->tasks ? reader->tasks : (uint32_t)rank + 1;
    }
    if (reader->line_count == 0)
        return vef_fail(error, VEF_INVALID, "%s: empty: expected actions", reader->path);
    qsort(reader->lines, reader->line_count, sizeof *reader->lines, by_rank);
    return vef_limit_check(VEF_LIMIT_TASKS, reader->tasks, error);
}

static vef_code read_tasks(reading *reader, const char *list, char **names, const char *trace_path,
                           vef_format_report *report, vef_error *error) {
    const vef_import_facts facts = {
        .format = "simgrid-ti", .program = list, .tasks = reader->tasks};
    reader->sends = vef_calloc(reader->tasks, sizeof *reader->sends);
    reader->receives = vef_calloc(reader->tasks, sizeof *reader->receives);
    vef_code code = vef_import_begin(trace_path, &facts, &reader->import, error);
    for (uint32_t task = 0; task < reader->tasks && !code; task++) {
        if (!reader->lines)
            code = load(reader, list, names[task], error);
        code = code ? code : read_task(reader, task, error);
    }
    return code ? code : vef_import_finish(reader->import, report, error);
}

vef_code vef_simgrid_read(const char *path, const char *trace_path, vef_format_report *report,
                          vef_error *error) {
    reading reader = {
        .default_size = vef_ti_type_bytes[VEF_TI_BYTE],
        .counts = {
            [TESTS] = {0, "tests are left out: the format does not state whether they succeeded"},
            [UNKNOWN_WAITS] = {0, "waits name no request under way and are left out"},
            [OTHER_RANKS] = {0, "lines name another rank than that of their file and are left out"},
            [WILDCARDS] = {0,
                           "receives from any source or with any tag complete at once: the "
                           "format does not name their message"},
            [DERIVED] = {0, "derived datatypes are taken as 0 bytes: their size is not known"}}};
    char **names = NULL;
    uint32_t count = 0;
    *report = (vef_format_report){0};
    vef_code code = read_list(&reader, path, &names, &count, error);
    reader.tasks = count > 1 ? count : 0;
    if (!code && count < 2) {
        code = load(&reader, count ? path : "", count ? names[0] : path, error);
        code = code ? code : divide(&reader, error);
    }
    code = code ? code : read_tasks(&reader, path, names, trace_path, report, error);
    if (!code)
        vef_note_counts(&report->notes, reader.counts, COUNTS);
    for (uint32_t i = 0; i < count; i++)
        free(names[i]);
    free(names);
    vef_import_free(reader.import);
    free(reader.lines);
    free(reader.text);
    free(reader.open);
    free(reader.sends);
    free(reader.receives);
    free(reader.order);
    free(reader.completions);
    return code;
}
