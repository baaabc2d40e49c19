/* The calls of one DUMPI file. Lists of a call stay in the file, which is mapped. */
#include "interchange/dumpi/dumpi.h"

#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint8_t magic[8] = {0xff, 0xaa, 0xdd, 'D', 'U', 'M', 'P', 'I'};
static const uint64_t footer_magic = 0xf007fee7;

/* Bits of the mask of a call. */
enum { HAS_STATUS = 3, HAS_CPU = 4, HAS_WALL = 8, HAS_THREAD = 64, HAS_COUNTERS = 128 };

/* clang-format off */
static const struct row {
    const char *name, *arguments;
    vef_dumpi_kind kind;
} rows[] = {
#define CALL(name, arguments, kind) {#name, arguments, VEF_DUMPI_##kind},
#include "interchange/dumpi/calls.def"
#undef CALL
};
/* clang-format on */

const char *vef_dumpi_name(uint16_t id) {
    return id < VEF_DUMPI_CALLS ? rows[id].name : "unknown";
}

static uint64_t number(const uint8_t *digits, unsigned bytes) {
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value = value << 8 | digits[i];
    return value;
}

int32_t vef_dumpi_int(vef_dumpi_list list, uint32_t index) {
    return (int32_t)(uint32_t)number(list.items + 4ull * index, 4);
}

uint16_t vef_dumpi_handle(vef_dumpi_list list, uint32_t index) {
    return (uint16_t)number(list.items + 2ull * index, 2);
}

/* Before version 0.6.3 a status had no tag. */
static unsigned status_bytes(const vef_dumpi_stream *stream) {
    return stream->version >= 0x000603 ? 14 : 10;
}

vef_dumpi_status vef_dumpi_status_of(const vef_dumpi_stream *stream, const vef_dumpi_call *call,
                                     uint32_t index) {
    const uint8_t *status = call->statuses.items + (uint64_t)index * status_bytes(stream);
    return (vef_dumpi_status){.bytes = (int32_t)(uint32_t)number(status, 4),
                              .source = (int32_t)(uint32_t)number(status + 4, 4),
                              .cancelled = status[8] != 0,
                              .tag = status_bytes(stream) == 14
                                         ? (int32_t)(uint32_t)number(status + 10, 4)
                                         : VEF_DUMPI_ANY};
}

const int32_t *vef_dumpi_asked(const vef_dumpi_call *call) {
    switch (call->id) {
    case VEF_DUMPI_Recv:
    case VEF_DUMPI_Irecv:
    case VEF_DUMPI_Recv_init:
        return call->ints + 1;
    case VEF_DUMPI_Sendrecv:
        return call->ints + 4;
    case VEF_DUMPI_Sendrecv_replace:
        return call->ints + 3;
    default:
        return NULL;
    }
}

uint16_t vef_dumpi_made(const vef_dumpi_call *call) {
    const bool third = call->id == VEF_DUMPI_Comm_create || call->id == VEF_DUMPI_Intercomm_create;
    return call->handles[third ? 2 : 1];
}

/* ---- reading within the file ---- */

/* Whether `count` items of `item_bytes` are left; moves behind them. `*from` is their place. */
static bool take(vef_dumpi_stream *stream, uint64_t count, unsigned item_bytes,
                 const uint8_t **from) {
    if (count > (stream->end - stream->next) / item_bytes)
        return false;
    *from = stream->data + stream->next;
    stream->next += count * item_bytes;
    return true;
}

static bool take_number(vef_dumpi_stream *stream, unsigned bytes, uint64_t *value) {
    const uint8_t *digits = NULL;
    if (!take(stream, bytes, 1, &digits))
        return false;
    *value = number(digits, bytes);
    return true;
}

static bool take_list(vef_dumpi_stream *stream, unsigned item_bytes, vef_dumpi_list *list) {
    uint64_t count = 0;
    if (!take_number(stream, 4, &count) || !take(stream, count, item_bytes, &list->items))
        return false;
    list->count = (uint32_t)count;
    return true;
}

/* Arrays of strings, `depth` deep. */
static bool skip_strings(vef_dumpi_stream *stream, unsigned depth) {
    vef_dumpi_list text;
    uint64_t count = 0;
    if (depth == 0)
        return take_list(stream, 1, &text);
    if (!take_number(stream, 4, &count))
        return false;
    for (uint64_t i = 0; i < count; i++)
        if (!skip_strings(stream, depth - 1))
            return false;
    return true;
}

