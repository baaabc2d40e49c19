/* Reading SimGrid's time-independent traces, as `smpirun -replay FILE` replays them. The actions
 * and the sizes of datatypes are those of SimGrid 4.1 (src/smpi/internals/smpi_replay.cpp,
 * src/smpi/mpi/smpi_datatype.cpp, src/xbt/xbt_replay.cpp).
 *
 * FILE names a file for each task, or one with the actions of all, which is kept in memory as in
 * SimGrid. A line is an action: the rank, a name, arguments. Requests have no names: a wait
 * completes the oldest one of its sender, receiver and tag. The world is the only communicator, so
 * programs whose groups call different collectives are refused; SimGrid's replay of them stalls. */
#include "common/containers/grow.h"
#include "common/limits.h"
#include "common/memory.h"
#include "interchange/import.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char blanks[] = " \t\r\n";

/* Bytes of the predefined datatypes, by number, on x86-64. */
static const uint8_t type_bytes[] = {8, 4,  1,  2, 8,  4,  1,  8,  1,  1,  2, 4,  8,  8,  16,
                                     4, 1,  1,  2, 4,  8,  1,  2,  4,  8,  8, 16, 32, 8,  8,
                                     8, 16, 16, 8, 8,  8,  16, 16, 4,  4,  8, 16, 8,  16, 16,
                                     4, 2,  4,  8, 16, 32, 1,  8,  16, 32, 0, 0,  1,  8,  8};
enum { BYTE_SIZE = 1, DOUBLE_SIZE = 8 };

/* clang-format off */
/* Arguments, by letter. Upper case: one for each rank. */
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
    {'t', true, -1, sizeof type_bytes - 1, "the datatype"}, /* -1: a derived one */
    {'u', true, -1, sizeof type_bytes - 1, "the datatype of the receiver"},
    {'p', false, INT32_MIN, 0, "the rank"},
    {'q', false, INT32_MIN, 0, "the rank of the sender"},
    {'g', false, INT32_MIN, INT32_MAX, "the tag"},
    {'o', true, 0, 0, "the root"},
    {'f', false, 0, 0x1p62, "the flops or seconds"},
};

typedef enum action_kind { NO_CALL, INIT, COMPUTE, SLEEP, MESSAGE, TEST, WAIT, COLLECTIVE } action_kind;

static const struct action {
    const char *name, *arguments;
    action_kind kind;
    uint16_t call;
    const char *bytes; /* of a collective's event, at the root and elsewhere: by letter, or 0 */
} actions[] = {
    {"init", "", INIT, 0, NULL},
    {"finalize", "", NO_CALL, 0, NULL},
    {"comm_size", "", NO_CALL, 0, NULL},
    {"comm_split", "", NO_CALL, 0, NULL},
    {"comm_dup", "", NO_CALL, 0, NULL},
    {"location", "", NO_CALL, 0, NULL},
    {"compute", "f", COMPUTE, 0, NULL},
    {"sleep", "f", SLEEP, 0, NULL},
    {"send", "pgst", MESSAGE, VEF_CALL_Send, NULL},
    {"isend", "pgst", MESSAGE, VEF_CALL_Isend, NULL},
    {"recv", "qgnt", MESSAGE, VEF_CALL_Recv, NULL},
    {"irecv", "qgnt", MESSAGE, VEF_CALL_Irecv, NULL},
    {"sendRecv", "sprqtu", MESSAGE, VEF_CALL_Sendrecv, NULL},
    {"test", "qpg", TEST, 0, NULL},
    {"wait", "qpg", WAIT, VEF_CALL_Wait, NULL},
    {"waitall", "", WAIT, VEF_CALL_Waitall, NULL},
    {"barrier", "", COLLECTIVE, VEF_CALL_Barrier, "00"},
    {"bcast", "sot", COLLECTIVE, VEF_CALL_Bcast, "ss"},
    {"reduce", "sfot", COLLECTIVE, VEF_CALL_Reduce, "ss"},
    {"allreduce", "sft", COLLECTIVE, VEF_CALL_Allreduce, "ss"},
    {"scan", "sft", COLLECTIVE, VEF_CALL_Scan, "ss"},
    {"exscan", "sft", COLLECTIVE, VEF_CALL_Exscan, "ss"},
    {"reducescatter", "Rfu", COLLECTIVE, VEF_CALL_Reduce_scatter, "RR"},
    {"alltoall", "srtu", COLLECTIVE, VEF_CALL_Alltoall, "ss"},
    {"alltoallv", "sSrRtu", COLLECTIVE, VEF_CALL_Alltoallv, "00"},
    {"gather", "srotu", COLLECTIVE, VEF_CALL_Gather, "rs"},
    {"gatherv", "sRotu", COLLECTIVE, VEF_CALL_Gatherv, "Rs"},
    {"scatter", "srotu", COLLECTIVE, VEF_CALL_Scatter, "sr"},
    {"scatterv", "Srotu", COLLECTIVE, VEF_CALL_Scatterv, "Sr"},
    {"allgather", "srtu", COLLECTIVE, VEF_CALL_Allgather, "ss"},
    {"allgatherv", "sRtu", COLLECTIVE, VEF_CALL_Allgatherv, "RR"},
};
/* clang-format on */
enum { ACTIONS = sizeof actions / sizeof *actions, LETTERS = 128 };

