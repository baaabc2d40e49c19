/* docs/results/papers.md is the page of published figures beside computed ones, and every figure
 * agrees to the last printed digit or its row gives a reason. With --write: prints the page (`make
 * docs`). */
#include "common/system/file.h"
#include "tests/papers/papers.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_ROWS = 75, MOST_PAGE_BYTES = 1 << 20 };

/* The rows of figures; heads begin with "| network" or "| ---". */
static unsigned rows_of(const char *page) {
    unsigned rows = 0;
    for (const char *cursor = page; (cursor = strstr(cursor, "\n| ")) != NULL; cursor++)
        rows += cursor[3] != 'n' && cursor[3] != '-';
    return rows;
}

static int compare(const char *page) {
    vef_error error;
    char *committed = NULL;
    if (vef_file_read("docs/results/papers.md", MOST_PAGE_BYTES, &committed, NULL, &error) !=
        VEF_OK) {
        printf("FAIL: %s\n", error.message);
        return 1;
    }
    const bool same = strcmp(page, committed) == 0;
    if (!same)
        printf("FAIL: docs/results/papers.md is outdated: run make docs\n%s", page);
    const unsigned rows = rows_of(page);
    if (rows <= LEAST_ROWS)
        printf("FAIL: %u rows: expected more than %d\n", rows, LEAST_ROWS);
    free(committed);
    return !same || rows <= LEAST_ROWS;
}

int main(int argc, char **argv) {
    const bool write = argc == 2 && strcmp(argv[1], "--write") == 0;
    char *page = NULL;
    size_t bytes;
    vef_error error;
    FILE *out = write ? stdout : open_memstream(&page, &bytes);
    if (!out || vef_papers_write(out, &error) != VEF_OK || fflush(out) != 0) {
        printf("FAIL: %s\n", out ? error.message : "no memory");
        return 1;
    }
    if (write)
        return 0;
    fclose(out);
    const int failed = compare(page);
    free(page);
    return failed;
}
