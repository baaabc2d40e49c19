/* The entries: see callers.h. Assembled, 32 bytes each, as many as there may be: no memory has to
 * be made executable, which systems forbid. The scratch registers are those of linkage (System V
 * ABI, AMD64, section 3.2.1; Procedure Call Standard for the Arm 64-bit Architecture, section
 * 6.1.1). */
#include "capture/preload/callers.h"

#include <string.h>
#include <strings.h>

_Thread_local const void *vef_caller;

enum { ENTRIES = 2048, ENTRY_BYTES = 32 };

void *vef_caller_targets[ENTRIES] __attribute__((visibility("hidden")));
extern const char vef_caller_entries[] __attribute__((visibility("hidden")));

#if defined(__x86_64__)
__asm__(
    ".text\n\t.p2align 5\n\t.hidden vef_caller_entries\nvef_caller_entries:\n"
    "\t.cfi_startproc\n\t.set entry, 0\n\t.rept 2048\n\t.p2align 5\n\tendbr64\n"
    "\tmovq vef_caller@gottpoff(%rip), %r11\n\tmovq (%rsp), %r10\n\tmovq %r10, %fs:(%r11)\n"
    "\tjmp *vef_caller_targets+8*entry(%rip)\n\t.set entry, entry+1\n\t.endr\n"
    "\t.cfi_endproc\n");
#elif defined(__aarch64__)
__asm__(
    ".text\n\t.p2align 5\n\t.hidden vef_caller_entries\nvef_caller_entries:\n"
    "\t.cfi_startproc\n\t.set entry, 0\n\t.rept 2048\n\t.p2align 5\n\thint #34\n"
    "\tmrs x16, tpidr_el0\n\tadrp x17, :gottprel:vef_caller\n"
    "\tldr x17, [x17, #:gottprel_lo12:vef_caller]\n\tstr x30, [x16, x17]\n"
    "\tadrp x16, vef_caller_targets+8*entry\n"
    "\tldr x16, [x16, #:lo12:vef_caller_targets+8*entry]\n\tbr x16\n"
    "\t.set entry, entry+1\n\t.endr\n\t.cfi_endproc\n");
#else
#error "vef capture supports x86-64 and 64-bit Arm"
#endif

void *vef_callers_entry(void *function) {
    size_t entry = 0;
    while (entry < ENTRIES && vef_caller_targets[entry] != NULL &&
           vef_caller_targets[entry] != function)
        entry++;
    if (entry == ENTRIES)
        return NULL;
    vef_caller_targets[entry] = function;
    return (void *)(uintptr_t)(vef_caller_entries + ENTRY_BYTES * entry);
}

/* Compilers spell MPI_Init in these ways; the last is of the module mpi_f08. */
bool vef_callers_is_binding(const vef_objects *objects, const vef_object *object) {
    static const char *const names[] = {"mpi_init_", "mpi_init", "mpi_init__", "MPI_INIT",
                                        "mpi_init_f08_"};
    for (size_t i = 0; i < sizeof names / sizeof *names && object != objects->list; i++)
        if (vef_object_find(object, names[i], false) != NULL)
            return true;
    return false;
}

bool vef_callers_is_name(const char *name) {
    return strncasecmp(name, "mpi_", 4) == 0 || strncasecmp(name, "pmpi_", 5) == 0;
}