/* The list begins at the first of the arrays. */
static bool take_arrays(vef_dumpi_stream *stream, vef_dumpi_list *list) {
    vef_dumpi_list item;
    uint64_t count = 0;
    if (!take_number(stream, 4, &count))
        return false;
    *list = (vef_dumpi_list){(uint32_t)count, stream->data + stream->next};
    for (uint64_t i = 0; i < count; i++)
        if (!take_list(stream, 4, &item))
            return false;
    return true;
}

typedef struct reading {
    unsigned ints, handles, lists;
    uint8_t mask;
} reading;

static bool take_argument(vef_dumpi_stream *stream, vef_dumpi_call *call, reading *got, char code) {
    uint64_t value = 0;
    vef_dumpi_list ignored;
    if (code == 'x' && stream->version >= 0x000602)
        return true;
    if (code == 'x' || (code == 'u' && stream->version < 0x000608) ||
        (code == 'v' && stream->version < 0x000609))
        code = 'i';
    switch (code) {
    case 'i':
        if (!take_number(stream, 4, &value))
            return false;
        call->ints[got->ints++] = (int32_t)(uint32_t)value;
        return true;
    case 'h':
        if (!take_number(stream, 2, &value))
            return false;
        call->handles[got->handles++] = (uint16_t)value;
        return true;
    case 'b':
        return take_number(stream, 1, &value);
    case 'q':
        return take_number(stream, 8, &value);
    case 'w':
        return take_list(stream, 2, &call->lists[got->lists++]);
    case 'm':
        return take_arrays(stream, &call->lists[got->lists++]);
    case 'y':
    case 's':
        return take_list(stream, 1, &ignored);
    case 'l':
        return skip_strings(stream, 1);
    case 'L':
        return skip_strings(stream, 2);
    case 'S':
        return !(got->mask & HAS_STATUS) ||
               take_list(stream, status_bytes(stream), &call->statuses);
    default: /* a, u, v */
        return take_list(stream, 4, &call->lists[got->lists++]);
    }
}

static bool take_arguments(vef_dumpi_stream *stream, vef_dumpi_call *call, uint8_t mask) {
    reading got = {.mask = mask};
    bool there = true;
    for (const char *code = rows[call->id].arguments; *code; code++) {
        if (*code == '?' || *code == '!')
            there = call->ints[*code == '!'] == call->ints[got.ints - 1];
        else if (*code == ';')
            there = true;
        else if (there && !take_argument(stream, call, &got, *code))
            return false;
    }
    return true;
}

static bool take_time(vef_dumpi_stream *stream, uint64_t *ns) {
    uint64_t seconds = 0, rest = 0;
    if (!take_number(stream, 2, &seconds) || !take_number(stream, 4, &rest))
        return false;
    *ns = seconds * 1000000000 + rest;
    return true;
}

static bool take_call(vef_dumpi_stream *stream, vef_dumpi_call *call) {
    uint64_t mask = 0, value = 0;
    const uint8_t *ignored = NULL;
    if (!take_number(stream, 1, &mask))
        return false;
    if (mask & HAS_THREAD) {
        if (!take_number(stream, 2, &value))
            return false;
        call->thread = (uint16_t)value;
    }
    call->has_cpu = mask & HAS_CPU;
    if (call->has_cpu &&
        !(take_time(stream, &call->cpu_entered_ns) && take_time(stream, &call->cpu_left_ns)))
        return false;
    call->entered_ns = call->cpu_entered_ns;
    call->left_ns = call->cpu_left_ns;
    if (mask & HAS_WALL) {
        if (!(take_time(stream, &call->entered_ns) && take_time(stream, &call->left_ns)))
            return false;
        call->entered_ns += stream->clock_ns;
        call->left_ns += stream->clock_ns;
    }
    if (mask & HAS_COUNTERS &&
        !(take_number(stream, 1, &value) && take(stream, value, 16, &ignored)))
        return false;
    if (call->id < VEF_DUMPI_CALLS)
        return take_arguments(stream, call, (uint8_t)mask);
    return take_number(stream, 8, &value); /* an address */
}

vef_code vef_dumpi_next(vef_dumpi_stream *stream, vef_dumpi_call *call, bool *more,
                        vef_error *error) {
    uint64_t id = 0;
    *more = false;
    do {
        stream->offset = stream->next;
        *call = (vef_dumpi_call){0};
        if (!take_number(stream, 2, &id)) {
            stream->cut = true;
            return VEF_OK;
        }
        if (id == VEF_DUMPI_END)
            return VEF_OK;
        if (id == VEF_DUMPI_CALLS || id > VEF_DUMPI_END)
            return vef_fail(error, VEF_CORRUPT,
                            "%s: offset %" PRIu64 ": call %" PRIu64
                            ": expected a number of an MPI call (0 to %d) or the end (%d)",
                            stream->path, stream->offset, id, VEF_DUMPI_CALLS - 1, VEF_DUMPI_END);
        call->id = (uint16_t)id;
        if (!take_call(stream, call)) {
            if (!stream->indexed) {
                stream->cut = true;
                return VEF_OK;
            }
            return vef_fail(error, VEF_CORRUPT, "%s: offset %" PRIu64 ": %s exceeds the file",
                            stream->path, stream->offset, vef_dumpi_name(call->id));
        }
    } while (id > VEF_DUMPI_CALLS); /* functions of the program */
    call->kind = rows[id].kind;
    *more = true;
    return VEF_OK;
}

