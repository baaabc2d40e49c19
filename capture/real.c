/* Finding the MPI library's own functions: see real.h. */
#include "capture/real.h"

#include "capture/preload/preload.h"

#include <link.h>
#include <string.h>

vef_real vef_mpi;

/* Records the code range of the object that contains `vef_mpi.Init`. */
static int find_text(struct dl_phdr_info *object, size_t size, void *unused) {
    (void)size;
    (void)unused;
    uintptr_t inside = (uintptr_t)vef_mpi.Init;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        uintptr_t start = object->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && (segment->p_flags & PF_X) != 0 &&
            inside - start < segment->p_memsz) {
            vef_mpi.text = start;
            vef_mpi.text_bytes = segment->p_memsz;
            return 1;
        }
    }
    return 0;
}

void vef_real_find(const char *name, void *pointer) {
    void *address = vef_preload_next(name);
    memcpy(pointer, &address, sizeof address);
}

void vef_real_resolve(void) {
#define CALL(number, name, ...) vef_real_find("PMPI_" #name, &vef_mpi.name);
#define REGION(number, name)
#include "traces/calls.def"
#undef CALL
#undef REGION
#define ROW(name) vef_real_find("PMPI_" #name, &vef_mpi.name);
    VEF_HELPERS(ROW)
#undef ROW
    dl_iterate_phdr(find_text, NULL);
}
