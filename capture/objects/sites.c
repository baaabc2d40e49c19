/* New call sites, and the stack. See site_slots.h. */
#include "capture/objects/site_slots.h"

#include "capture/recorder.h"
#include "common/system/descriptor.h"

#include <elf.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <unistd.h>
#include <unwind.h>

vef_site_slot vef_site_slots[VEF_SITES];

/* What the holder of the lock may change. */
static struct {
    pthread_mutex_t lock;
    uint32_t count;
    char program[PATH_MAX];
} added = {.lock = PTHREAD_MUTEX_INITIALIZER};

typedef struct place {
    uintptr_t address;
    char build_id[2 * 64 + 1];
    char module[PATH_MAX];
    uint64_t offset;
} place;

/* The build ID among the notes of a segment. */
static void find_build_id(const char *note, size_t bytes, place *found) {
    const char *const end = note + bytes;
    while (note + sizeof(ElfW(Nhdr)) <= end) {
        const ElfW(Nhdr) *head = (const void *)note;
        const char *name = note + sizeof *head;
        const unsigned char *id = (const unsigned char *)name + ((head->n_namesz + 3) & ~3u);
        if (head->n_type == NT_GNU_BUILD_ID && head->n_namesz == 4 && memcmp(name, "GNU", 4) == 0)
            for (uint32_t i = 0; i < head->n_descsz && 2 * i + 2 < sizeof found->build_id; i++)
                snprintf(found->build_id + 2 * i, 3, "%02x", id[i]);
        note = (const char *)id + ((head->n_descsz + 3) & ~3u);
    }
}

/* Without the linker's other lock, which a thread holds while it runs constructors. */
static int find_module(struct dl_phdr_info *info, size_t size, void *context) {
    place *found = context;
    bool inside = false;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        inside |= segment->p_type == PT_LOAD &&
                  found->address - info->dlpi_addr - segment->p_vaddr < segment->p_memsz;
    }
    if (!inside)
        return 0;
    found->offset = found->address - info->dlpi_addr;
    snprintf(found->module, sizeof found->module, "%s",
             *info->dlpi_name != '\0' ? info->dlpi_name : added.program);
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_NOTE)
            find_build_id((const char *)info->dlpi_addr + segment->p_vaddr, segment->p_memsz,
                          found);
    }
    return 1;
}

/* A site of an address that is not in the table; 0: no room, or no log. The lock is held. */
static uint32_t add(uintptr_t address, vef_site_slot *slot) {
    static place found; /* too large for the stack of a thread */
    if (added.count >= VEF_SITES / 2 || !vef_is_recording())
        return 0;
    if (added.program[0] == '\0' &&
        readlink("/proc/self/exe", added.program, sizeof added.program - 1) < 0)
        added.program[0] = '\0';
    found = (place){.address = address, .offset = address};
    dl_iterate_phdr(find_module, &found);
    const vef_site site = {.module = found.module,
                           .build_id = found.build_id,
                           .offset = found.offset,
                           .function = "",
                           .file = "",
                           .caller = ""};
    if (vef_log_sites(vef_capture.log, &site, 1, &vef_capture.error) != VEF_OK)
        return 0; /* the next event fails, too */
    slot->number = ++added.count;
    atomic_store_explicit(&slot->address, address, memory_order_release);
    return slot->number;
}

/* The slot of an address, or the free one where it would be. */
static vef_site_slot *slot_of(uintptr_t address) {
    uint32_t i = vef_site_home(address);
    for (;; i = (i + 1) % VEF_SITES) {
        const uintptr_t other =
            atomic_load_explicit(&vef_site_slots[i].address, memory_order_acquire);
        if (other == address || other == 0)
            return &vef_site_slots[i];
    }
}

uint32_t vef_site_find(uintptr_t address) {
    vef_site_slot *slot = slot_of(address);
    if (address == 0 || slot->address == address)
        return address == 0 ? 0 : slot->number;
    VEF_KEEP_ERRNO;
    vef_thread *thread = vef_thread_here;
    const bool busy = thread->busy;
    thread->busy = true; /* for signal handlers, which would wait for the lock */
    pthread_mutex_lock(&added.lock);
    slot = slot_of(address); /* another thread may have added it */
    const uint32_t number = slot->address == address ? slot->number : add(address, slot);
    pthread_mutex_unlock(&added.lock);
    thread->busy = busy;
    return number;
}

typedef struct walk {
    uint32_t *numbers;
    uint32_t most, count, frames;
} walk;

/* The frames of capture and MPI come first. */
static _Unwind_Reason_Code take_frame(struct _Unwind_Context *context, void *taken) {
    enum { MOST_FRAMES = 256 };
    walk *into = taken;
    const uintptr_t address = _Unwind_GetIP(context);
    if (address == 0 || ++into->frames > MOST_FRAMES || into->count == into->most)
        return _URC_END_OF_STACK;
    if (into->count > 0 || address == (uintptr_t)vef_caller)
        into->numbers[into->count++] = vef_site_find(address);
    return _URC_NO_REASON;
}

uint32_t vef_site_stack(uint32_t *numbers, uint32_t most) {
    walk into = {.numbers = numbers, .most = most};
    _Unwind_Backtrace(take_frame, &into);
    return into.count;
}