typedef struct open_request {
    double from, to, tag;
    uint64_t number;
} open_request;

/* The lines of a task, each after its number, where one file has those of all tasks. */
typedef struct task_lines {
    char *text;
    size_t size, room;
} task_lines;

typedef enum left_out { TESTS, UNKNOWN_WAITS, OTHER_RANKS, WILDCARDS, DERIVED, COUNTS } left_out;

typedef struct reading {
    const char *path; /* of the actions */
    FILE *in;
    bool common; /* the actions come from `lines`, */
    task_lines *lines;
    size_t line_room;
    uint64_t line;
    char *text, *next; /* the line */
    size_t text_room;

    vef_import *import;
    uint32_t tasks, task;
    double default_size, gap_ns; /* the former as in SimGrid: of datatypes of all tasks */
    double value[LETTERS];       /* the arguments; of datatypes their bytes */
    uint64_t *sends, *receives;  /* per rank: arguments S and R */
    open_request *open;          /* the oldest first */
    size_t open_count, open_room;
    uint64_t requests;
    const struct action **order; /* collectives of rank 0 */
    size_t order_count, order_room, collectives;
    vef_completion *completions;
    size_t completion_room;
    vef_note_count counts[COUNTS];
} reading;

/* ---- lines ---- */

/* The next line of the file that has an action. */
static bool next_line(reading *reader) {
    while (vef_getline(&reader->text, &reader->text_room, reader->in) >= 0) {
        reader->line++;
        reader->next = reader->text + strspn(reader->text, blanks);
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
        *value = *value < 0 ? 0 : type_bytes[(int)*value];
    }
    return code;
}

