/* Streams of protobuf messages, and their wire format: see chakra.h. */
#include "common/containers/grow.h"
#include "interchange/chakra/chakra.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { STEP_BYTES = 1 << 16 };

/* Whether the file is one of the forms of JSON around Chakra, none of which is read. */
static vef_code refuse_json(const vef_wire_stream *stream, vef_error *error) {
    static const struct {
        const char *key, *form;
    } forms[] = {
        {"\"schemaVersion\"",
         "device trace of PyTorch (Kineto): link it with the host trace by "
         "chakra_trace_link, and convert the result by chakra_converter PyTorch"},
        {"\"schema\"",
         "execution trace of PyTorch: convert it by chakra_converter PyTorch --input "
         "FILE --output PREFIX.0.et"},
        {"\"workload_graph\"", "JSON trace of Chakra's feeder: expected its protobuf form"},
        {"", "JSON, as chakra_jsonizer writes it: expected the input of chakra_jsonizer"},
    };
    char text[1024];
    const int got = gzread((gzFile)stream->file, text, sizeof text - 1);
    gzrewind((gzFile)stream->file);
    text[got > 0 ? got : 0] = '\0';
    size_t i = 0;
    if (*text != '{' || text[1 + strspn(text + 1, " \t\r\n")] != '"')
        return VEF_OK;
    while (!strstr(text, forms[i].key))
        i++;
    return vef_fail(error, VEF_INVALID, "%s: %s", stream->path, forms[i].form);
}

vef_code vef_wire_open(const char *path, vef_wire_stream *stream, vef_error *error) {
    *stream = (vef_wire_stream){.path = path, .file = gzopen(path, "rb")};
    return stream->file ? refuse_json(stream, error) : vef_fail_errno(error, "%s", path);
}

void vef_wire_close(vef_wire_stream *stream) {
    if (stream->file)
        gzclose((gzFile)stream->file);
    free(stream->buffer);
    *stream = (vef_wire_stream){0};
}

/* Fewer bytes were read than a message has. */
static vef_code fail_read(const vef_wire_stream *stream, vef_error *error) {
    int number = 0;
    const char *text = gzerror((gzFile)stream->file, &number);
    if (number == Z_ERRNO)
        return vef_fail_errno(error, "reading %s", stream->path);
    if (number != Z_OK && number != Z_STREAM_END)
        return vef_fail(error, VEF_CORRUPT, "%s: %s", stream->path, text);
    return vef_fail(error, VEF_CORRUPT, "%s: the file ends within message %" PRIu64, stream->path,
                    stream->count);
}

static vef_code read_length(vef_wire_stream *stream, uint64_t *length, bool *more,
                            vef_error *error) {
    *length = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
        uint8_t byte;
        const int got = gzread((gzFile)stream->file, &byte, 1);
        *more = got > 0;
        if (got == 0 && shift == 0 && gzeof((gzFile)stream->file))
            return VEF_OK;
        if (got <= 0)
            return fail_read(stream, error);
        *length |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return VEF_OK;
    }
    return vef_fail(error, VEF_CORRUPT,
                    "%s: message %" PRIu64 ": expected its length, a varint of 32 bits",
                    stream->path, stream->count);
}

vef_code vef_wire_next(vef_wire_stream *stream, vef_wire *message, bool *more, vef_error *error) {
    uint64_t length = 0, filled = 0;
    vef_code code = read_length(stream, &length, more, error);
    if (code || !*more)
        return code;
    /* Step by step: a length that the file does not have takes no memory. */
    while (filled < length) {
        const uint64_t step = length - filled < STEP_BYTES ? length - filled : STEP_BYTES;
        vef_grow(&stream->buffer, &stream->capacity, filled + step, 1);
        const int got = gzread((gzFile)stream->file, stream->buffer + filled, (unsigned)step);
        if (got < 0 || (uint64_t)got < step)
            return fail_read(stream, error);
        filled += step;
    }
    stream->count++;
    message->next = stream->buffer;
    message->end = stream->buffer ? stream->buffer + length : NULL;
    return VEF_OK;
}

bool vef_wire_varint(vef_wire *from, uint64_t *value) {
    *value = 0;
    for (unsigned shift = 0; shift < 64 && from->next < from->end; shift += 7) {
        const uint8_t byte = *from->next++;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return true;
    }
    return false;
}

static bool fixed(vef_wire *from, unsigned bytes, uint64_t *value) {
    if ((size_t)(from->end - from->next) < bytes)
        return false;
    *value = 0;
    for (unsigned i = 0; i < bytes; i++)
        *value |= (uint64_t)from->next[i] << 8 * i;
    from->next += bytes;
    return true;
}

bool vef_wire_field_next(vef_wire *message, vef_wire_field *field, bool *more) {
    uint64_t key, length;
    *field = (vef_wire_field){0};
    *more = message->next < message->end;
    if (!*more)
        return true;
    if (!vef_wire_varint(message, &key) || key >> 3 == 0 || key >> 3 > UINT32_C(0x1fffffff))
        return false;
    field->number = (uint32_t)(key >> 3);
    field->type = key & 7;
    switch (field->type) {
    case VEF_WIRE_VARINT:
        return vef_wire_varint(message, &field->value);
    case VEF_WIRE_FIXED64:
        return fixed(message, 8, &field->value);
    case VEF_WIRE_FIXED32:
        return fixed(message, 4, &field->value);
    case VEF_WIRE_BYTES:
        if (!vef_wire_varint(message, &length) || length > (uint64_t)(message->end - message->next))
            return false;
        field->bytes = (vef_wire){message->next, message->next + length};
        message->next += length;
        return true;
    default:
        return false;
    }
}
