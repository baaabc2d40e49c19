/* Diagnoses why `vef capture` has nothing to merge: see nothing.h. It looks at the words of the
 * command, at the words of the scripts among them, and at the programs that these name. Programs
 * that only a running script can name stay unknown. */
#include "cli/capture/nothing.h"
#include "cli/capture/shell_word.h"
#include "cli/capture/words.h"
#include "cli/command.h"
#include "cli/installed.h"
#include "common/memory.h"
#include "common/system/file.h"

#include <elf.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum {
    TEXT_BYTES = 2048,
    MOST_PROGRAM_BYTES = 1 << 30,
    MOST_SCRIPT_BYTES = 1 << 20,
    MOST_DEPTH = 3,
    MOST_PROGRAMS = 200
};

#ifdef __aarch64__
enum { OWN_MACHINE = EM_AARCH64 };
#else
enum { OWN_MACHINE = EM_X86_64 };
#endif

/* Each text is of the first case found, "" if none. */
typedef struct findings {
    char obstacle[TEXT_BYTES];  /* why an MPI program cannot be captured */
    char lost[TEXT_BYTES];      /* what removes LD_PRELOAD */
    char container[TEXT_BYTES]; /* what hides files */
    char program[TEXT_BYTES];   /* an MPI program without an obstacle */
    char doubt[TEXT_BYTES];     /* why a program could not be captured if it was an MPI program */
    char others[TEXT_BYTES];    /* list of programs without MPI */
    unsigned depth, programs;
} findings;

__attribute__((format(printf, 2, 3))) static void note(char *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (*text == '\0')
        vsnprintf(text, TEXT_BYTES, format, arguments);
    va_end(arguments);
}

/* ---- programs ---- */

typedef struct image {
    char *bytes;
    size_t size;
} image;

/* False if the file is not an ELF file. */
static bool read_image(const char *path, image *file) {
    vef_error error;
    if (vef_file_read(path, MOST_PROGRAM_BYTES, &file->bytes, &file->size, &error))
        return false;
    if (file->size >= sizeof(Elf64_Ehdr) && memcmp(file->bytes, ELFMAG, SELFMAG) == 0)
        return true;
    free(file->bytes);
    return false;
}

/* The path of the program's loader, "" if it is statically linked. */
static const char *loader_of(const image *file) {
    const Elf64_Ehdr *head = (const void *)file->bytes;
    if (head->e_phoff > file->size || head->e_phoff % sizeof(uint64_t) != 0)
        return "";
    const Elf64_Phdr *parts = (const void *)(file->bytes + head->e_phoff);
    for (size_t i = 0; i < head->e_phnum && i < (file->size - head->e_phoff) / sizeof *parts; i++)
        if (parts[i].p_type == PT_INTERP && parts[i].p_offset < file->size &&
            memchr(file->bytes + parts[i].p_offset, '\0', file->size - parts[i].p_offset))
            return file->bytes + parts[i].p_offset;
    return "";
}

/* Whether a program or library names a function, as its own or another's. */
static bool has_name(const image *file, const char *name) {
    char bounded[32] = "";
    const size_t length = strlen(strcpy(bounded + 1, name)) + 2;
    return memmem(file->bytes, file->size, bounded, length) != NULL;
}

/* Whether a program has an MPI library with PMPI functions, among those that its loader finds;
 * `missing`: a library that it does not find. */
static bool has_mpi(const char *loader, const char *path, char *missing) {
    static char command[3 * VEF_INSTALLED_BYTES];
    char line[TEXT_BYTES];
    char *const words[] = {(char *)(uintptr_t)loader, (char *)(uintptr_t)path, NULL};
    const size_t length = strlen(strcpy(command, "LD_TRACE_LOADED_OBJECTS=1 "));
    bool found = false;
    vef_shell_words(words, command + length, sizeof command - length - 16);
    FILE *lines = popen(strcat(command, " 2>/dev/null"), "r");
    while (lines != NULL && fgets(line, sizeof line, lines) != NULL) {
        char *name = line + strspn(line, "\t "), *arrow = strstr(name, " => ");
        char *end = arrow != NULL ? strstr(arrow, " (0x") : NULL;
        image library;
        if (arrow != NULL && strncmp(arrow + 4, "not found", 9) == 0)
            note(missing, "%.*s", (int)(arrow - name), name);
        if (end == NULL)
            continue;
        *end = '\0';
        if (!found && read_image(arrow + 4, &library)) {
            found = has_name(&library, "PMPI_Init");
            free(library.bytes);
        }
    }
    if (lines != NULL)
        pclose(lines);
    return found;
}

