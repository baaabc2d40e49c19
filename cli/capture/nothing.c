/* Diagnoses why `vef capture` has nothing to merge: see nothing.h. It finds programs among the
 * words of the command, so programs started by a script stay unknown. */
#include "cli/capture/nothing.h"
#include "cli/command.h"
#include "common/file.h"

#include <elf.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LIBRARY_BYTES = 256, MOST_PROGRAM_BYTES = 1 << 30 };

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

/* False if the file is not a 64-bit ELF. */
static bool read_image(const char *path, image *file) {
    vef_error error;
    if (vef_file_read(path, MOST_PROGRAM_BYTES, &file->bytes, &file->size, &error))
        return false;
    const Elf64_Ehdr *head = (const void *)file->bytes;
    if (file->size >= sizeof *head && memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 &&
        head->e_ident[EI_CLASS] == ELFCLASS64 && head->e_shentsize == sizeof(Elf64_Shdr) &&
        head->e_shoff % sizeof(uint64_t) == 0 &&
        holds(file, head->e_shoff, (uint64_t)head->e_shnum * sizeof(Elf64_Shdr))) {
        file->sections = (const void *)(file->bytes + head->e_shoff);
        file->count = head->e_shnum;
        return true;
    }
    free(file->bytes);
    return false;
}

/* The MPI library of the program ("libmpich.so.12"); false if none. */
static bool find_library(const image *file, char *library) {
    for (size_t i = 0; i < file->count; i++) {
        const Elf64_Shdr *section = &file->sections[i];
        if (section->sh_type != SHT_DYNAMIC || section->sh_offset % sizeof(uint64_t) ||
            !holds(file, section->sh_offset, section->sh_size))
            continue;
        const Elf64_Dyn *entries = (const void *)(file->bytes + section->sh_offset);
        for (size_t at = 0; at < section->sh_size / sizeof *entries; at++) {
            const char *name = entries[at].d_tag == DT_NEEDED
                                   ? text_at(file, section->sh_link, entries[at].d_un.d_val)
                                   : "";
            if (strncmp(name, "libmpi.", 7) == 0 || strncmp(name, "libmpich", 8) == 0) {
                snprintf(library, LIBRARY_BYTES, "%s", name);
                return true;
            }
        }
    }
    return false;
}

/* Whether the program contains MPI_Init itself. */
static bool defines_init(const image *file) {
    for (size_t i = 0; i < file->count; i++) {
        const Elf64_Shdr *section = &file->sections[i];
        if (section->sh_type != SHT_SYMTAB || section->sh_offset % sizeof(uint64_t) ||
            !holds(file, section->sh_offset, section->sh_size))
            continue;
        const Elf64_Sym *symbols = (const void *)(file->bytes + section->sh_offset);
        for (size_t at = 0; at < section->sh_size / sizeof *symbols; at++)
            if (symbols[at].st_shndx != SHN_UNDEF &&
                strcmp(text_at(file, section->sh_link, symbols[at].st_name), "MPI_Init") == 0)
                return true;
    }
    return false;
}

/* The program file named by a word; false if none. */
static bool find_program(const char *word, char *path) {
    if (strchr(word, '/')) {
        snprintf(path, PATH_MAX, "%s", word);
        return access(path, X_OK) == 0;
    }
    for (const char *folder = getenv("PATH"); folder && *word;) {
        const size_t length = strcspn(folder, ":");
        snprintf(path, PATH_MAX, "%.*s/%s", (int)length, folder, word);
        if (access(path, X_OK) == 0)
            return true;
        folder = folder[length] ? folder + length + 1 : NULL;
    }
    return false;
}

/* The word that removes LD_PRELOAD from the environment of the following ones; NULL if none. */
static const char *clears_environment(char *const *command) {
    for (size_t i = 0; command[i]; i++) {
        const char *name = strrchr(command[i], '/') ? strrchr(command[i], '/') + 1 : command[i];
        const char *next = command[i + 1] ? command[i + 1] : "";
        if (strcmp(name, "sudo") == 0)
            return "sudo";
        if (strcmp(name, "env") == 0 && (strcmp(next, "-i") == 0 || strcmp(next, "-") == 0 ||
                                         strcmp(next, "--ignore-environment") == 0))
            return "env -i";
    }
    return NULL;
}

/* Diagnoses by the first MPI program of the command; false if none. */
static bool explain(char *const *command) {
    const char *cleared = clears_environment(command);
    for (size_t i = 0; command[i]; i++) {
        char path[PATH_MAX], library[LIBRARY_BYTES] = "";
        image file = {0};
        if (!find_program(command[i], path) || !read_image(path, &file))
            continue;
        const bool shared = find_library(&file, library), inside = !shared && defines_init(&file);
        free(file.bytes);
        if (inside)
            fprintf(stderr,
                    "vef capture: no MPI task wrote a log: %s is statically linked with MPI: "
                    "expected dynamic linking with its MPI library\n",
                    command[i]);
        else if (shared && cleared)
            fprintf(stderr,
                    "vef capture: no MPI task wrote a log: %s clears the environment (LD_PRELOAD), "
                    "so %s ran without the capture library\n",
                    cleared, command[i]);
        else if (shared)
            fprintf(stderr,
                    "vef capture: no MPI task wrote a log: %s ended before MPI_Init, or its "
                    "environment was cleared (LD_PRELOAD)\n",
                    command[i]);
        if (inside || shared)
            return true;
    }
    return false;
}

int vef_capture_nothing(char *const *command, int signal, int status) {
    if (signal || status > 128) {
        fprintf(stderr, "vef capture: %s before MPI_Init: nothing recorded\n",
                signal ? "interrupted" : "killed");
        return status;
    }
    if (!explain(command))
        fputs(
            "vef capture: no MPI task wrote a log: expected an MPI program that is dynamically "
            "linked with MPICH (ldd shows libmpich.so.12 or libmpi.so.12) or Open MPI "
            "(libmpi.so.40)\n",
            stderr);
    return status ? status : VEF_EXIT_FAILURE;
}
