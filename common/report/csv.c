/* Tables as CSV, quoted as in RFC 4180, with Unix line ends. */
#include "common/report/report.h"

#include <string.h>

static void write_field(FILE *out, const char *text) {
    if (!text[strcspn(text, ",\"\r\n")]) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

void vef_csv(FILE *out, const vef_cell *cells, size_t columns, bool heads) {
    (void)heads;
    for (size_t i = 0; i < columns; i++) {
        if (i)
            fputc(',', out);
        write_field(out, cells[i].text);
    }
    fputc('\n', out);
}