/* Whether the loader is in its secure mode, in which it ignores LD_PRELOAD. */
static bool is_secure(const char *path) {
    struct stat file;
    return stat(path, &file) == 0 &&
           (((file.st_mode & S_ISUID) != 0 && file.st_uid != getuid()) ||
            ((file.st_mode & S_ISGID) != 0 && file.st_gid != getgid()) ||
            (getuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0));
}

static void look_at_program(findings *found, const char *name, const char *path,
                            const image *file) {
    char missing[TEXT_BYTES] = "";
    const Elf64_Ehdr *head = (const void *)file->bytes;
    const bool native = head->e_ident[EI_CLASS] == ELFCLASS64 && head->e_machine == OWN_MACHINE;
    const char *loader = native ? loader_of(file) : "";
    const bool glibc = strncmp(vef_word_name(loader), "ld-linux", 8) == 0;
    const bool mpi = glibc && has_mpi(loader, path, missing);
    if (*missing != '\0')
        note(found->doubt,
             "%s needs %s, which the loader does not find: expected its folder in "
             "LD_LIBRARY_PATH",
             name, missing);
    else if (!native)
        note(found->doubt, "%s is a program for another processor: expected a 64-bit one", name);
    else if (mpi && is_secure(path))
        note(found->obstacle,
             "%s has other rights than its user (set-user-ID, capabilities), for which the loader "
             "ignores LD_PRELOAD: expected a copy without them",
             name);
    else if (mpi)
        note(found->program, "%s", name);
    else if (has_name(file, "PMPI_Init"))
        note(found->obstacle,
             "%s is statically linked with MPI: expected dynamic linking with its MPI library",
             name);
    else if (*loader == '\0')
        note(found->doubt,
             "%s is statically linked, so nothing can be preloaded: expected a dynamically linked "
             "program",
             name);
    else if (!glibc)
        note(found->doubt, "%s uses the loader %s: expected a program that uses glibc", name,
             loader);
    else if (has_name(file, "MPI_Init"))
        note(found->obstacle,
             "%s has a stand-in for MPI, without PMPI_Init: expected MPICH, Open MPI or libmpi_abi",
             name);
}

/* ---- words ---- */

/* Words that keep LD_PRELOAD from a program, behind the word `former` if there is one. In the
 * command itself vef changes those `in_script` (launch.c). */
static const struct {
    const char *former, *word, *why;
    bool in_script;
} losses[] = {
#define PASSES_NOTHING_ON "does not pass LD_PRELOAD on: expected vef capture behind it"
    {NULL, "sudo", PASSES_NOTHING_ON, false},
    {NULL, "su", PASSES_NOTHING_ON, false},
    {NULL, "doas", PASSES_NOTHING_ON, false},
    {NULL, "ssh", PASSES_NOTHING_ON, false},
    {NULL, "systemd-run", PASSES_NOTHING_ON, false},
    {"env", "-i", PASSES_NOTHING_ON, true},
    {"env", "-", PASSES_NOTHING_ON, true},
    {"env", "--ignore-environment", PASSES_NOTHING_ON, true},
    {NULL, "--export=NONE", PASSES_NOTHING_ON, true},
    {"unset", "LD_PRELOAD", "removes the capture library", true},
    {"-u", "LD_PRELOAD", "removes the capture library", true},
#define ENDS_EARLY "may start its job after the command has ended: expected the option to wait"
    {NULL, "sbatch", ENDS_EARLY, true},
    {NULL, "bsub", ENDS_EARLY, true},
    {NULL, "qsub", ENDS_EARLY, true},
};

static const char *const containers[] = {
    "apptainer", "singularity", "docker", "podman",  "shifter", "sarus",          "ch-run",
    "enroot",    "unshare",     "chroot", "nsenter", "bwrap",   "systemd-nspawn", NULL};

static const char *const shells[] = {"sh",  "bash", "dash",   "ksh", "zsh",
                                     "csh", "tcsh", "source", ".",   NULL};

static void look_at_word(findings *found, const char *former, char *word, const char *script);