/* ---- the file ---- */

/* Moves to a section that the index names; false without it. */
static bool seek(vef_dumpi_stream *stream, uint64_t offset) {
    stream->next = offset < stream->bytes ? offset : stream->bytes;
    return offset > 0 && offset < stream->bytes;
}

/* The header: version, time, host. */
static void read_header(vef_dumpi_stream *stream, uint64_t offset) {
    uint64_t value = 0, length = 0;
    const uint8_t *text = NULL;
    if (!seek(stream, offset) || !take_number(stream, 3, &value))
        return;
    stream->version = (unsigned)value;
    if (!take_number(stream, 8, &value) || !take_number(stream, 2, &length) ||
        !take(stream, length, 1, &text))
        return;
    length = length < sizeof stream->host ? length : sizeof stream->host - 1;
    memcpy(stream->host, text, length);
    stream->host[length] = '\0';
}

/* The index ends the file: the magic, then offsets; older versions have fewer before the last
 * four, which are those of header, calls, footer and key-values. */
static void read_index(vef_dumpi_stream *stream) {
    uint64_t calls = 8, value = 0;
    unsigned offsets = 8;
    stream->end = stream->bytes;
    stream->version = 0x010000;
    while (--offsets >= 4)
        if (stream->bytes >= 8ull * (offsets + 2) &&
            memcmp(stream->data + stream->bytes - 8ull * (offsets + 1), magic, sizeof magic) == 0)
            break;
    if (offsets >= 4) {
        const uint8_t *last = stream->data + stream->bytes - 32;
        const uint64_t footer = number(last + 16, 8);
        stream->indexed = true;
        read_header(stream, number(last, 8));
        calls = number(last + 8, 8);
        if (seek(stream, footer) && take_number(stream, 8, &value) && value == footer_magic &&
            take(stream, 2ull * (VEF_DUMPI_CALLS + 1), 4, &stream->counts.items))
            stream->counts.count = 2 * (VEF_DUMPI_CALLS + 1);
        if (offsets == 7 &&
            (!seek(stream, number(last - 24, 8)) || !take_list(stream, 4, &stream->type_bytes)))
            stream->type_bytes.count = 0;
    }
    seek(stream, calls);
    if (!take_number(stream, 8, &value)) /* the seconds of both clocks before the run */
        stream->next = stream->bytes;
    stream->clock_ns = (value & INT32_MAX) * 1000000000;
}

vef_code vef_dumpi_open(const char *path, vef_dumpi_stream *stream, vef_error *error) {
    struct stat facts;
    *stream = (vef_dumpi_stream){.path = path};
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return vef_fail_errno(error, "opening %s", path);
    vef_code code = VEF_OK;
    if (fstat(file, &facts) != 0)
        code = vef_fail_errno(error, "reading %s", path);
    else if (!S_ISREG(facts.st_mode) || facts.st_size < 16)
        code = vef_fail(error, VEF_CORRUPT, "%s: not a DUMPI file: %lld bytes, expected 16 or more",
                        path, (long long)facts.st_size);
    else {
        stream->bytes = (uint64_t)facts.st_size;
        stream->data = mmap(NULL, stream->bytes, PROT_READ, MAP_PRIVATE, file, 0);
        if (stream->data == MAP_FAILED) {
            stream->data = NULL;
            code = vef_fail_errno(error, "reading %s", path);
        }
    }
    close(file);
    if (!code && memcmp(stream->data, magic, sizeof magic) != 0)
        code = vef_fail(error, VEF_CORRUPT,
                        memcmp(stream->data, "IPMUD\xdd\xaa\xff", 8) == 0
                            ? "%s: a DUMPI file in little-endian order: expected big-endian"
                            : "%s: not a DUMPI file: expected ff aa dd DUMPI at its beginning",
                        path);
    if (!code)
        read_index(stream);
    if (code)
        vef_dumpi_close(stream);
    return code;
}

void vef_dumpi_close(vef_dumpi_stream *stream) {
    if (stream->data)
        munmap(stream->data, stream->bytes);
    stream->data = NULL;
}
