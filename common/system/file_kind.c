/* Kinds of files. See file_kind.h. Binary files have first bytes of their own, text files a first
 * word or member; YAML files of vef are told apart by their keys. */
#include "common/system/file_kind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { READ_BYTES = 12288, PATH_BYTES = 4096 };

typedef struct file_kind {
    const char *begin; /* the first bytes, or the line feed and the key */
    const char *word, *text;
    const char *to_trace; /* the command that makes a trace of it; NULL: none */
} file_kind;

#define IMPORT(format) "`vef import -f " format "` makes a trace of it"

static const file_kind beginnings[] = {
    {"\x89VEFTRC\n", "trace", "a trace", NULL},
    {"\x89VEFLOG\n", "log", "the log of one task, not a trace",
     "`vef gather` merges the logs of a folder"},
    {"\177ELF", "program", "a program or a shared object (ELF)", "`vef capture` runs a program"},
    {"%PDF", "pdf", "a PDF document", NULL},
    {"\xd4\xc3\xb2\xa1", "pcap", "a packet capture (pcap)", NULL},
    {"\xa1\xb2\xc3\xd4", "pcap", "a packet capture (pcap)", NULL},
    {"\x0a\x0d\x0d\x0a", "pcap", "a packet capture (pcapng)", NULL},
    {"\x1f\x8b", "gzip", "a file compressed by gzip", NULL},
    {"\x28\xb5\x2f\xfd", "zstd", "a file compressed by zstd", NULL},
    {"PK\x03\x04", "zip", "a ZIP archive", NULL},
    {"vef-trace ", "text", "the text of a trace, as of `vef dump`",
     "`vef assemble` makes a trace of it"},
    {"num_ranks ", "goal", "a schedule in the format goal", IMPORT("goal")},
    {"#Paraver", "paraver", "a trace of Paraver", IMPORT("paraver")},
    {"# vefpingpong ", "measurements", "measurements of vef fit", NULL},
    {"{\n  \"file\":", "result", "a result in JSON, as of vef info", NULL},
    {"{\n  \"trace\":", "result", "a result in JSON, as of vef replay", NULL},
    {"{\n  \"network\":", "result", "a result in JSON, as of vef load", NULL},
    {"{\n  \"options\":", "result", "a result in JSON, as of vef compare", NULL},
    {"{\n  \"family\":", "result", "a result in JSON, as of vef topology", NULL},
    {"hostname=", "dumpi", "a .meta file of DUMPI", IMPORT("dumpi")},
};

/* Keys that begin a line. The first row that fits. */
static const file_kind keys[] = {
    {"\nrun:", "study", "a study", NULL},
    {"\nnetworks:", "study", "a study", NULL},
    {"\ntopology:", "network", "a network file", NULL},
    {"\nmodel:", "network", "a network file", NULL},
    {"\nrouting:", "network", "a network file", NULL},
    {"\nrouter:", "network", "a network file", NULL},
    {"\nlink:", "network", "a network file", NULL},
    {"\nmpi:", "network", "a network file", NULL},
    {"\nhost:", "network", "a network file", NULL},
    {"\nworkload:", "workload", "a workload file", NULL},
    {"\njobs:", "jobs", "a jobs file", NULL},
};

static const file_kind folders[] = {
    {"results.jsonl", "results", "the folder of the results of a study", NULL},
    {"traces.otf2", "otf2", "an archive of OTF2: its file is traces.otf2", IMPORT("otf2")},
};

static const file_kind *find_folder(const char *path) {
    static const file_kind other = {"", "folder", "a folder", NULL};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char name[PATH_BYTES];
        if (snprintf(name, sizeof name, "%s/%s", path, folders[i].begin) < PATH_BYTES &&
            access(name, F_OK) == 0)
            return &folders[i];
    }
    return &other;
}

/* Whether the first line that is neither empty nor a comment consists of whole numbers. */
static bool has_numbers(const char *text) {
    size_t length = 0;
    for (; *text == '#' || *text == '\n'; text += length + (text[length] == '\n'))
        length = strcspn(text, "\n");
    return *text >= '0' && *text <= '9' && strspn(text, "0123456789 \t\r") == strcspn(text, "\n");
}

/* `text` begins with a line feed before the `bytes` bytes of the file. */
static const file_kind *find_content(const char *text, size_t bytes) {
    static const file_kind empty = {"", "empty", "an empty file", NULL};
    static const file_kind numbers = {
        "", "numbers", "a text of numbers, such as links of a graph or a mapping", NULL};
    if (bytes == 0)
        return &empty;
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
        const size_t length = strlen(beginnings[i].begin);
        if (bytes >= length && memcmp(text + 1, beginnings[i].begin, length) == 0)
            return &beginnings[i];
    }
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strstr(text, keys[i].begin))
            return &keys[i];
    return has_numbers(text + 1) ? &numbers : NULL;
}

static const file_kind *find_kind(const char *path, unsigned long *tasks) {
    static const char tasks_key[] = "\ntasks: ";
    struct stat status;
    if (stat(path, &status) != 0 || !(S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)))
        return NULL;
    if (S_ISDIR(status.st_mode))
        return find_folder(path);
    FILE *file = fopen(path, "rbe");
    if (!file)
        return NULL;
    char text[READ_BYTES + 2] = "\n";
    const size_t bytes = fread(text + 1, 1, READ_BYTES, file);
    fclose(file);
    text[bytes + 1] = '\0';
    const char *found = memmem(text, bytes, tasks_key, strlen(tasks_key));
    *tasks = found ? strtoul(found + strlen(tasks_key), NULL, 10) : 0;
    return find_content(text, bytes);
}

vef_code vef_fail_kind(vef_error *error, const char *path, const char *wanted,
                       const char *expected) {
    unsigned long tasks = 0;
    char count[64] = "";
    if (!error)
        return VEF_INVALID;
    const file_kind *kind = find_kind(path, &tasks);
    if (!kind || strcmp(kind->word, wanted) == 0)
        return error->code;
    if (strcmp(kind->word, "trace") == 0 && tasks > 0)
        snprintf(count, sizeof count, " of %lu task%s", tasks, tasks == 1 ? "" : "s");
    const char *advice = strcmp(wanted, "trace") == 0 ? kind->to_trace : NULL;
    return vef_fail(error, error->code, "%s: this is %s%s: expected %s%s%s", path, kind->text,
                    count, expected, advice ? "; " : "", advice ? advice : "");
}
