/* Breaking lines: see wrap.h. */
#include "common/wrap.h"

#include "common/utf8.h"

#include <string.h>

/* The bytes of the next line: as many words as fit into `room` columns, at least one. */
static size_t fitting(const char *text, size_t length, size_t room) {
    size_t column = 0, end = 0, i = 0;
    for (; i < length && column <= room; i++) {
        if (text[i] == ' ')
            end = i;
        column += !vef_utf8_continues(text[i]);
    }
    if (i == length && column <= room)
        return length;
    while (end == 0 && i < length && text[i] != ' ')
        i++;
    return end > 0 ? end : i;
}

void vef_wrap_line(FILE *out, const char *line, size_t length, size_t indent, size_t width) {
    size_t start = strspn(line, " ");
    fprintf(out, "%*s", (int)start, "");
    size_t room = start < width ? width - start : width;
    while (start < length) {
        const size_t bytes = fitting(line + start, length - start, room);
        fprintf(out, "%.*s", (int)bytes, line + start);
        start += bytes + strspn(line + start + bytes, " ");
        if (start < length)
            fprintf(out, "\n%*s", (int)indent, "");
        room = width - indent;
    }
    fputc('\n', out);
}
