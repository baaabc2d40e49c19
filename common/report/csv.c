/* Tables as CSV, quoted as in RFC 4180, with Unix line ends. An apostrophe precedes texts that
 * begin as a formula of a spreadsheet does. */
#include "common/report/report.h"

#include <stdlib.h>
#include <string.h>

/* Whether a spreadsheet would compute a text instead of showing it. "-" alone is no formula. */
static bool is_formula(const char *text) {
    char *end;
    return *text && strchr("=+-@\t\r", *text) && text[1] && (strtod(text, &end), *end);
}

static void write_field(FILE *out, const char *text) {
    if (is_formula(text))
        fputc('\'', out);
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
