/* Diagnoses why `vef capture` has nothing to merge: see nothing.h. It looks at the words of the
 * command, at the words of the scripts among them, and at the programs that these name. Programs
 * that only a running script can name stay unknown. */
#include "cli/capture/nothing.h"
#include "cli/capture/shell_word.h"
#include "cli/capture/words.h"
#include "cli/command.h"
#include "cli/installed.h"
#include "common/file.h"

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
    const Elf64_Shdr *sections;
    size_t count;
} image;

static bool holds(const image *file, uint64_t offset, uint64_t size) {
    return offset <= file->size && size <= file->size - offset;
}

/* A string in a string section; "" if out of range. */
static const char *text_at(const image *file, uint32_t section, uint64_t offset) {
    if (section >= file->count)
        return "";
    const Elf64_Shdr *strings = &file->sections[section];
    if (!holds(file, strings->sh_offset, strings->sh_size) || offset >= strings->sh_size)
        return "";
    const char *text = file->bytes + strings->sh_offset + offset;
    return memchr(text, '\0', strings->sh_size - offset) ? text : "";
}

/* False if the file is not an ELF file. Only one for this machine has sections. */
static bool read_image(const char *path, image *file) {
    vef_error error;
    *file = (image){0};
    if (vef_file_read(path, MOST_PROGRAM_BYTES, &file->bytes, &file->size, &error))
        return false;
    const Elf64_Ehdr *head = (const void *)file->bytes;
    if (file->size < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0) {
        free(file->bytes);
        return false;
    }
    if (head->e_ident[EI_CLASS] == ELFCLASS64 && head->e_machine == OWN_MACHINE &&
        head->e_shentsize == sizeof(Elf64_Shdr) && head->e_shoff % sizeof(uint64_t) == 0 &&
        holds(file, head->e_shoff, (uint64_t)head->e_shnum * sizeof(Elf64_Shdr))) {
        file->sections = (const void *)(file->bytes + head->e_shoff);
        file->count = head->e_shnum;
    }
    return true;
}

/* The path of the program's loader, "" if it is statically linked. */
static const char *loader_of(const image *file) {
    const Elf64_Ehdr *head = (const void *)file->bytes;
    for (uint16_t i = 0; file->count > 0 && i < head->e_phnum; i++) {
        const uint64_t offset = head->e_phoff + i * sizeof(Elf64_Phdr);
        const Elf64_Phdr *part = (const void *)(file->bytes + offset);
        if (offset % sizeof(uint64_t) == 0 && holds(file, offset, sizeof *part) &&
            part->p_type == PT_INTERP && holds(file, part->p_offset, part->p_filesz) &&
            memchr(file->bytes + part->p_offset, '\0', part->p_filesz))
            return file->bytes + part->p_offset;
    }
    return "";
}

enum { INIT = 1, PMPI_INIT = 2 };

/* Which of these functions a program or library contains. */
static unsigned functions_in(const image *file) {
    unsigned found = 0;
    for (size_t i = 0; i < file->count; i++) {
        const Elf64_Shdr *section = &file->sections[i];
        if ((section->sh_type != SHT_SYMTAB && section->sh_type != SHT_DYNSYM) ||
            section->sh_offset % sizeof(uint64_t) ||
            !holds(file, section->sh_offset, section->sh_size))
            continue;
        const Elf64_Sym *symbols = (const void *)(file->bytes + section->sh_offset);
        for (size_t s = 0; s < section->sh_size / sizeof *symbols; s++) {
            if (symbols[s].st_shndx == SHN_UNDEF)
                continue;
            const char *name = text_at(file, section->sh_link, symbols[s].st_name);
            found |= strcmp(name, "MPI_Init") == 0    ? INIT
                     : strcmp(name, "PMPI_Init") == 0 ? PMPI_INIT
                                                      : 0;
        }
    }
    return found;
}

/* Which of these functions the libraries contain that the loader finds for a program; `missing`:
 * one that it does not find; `stub`: one that contains MPI_Init alone. */
static unsigned functions_of_libraries(const char *loader, const char *path, char *missing,
                                       char *stub) {
    char command[3 * VEF_INSTALLED_BYTES], line[TEXT_BYTES];
    char *const words[] = {(char *)(uintptr_t)loader, (char *)(uintptr_t)path, NULL};
    unsigned found = 0;
    size_t length = strlen(strcpy(command, "LD_TRACE_LOADED_OBJECTS=1 "));
    vef_shell_words(words, command + length, sizeof command - length - 16);
    FILE *lines = popen(strcat(command, " 2>/dev/null"), "r");
    while (lines != NULL && fgets(line, sizeof line, lines) != NULL) {
        char *name = line + strspn(line, "\t "), *file = strstr(name, " => ");
        image library;
        if (file == NULL)
            continue;
        *file = '\0';
        file += 4;
        file[strcspn(file, "(")] = '\0';
        if (strncmp(file, "not found", 9) == 0)
            note(missing, "%s", name);
        if (*file != '/' || (file[strlen(file) - 1] = '\0', !read_image(file, &library)))
            continue;
        const unsigned functions = functions_in(&library);
        free(library.bytes);
        if (functions == INIT)
            note(stub, "%s", name);
        found |= functions;
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
    char missing[TEXT_BYTES] = "", stub[TEXT_BYTES] = "";
    const char *loader = loader_of(file);
    const bool glibc = strncmp(vef_word_name(loader), "ld-linux", 8) == 0;
    const unsigned libraries = glibc ? functions_of_libraries(loader, path, missing, stub) : 0;
    if (*missing != '\0')
        note(found->doubt,
             "%s needs %s, which the loader does not find: expected its folder in "
             "LD_LIBRARY_PATH",
             name, missing);
    else if (file->count == 0)
        note(found->doubt, "%s is a program for another processor: expected a 64-bit one", name);
    else if ((libraries & PMPI_INIT) != 0 && is_secure(path))
        note(found->obstacle,
             "%s has other rights than its user (set-user-ID, capabilities), for which the loader "
             "ignores LD_PRELOAD: expected a copy without them",
             name);
    else if ((libraries & PMPI_INIT) != 0)
        note(found->program, "%s", name);
    else if (libraries == INIT)
        note(found->obstacle,
             "%s is linked with a stand-in for MPI, %s (without PMPI_Init): expected MPICH or Open "
             "MPI",
             name, stub);
    else if (functions_in(file) != 0)
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
}

/* ---- words ---- */

/* Words that keep LD_PRELOAD from a program, behind the word `former` if there is one. In the
 * command itself vef changes those `in_script` (environment.h). */
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
    for (char *line = text; (line = strstr(line, "\n#")) != NULL;) /* comments */
        while (line[1] != '\n' && line[1] != '\0')
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
    if (inside && (text = strdup(word)) != NULL) {
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
    findings found = {.depth = 0};
    for (size_t i = 0; command[i] != NULL; i++)
        look_at_word(&found, i > 0 ? command[i - 1] : "", command[i], NULL);
    fputs("vef capture: no MPI task wrote a log: ", stderr);
    if (*found.obstacle)
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
            "is dynamically linked with MPICH (ldd shows libmpich.so.12 or libmpi.so.12) or "
            "Open MPI (libmpi.so.40)\n",
            *found.others ? found.others : command[0]);
    return status ? status : VEF_EXIT_FAILURE;
}
