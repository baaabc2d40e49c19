/* The lines of a Paraver trace. See lines.h. */
#include "interchange/paraver/lines.h"

#include "common/containers/grow.h"
#include "common/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { BUFFER_BYTES = 1 << 16, PIECE_BYTES = 1 << 10 };

vef_code vef_paraver_lines_open(vef_paraver_lines *lines, const char *path, vef_error *error) {
    *lines = (vef_paraver_lines){.path = path};
    lines->file = gzopen(path, "rb");
    if (!lines->file)
        return vef_fail_errno(error, "%s", path);
    gzbuffer(lines->file, BUFFER_BYTES);
    return VEF_OK;
}

void vef_paraver_lines_close(vef_paraver_lines *lines) {
    if (lines->file)
        gzclose(lines->file);
    free(lines->line);
    *lines = (vef_paraver_lines){0};
}

vef_code vef_paraver_lines_fail(const vef_paraver_lines *lines, vef_error *error,
                                const char *expected) {
    return vef_fail(error, VEF_CORRUPT, "%s:%" PRIu64 ": expected %s", lines->path, lines->number,
                    expected);
}

/* Nothing more was read: at the end of the file, also of a compressed one that was cut, or not. */
static vef_code why_none(vef_paraver_lines *lines, vef_error *error) {
    int number;
    const char *why = gzerror(lines->file, &number);
    if (number == Z_ERRNO)
        return vef_fail_errno(error, "%s", lines->path);
    if (number == Z_OK || number == Z_STREAM_END || number == Z_BUF_ERROR)
        return VEF_OK;
    return vef_fail(error, VEF_CORRUPT, "%s: after line %" PRIu64 ": %s", lines->path,
                    lines->number, why);
}

vef_code vef_paraver_lines_next(vef_paraver_lines *lines, bool *more, vef_error *error) {
    size_t length = 0;
    lines->ended = false;
    while (!lines->ended) {
        vef_grow(&lines->line, &lines->room, length + PIECE_BYTES, 1);
        if (!gzgets(lines->file, lines->line + length, PIECE_BYTES)) {
            const vef_code code = why_none(lines, error);
            if (code)
                return code;
            break;
        }
        const size_t piece = strlen(lines->line + length);
        length += piece;
        lines->ended = piece > 0 && lines->line[length - 1] == '\n';
        if (piece == 0 || (!lines->ended && piece < PIECE_BYTES - 1 && !gzeof(lines->file)))
            return vef_fail(error, VEF_CORRUPT, "%s:%" PRIu64 ": a NUL byte: not a text file",
                            lines->path, lines->number + 1);
    }
    *more = length > 0;
    if (!*more)
        return VEF_OK;
    lines->number++;
    length -= lines->ended;
    if (length > 0 && lines->line[length - 1] == '\r')
        length--;
    lines->line[length] = '\0';
    lines->next = lines->line;
    return VEF_OK;
}

bool vef_paraver_field(vef_paraver_lines *lines, char end, uint64_t *value) {
    const char *next = lines->next;
    uint64_t number = 0;
    if (*next < '0' || *next > '9')
        return false;
    for (; *next >= '0' && *next <= '9'; next++) {
        const uint64_t digit = (uint64_t)(*next - '0');
        if (number > (UINT64_MAX - digit) / 10)
            return false;
        number = 10 * number + digit;
    }
    if (*next != end)
        return false;
    lines->next = next + (end != '\0');
    *value = number;
    return true;
}

/* ---- the header ---- */

static bool field(vef_paraver_lines *lines, char end, uint32_t most, uint32_t *value) {
    uint64_t number;
    if (!vef_paraver_field(lines, end, &number) || number > most)
        return false;
    *value = (uint32_t)number;
    return true;
}

static bool skip(vef_paraver_lines *lines, const char *text) {
    const size_t length = strlen(text);
    if (strncmp(lines->next, text, length) != 0)
        return false;
    lines->next += length;
    return true;
}

/* `(DATE):TIME_ns:` */
static bool read_times(vef_paraver_lines *lines, uint64_t *unit_ns) {
    const char *date = strstr(lines->next, "):");
    uint64_t length;
    if (!skip(lines, "#Paraver (") || !date)
        return false;
    lines->next = date + 2;
    const char *unit = lines->next + strspn(lines->next, "0123456789");
    *unit_ns = 1000;
    if (*unit == ':')
        return vef_paraver_field(lines, ':', &length);
    *unit_ns = strncmp(unit, "_ns:", 4) == 0 ? 1 : strncmp(unit, "_us:", 4) == 0 ? 1000 : 0;
    lines->next = unit + 4;
    return *unit_ns > 0 && lines->next > unit;
}