static vef_code parse(reading *reader, const struct action *action, vef_error *error) {
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

static vef_code put_message(reading *reader, const struct action *action, vef_error *error) {
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
        vef_grow(&reader->open, &reader->open_room, reader->open_count + 1, sizeof *reader->open);
        reader->open[reader->open_count++] = started;
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
static vef_code check_order(reading *reader, const struct action *action, vef_error *error) {
    const size_t place = reader->collectives++;
    if (reader->task == 0 && action) {
        vef_grow(&reader->order, &reader->order_room, place + 1, sizeof(const struct action *));
        reader->order[reader->order_count++] = action;
    }
    const struct action *first = place < reader->order_count ? reader->order[place] : NULL;
    if (first == action)
        return VEF_OK;
    return vef_fail(error, VEF_INVALID,
                    "%s:%" PRIu64 ": collective %zu of rank %" PRIu32
                    " is %s, of rank 0 %s: "
                    "expected the same in all ranks, since the world is the only communicator",
                    reader->path, reader->line, place, reader->task,
                    action ? action->name : "missing", first ? first->name : "missing");
}

static vef_code put_collective(reading *reader, const struct action *action, vef_error *error) {
    const bool rooted = strchr(action->arguments, 'o');
    const bool at_root = !rooted || reader->value['o'] == reader->task;
    const bool sends = at_root && strchr(action->arguments, 'S');
    const bool receives = at_root && strchr(action->arguments, 'R');
    vef_event event = {.call = action->call,
                       .root = rooted ? (int32_t)reader->value['o'] : -1,
                       .request = VEF_NO_REQUEST,
                       .elements = (uint64_t)reader->value['s'],
                       .send_bytes = reader->sends,
                       .send_count = sends ? reader->tasks : 0,
                       .receive_bytes = reader->receives,
                       .receive_count = receives ? reader->tasks : 0};
    for (uint32_t i = 0; i < reader->tasks; i++) {
        event.elements += receives ? reader->receives[i] : 0;
        reader->sends[i] *= (uint64_t)reader->value['t'];
        reader->receives[i] *= (uint64_t)reader->value['u'];
    }
    if (!vef_call_has(action->call, VEF_FACT_REDUCES))
        event.elements = 0;
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

static vef_code put_action(reading *reader, const struct action *action, vef_error *error) {
    const vef_code code = parse(reader, action, error);
    if (code)
        return code;
    switch (action->kind) {
    case INIT: /* a second word stands for another tracing tool, whose counts were of doubles */
        reader->default_size = words_left(reader) ? DOUBLE_SIZE : BYTE_SIZE;
        return VEF_OK;
    case COMPUTE: /* flops, at 1 Gflop/s */
    case SLEEP:   /* seconds */
        reader->gap_ns += (action->kind == SLEEP ? 1e9 : 1) * reader->value['f'];
        return VEF_OK;
    case MESSAGE:
        return put_message(reader, action, error);
    case WAIT:
        return put_wait(reader, action->call, error);
    case COLLECTIVE:
        return put_collective(reader, action, error);
    default:
        reader->counts[TESTS].count += action->kind == TEST;
        return VEF_OK;
    }
}

/* ---- tasks ---- */

/* The line of a file, whose rank is to be that of the task, or of `lines`. */
static vef_code read_line(reading *reader, vef_error *error) {
    double first;
    const vef_code code = number(reader, "the rank", 0, 0x1p53, &first, error);
    if (code)
        return code;
    if (reader->common) {
        reader->line = (uint64_t)first;
    } else if (first != reader->task) {
        reader->counts[OTHER_RANKS].count++;
        return VEF_OK;
    }
    const char *name = next_word(reader);
    for (size_t i = 0; i < ACTIONS; i++)
        if (strcmp(name, actions[i].name) == 0)
            return put_action(reader, &actions[i], error);
    return fail(reader, error, "expected an action that SimGrid replays", name);
}

static vef_code read_task(reading *reader, uint32_t task, vef_error *error) {
    reader->task = task;
    reader->requests = reader->open_count = reader->collectives = 0;
    vef_code code = vef_import_task(reader->import, task, NULL, error);
    code = code ? code : put(reader, (vef_event){.call = VEF_CALL_Init, .root = -1}, error);
    while (!code && next_line(reader))
        code = read_line(reader, error);
    if (!code && reader->collectives < reader->order_count)
        code = check_order(reader, NULL, error);
    code = code ? code : put_wait(reader, VEF_CALL_Waitall, error);
    return code ? code : put(reader, (vef_event){.call = VEF_CALL_Finalize, .root = -1}, error);
}

/* ---- files ---- */

/* Opens `name`. SimGrid takes the names of a list from the working directory; a list that was moved
 * with its files names files beside it. */
static vef_code open_file(reading *reader, const char *list, const char *name, vef_error *error) {
    const char *slash = *name == '/' ? NULL : strrchr(list, '/');
    char *beside = vef_printed("%.*s%s", slash ? (int)(slash + 1 - list) : 0, list, name);
    reader->path = name;
    reader->line = 0;
    reader->in = fopen(name, "r");
    if (!reader->in && strcmp(list, name) != 0)
        reader->in = fopen(beside, "r");
    free(beside);
    return reader->in ? VEF_OK : vef_fail_errno(error, "%s", name);
}

static vef_code close_file(reading *reader, vef_code code, vef_error *error) {
    if (!code && reader->in && ferror(reader->in))
        code = vef_fail_errno(error, "reading %s", reader->path);
    if (reader->in)
        fclose(reader->in);
    reader->in = NULL;
    return code;
}

/* The names in the list at `path`, one a line: none if it has actions itself. */
static vef_code read_list(reading *reader, const char *path, char ***names, uint32_t *count,
                          vef_error *error) {
    size_t room = 0;
    vef_code code = open_file(reader, path, path, error);
    while (!code && next_line(reader)) {
        if (*count == 0 && isdigit((unsigned char)*reader->next) && words_left(reader) > 1)
            break;
        size_t length = strlen(reader->next);
        while (strchr(blanks, reader->next[length - 1]))
            length--;
        vef_grow(names, &room, *count + 1ull, sizeof **names);
        (*names)[(*count)++] = vef_strndup(reader->next, length);
        code = vef_limit_check(VEF_LIMIT_TASKS, *count, error);
    }
    return close_file(reader, code, error);
}

static void append(task_lines *to, const char *text) {
    const size_t bytes = strlen(text);
    vef_grow(&to->text, &to->room, to->size + bytes, 1);
    memcpy(to->text + to->size, text, bytes);
    to->size += bytes;
}

/* Divides the lines of a file among the tasks. */
static vef_code divide(reading *reader, vef_error *error) {
    vef_code code = VEF_OK;
    while (!code && next_line(reader)) {
        char place[32];
        double rank = 0;
        code = number(reader, "the rank", 0, INT32_MAX - 1, &rank, error);
        if (!code && rank >= reader->tasks)
            code = vef_limit_check(VEF_LIMIT_TASKS, (uint64_t)rank + 1, error);
        if (code)
            break;
        if (rank >= reader->tasks)
            reader->tasks = (uint32_t)rank + 1;
        vef_grow_zeroed(&reader->lines, &reader->line_room, reader->tasks, sizeof *reader->lines);
        snprintf(place, sizeof place, "%" PRIu64 " ", reader->line);
        append(&reader->lines[(uint32_t)rank], place);
        append(&reader->lines[(uint32_t)rank], reader->next);
        append(&reader->lines[(uint32_t)rank], "\n");
    }
    if (!code && reader->tasks == 0)
        code = vef_fail(error, VEF_INVALID, "%s: empty: expected actions", reader->path);
    return code;
}

static vef_code read_tasks(reading *reader, const char *list, char **names, const char *trace_path,
                           vef_format_report *report, vef_error *error) {
    const vef_import_facts facts = {
        .format = "simgrid-ti", .program = list, .tasks = reader->tasks};
    reader->sends = vef_calloc(reader->tasks, sizeof *reader->sends);
    reader->receives = vef_calloc(reader->tasks, sizeof *reader->receives);
    vef_code code = vef_import_begin(trace_path, &facts, &reader->import, error);
    for (uint32_t task = 0; task < reader->tasks && !code; task++) {
        task_lines *lines = reader->common ? &reader->lines[task] : NULL;
        if (lines && !lines->size)
            append(lines, "\n");
        if (!lines)
            code = open_file(reader, list, names[task], error);
        else if ((reader->in = fmemopen(lines->text, lines->size, "r")) == NULL)
            vef_lost(lines->size);
        code = close_file(reader, code ? code : read_task(reader, task, error), error);
    }
    return code ? code : vef_import_finish(reader->import, report, error);
}

vef_code vef_simgrid_read(const char *path, const char *trace_path, vef_format_report *report,
                          vef_error *error) {
    reading reader = {
        .default_size = BYTE_SIZE,
        .counts = {
            [TESTS] = {0, "tests are left out: the format does not tell whether they succeeded"},
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
    reader.common = count < 2;
    reader.tasks = reader.common ? 0 : count;
    if (!code && reader.common) {
        code = open_file(&reader, path, count ? names[0] : path, error);
        code = close_file(&reader, code ? code : divide(&reader, error), error);
    }
    code = code ? code : read_tasks(&reader, path, names, trace_path, report, error);
    if (!code)
        vef_note_counts(&report->notes, reader.counts, COUNTS);
    for (uint32_t i = 0; i < count; i++)
        free(names[i]);
    free(names);
    for (uint32_t i = 0; i < reader.line_room; i++)
        free(reader.lines[i].text);
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