/* `text`: of a script, or an argument of sh -c; it is overwritten. */
static void look_at_text(findings *found, char *text, const char *script) {
    static const char separators[] = " \t\r\n;&|()<>\"'`";
    const char *former = "";
    char *rest;
    for (char *line = text; (line = strstr(line, "\n#")) != NULL; line++) /* comments */
        while (strncmp(line, "\n#SBATCH", 8) != 0 && line[1] != '\n' && line[1] != '\0')
            *++line = ' ';
    found->depth++;
    for (char *word = strtok_r(text, separators, &rest); word != NULL && found->depth <= MOST_DEPTH;
         former = word, word = strtok_r(NULL, separators, &rest))
        look_at_word(found, former, word, script);
    found->depth--;
}

/* `script`: the one that has the word, NULL for the command. */
static void look_at_word(findings *found, const char *former, char *word, const char *script) {
    char path[VEF_INSTALLED_BYTES], *text = NULL;
    const char *where = script != NULL ? script : "the command", *name = vef_word_name(word);
    struct stat there;
    image file;
    size_t bytes;
    vef_error error;
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++)
        if (strcmp(name, losses[i].word) == 0 && (script != NULL || !losses[i].in_script) &&
            (losses[i].former == NULL || strcmp(vef_word_name(former), losses[i].former) == 0))
            note(found->lost, "%s%s%s in %s %s", losses[i].former ? losses[i].former : "",
                 losses[i].former ? " " : "", name, where, losses[i].why);
    const bool inside = *former == '-' && former[strlen(former) - 1] == 'c'; /* sh -c */
    const size_t first = strcspn(word, " \t\n");
    if (strncmp(word, "LD_PRELOAD=", 11) == 0 && !strstr(word + 11, "LD_PRELOAD") && !inside &&
        (script != NULL || word[first] != '\0'))
        note(found->lost,
             "%.*s in %s replaces the capture library: expected LD_PRELOAD=…:$LD_PRELOAD",
             (int)first, word, where);
    if (vef_word_is(word, containers))
        note(found->container, "%s", name);
    if (found->programs++ > MOST_PROGRAMS)
        return;
    if (inside) {
        text = vef_strdup(word);
        look_at_text(found, text, "the script of -c");
    } else if (stat(word, &there) == 0 && S_ISREG(there.st_mode) &&
               vef_file_read(word, MOST_SCRIPT_BYTES, &text, &bytes, &error) == VEF_OK &&
               (vef_word_is(former, shells) || strncmp(text, "#!", 2) == 0)) {
        look_at_text(found, text, word);
    } else if (vef_program_find(word, path) && read_image(path, &file)) {
        const size_t length = strlen(found->others);
        look_at_program(found, word, path, &file);
        free(file.bytes);
        if (script == NULL || strchr(word, '/') != NULL)
            snprintf(found->others + length, TEXT_BYTES - length, "%s%s", length ? ", " : "", word);
    }
    free(text);
}

int vef_capture_nothing(char *const *command, const char *library, const char *logs, int signal,
                        int status) {
    enum { FIRST_SIGNAL = 129, LAST_SIGNAL = 128 + 64 };
    if (signal || (status >= FIRST_SIGNAL && status <= LAST_SIGNAL)) {
        fprintf(stderr, "vef capture: %s before MPI_Init: nothing recorded\n",
                signal ? "interrupted" : "killed");
        return status;
    }
    static findings found;
    for (size_t i = 0; command[i] != NULL; i++)
        look_at_word(&found, i > 0 ? command[i - 1] : "", command[i], NULL);
    fputs("vef capture: no MPI task wrote a log: ", stderr);
    if (*found.obstacle && !*found.program)
        fprintf(stderr, "%s\n", found.obstacle);
    else if (*found.lost)
        fprintf(stderr, "%s\n", found.lost);
    else if (*found.container)
        fprintf(stderr,
                "%s starts a container: expected it to show %s and %s to its programs, and to pass "
                "LD_PRELOAD and VEF_CAPTURE_* on (docs/capture.md, Containers)\n",
                found.container, library, logs);
    else if (*found.program)
        fprintf(stderr,
                "%s ended before MPI_Init, or another program removed LD_PRELOAD, or its node "
                "does not have %s\n",
                found.program, library);
    else if (*found.doubt)
        fprintf(stderr, "%s\n", found.doubt);
    else
        fprintf(
            stderr,
            "%s: neither linked with an MPI library nor loaded one: expected an MPI program that "
            "is dynamically linked with MPICH (ldd shows libmpich.so.12 or libmpi.so.12), "
            "Open MPI (libmpi.so.40) or the standard MPI ABI (libmpi_abi.so)\n",
            *found.others ? found.others : command[0]);
    return status ? status : VEF_EXIT_FAILURE;
}