/* `NODES(PROCESSORS,...):`, or `0:` */
static bool read_nodes(vef_paraver_lines *lines) {
    const char *end = lines->next + strspn(lines->next, "0123456789");
    if (end == lines->next)
        return false;
    if (*end == '(' && !(end = strchr(end, ')')))
        return false;
    lines->next = end + (*end == ')');
    return skip(lines, ":");
}

/* `THREADS:NODE,...)`: the lists grow with what the line has, whatever number it announces. */
static vef_code read_tasks(vef_paraver_lines *lines, vef_paraver_header *header, vef_error *error) {
    size_t threads_room = 0, nodes_room = 0;
    uint32_t announced, threads, node;
    if (!field(lines, '(', VEF_PARAVER_MOST_TASKS, &announced) || announced == 0)
        return vef_paraver_lines_fail(lines, error, "the number of tasks and their list");
    for (bool last = false; !last; header->tasks++) {
        if (!field(lines, ':', UINT16_MAX, &threads) || threads == 0)
            return vef_paraver_lines_fail(lines, error, "the number of threads of each task");
        last = lines->next[strspn(lines->next, "0123456789")] == ')';
        if (!field(lines, last ? ')' : ',', UINT32_MAX, &node))
            return vef_paraver_lines_fail(lines, error, "the node of each task");
        vef_grow(&header->threads, &threads_room, header->tasks + 1ull, sizeof threads);
        vef_grow(&header->nodes, &nodes_room, header->tasks + 1ull, sizeof node);
        header->threads[header->tasks] = threads;
        header->nodes[header->tasks] = node;
    }
    return header->tasks == announced
               ? VEF_OK
               : vef_paraver_lines_fail(lines, error, "as many tasks as the header announces");
}

vef_code vef_paraver_header_read(vef_paraver_lines *lines, vef_paraver_header *header,
                                 vef_error *error) {
    bool more = false;
    uint32_t applications;
    *header = (vef_paraver_header){.world = SIZE_MAX};
    vef_code code = vef_paraver_lines_next(lines, &more, error);
    if (code)
        return code;
    if (!more)
        return vef_fail(error, VEF_CORRUPT, "%s: the file is empty: expected a Paraver trace",
                        lines->path);
    if (!read_times(lines, &header->unit_ns))
        return vef_paraver_lines_fail(lines, error, "a Paraver trace: '#Paraver (date):time_ns:'");
    if (!read_nodes(lines))
        return vef_paraver_lines_fail(lines, error, "the number of nodes and their processors");
    if (!field(lines, ':', UINT32_MAX, &applications) || applications != 1)
        return vef_paraver_lines_fail(lines, error, "the tasks of one application");
    code = read_tasks(lines, header, error);
    if (!code)
        header->ended = vef_calloc(header->tasks, sizeof *header->ended);
    return code;
}

/* `c:APPLICATION:NUMBER:SIZE:TASK:...` */
vef_code vef_paraver_comm_read(vef_paraver_lines *lines, vef_paraver_header *header,
                               vef_error *error) {
    static const char expected[] = "a communicator: c:1:number:size:task:...";
    uint64_t application, number;
    uint32_t announced, task;
    size_t room = 0;
    if (skip(lines, "i:")) {
        header->intercommunicators++;
        return VEF_OK;
    }
    if (!skip(lines, "c:") || !vef_paraver_field(lines, ':', &application) || application != 1 ||
        !vef_paraver_field(lines, ':', &number) || number >= UINT32_MAX ||
        !field(lines, ':', header->tasks, &announced) || announced == 0)
        return vef_paraver_lines_fail(lines, error, expected);
    const uint64_t place = header->comm_count;
    vef_paraver_comm *comm = VEF_NEW_ITEM(header->comms, header->comm_count, header->comm_room);
    *comm = (vef_paraver_comm){0};
    for (bool last = false; !last;) {
        last = comm->size + 1 == announced;
        if (!field(lines, last ? '\0' : ':', header->tasks, &task) || task == 0 ||
            vef_map64_get(&header->rank_of, place << 32 | (task - 1)))
            return vef_paraver_lines_fail(lines, error, expected);
        vef_grow(&comm->members, &room, comm->size + 1ull, sizeof task);
        comm->members[comm->size] = task - 1;
        vef_map64_set(&header->rank_of, place << 32 | (task - 1), comm->size++);
    }
    bool world = header->world == SIZE_MAX && comm->size == header->tasks;
    for (uint32_t i = 0; world && i < comm->size; i++)
        world = comm->members[i] == i;
    if (world)
        header->world = place;
    vef_map64_set(&header->comm_of, number, place);
    return VEF_OK;
}

void vef_paraver_header_free(vef_paraver_header *header) {
    for (size_t i = 0; i < header->comm_count; i++)
        free(header->comms[i].members);
    free(header->comms);
    free(header->threads);
    free(header->nodes);
    free(header->ended);
    vef_map64_free(&header->comm_of);
    vef_map64_free(&header->rank_of);
    *header = (vef_paraver_header){0};
}
