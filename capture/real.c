/* Finding the MPI library's own functions: see real.h. */
#include "capture/real.h"

#include <dlfcn.h>
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

static void *find(void *library, const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    return found != NULL || library == NULL ? found : dlsym(library, name);
}

/* Assigns a looked-up address to a function pointer of any type. */
static void assign(void *pointer, void *address) {
    memcpy(pointer, &address, sizeof address);
}

/* Stops at an object named like an MPI library that has Open MPI's world. */
static int find_open_mpi(struct dl_phdr_info *object, size_t size, void *unused) {
    (void)size;
    (void)unused;
    const char *slash = strrchr(object->dlpi_name, '/');
    if (strncmp(slash != NULL ? slash + 1 : object->dlpi_name, "libmpi", 6) != 0)
        return 0;
    void *library = dlopen(object->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    bool found = library != NULL && dlsym(library, "ompi_mpi_comm_world") != NULL;
    if (library != NULL)
        dlclose(library);
    return found;
}

bool vef_real_is_open_mpi(void) {
    return dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world") != NULL ||
           dl_iterate_phdr(find_open_mpi, NULL) != 0; /* loaded privately, by an interpreter */
}

bool vef_real_resolve(void) {
    if (vef_mpi.resolved)
        return true;
    /* An interpreter loads MPI late and privately: then RTLD_NEXT does not find it, and it must be
     * opened by name. */
    void *mpi = dlopen("libmpich.so.12", RTLD_LAZY | RTLD_NOLOAD);
    void *ucp = dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);
    if (find(mpi, "PMPI_Init") == NULL)
        return false;
#define CALL(number, name, ...) assign(&vef_mpi.name, find(mpi, "PMPI_" #name));
#define REGION(number, name)
#include "traces/calls.def"
#undef CALL
#undef REGION
#define ROW(name) assign(&vef_mpi.name, find(mpi, "PMPI_" #name));
    VEF_HELPERS(ROW)
#undef ROW
    assign(&vef_mpi.ucp_worker_progress, find(ucp, "ucp_worker_progress"));
    assign(&vef_mpi.err_return_comm, find(mpi, "MPIR_Err_return_comm"));
    dl_iterate_phdr(find_text, NULL);
    vef_mpi.resolved = true;
    return true;
}
