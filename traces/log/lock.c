/* Locks of logs: see lock.h. */
#include "traces/log/lock.h"

#include "common/system/process.h"
#include "traces/format/block.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

vef_log_writer vef_log_writer_self(void) {
    vef_process_facts facts = {0};
    vef_process_look(getpid(), &facts);
    return (vef_log_writer){.process = getpid(), .process_began = facts.began};
}

void *vef_log_lock(int file) {
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(file, F_OFD_SETLK, &whole) != 0)
        return NULL;
    void *page = mmap(NULL, 1, PROT_NONE, MAP_PRIVATE, file, 0);
    if (page != MAP_FAILED && madvise(page, 1, MADV_DONTFORK) == 0)
        return page;
    if (page != MAP_FAILED)
        munmap(page, 1);
    return NULL;
}

void vef_log_unlock(void *lock) {
    if (lock)
        munmap(lock, 1);
}

/* Whether the log has its final block. */
static bool has_end(int file) {
    uint8_t bytes[VEF_BLOCK_HEADER_BYTES + 1];
    struct stat status;
    vef_block block;
    return fstat(file, &status) == 0 && status.st_size > (off_t)sizeof bytes &&
           pread(file, bytes, sizeof bytes, status.st_size - (off_t)sizeof bytes) ==
               (ssize_t)sizeof bytes &&
           vef_block_unpack(bytes, &block) && block.kind == VEF_BLOCK_END &&
           block.stored_bytes == 1;
}

/* Uses the process table, where locks are not available. */
static vef_log_use ask_processes(int file, const vef_log_writer *writer) {
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    if (has_end(file))
        return VEF_LOG_COMPLETE;
    if (writer->process == 0 || strcmp(host, writer->host) != 0)
        return VEF_LOG_UNKNOWN;
    vef_process_facts now;
    bool runs =
        vef_process_look(writer->process, &now) && !now.ended && now.began == writer->process_began;
    return runs ? VEF_LOG_IN_USE : VEF_LOG_COMPLETE;
}

vef_log_use vef_log_in_use(int file, const char *path, const vef_log_writer *writer) {
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    struct stat opened, named;
    if (!writer->locked)
        return ask_processes(file, writer);
    if (fcntl(file, F_GETLK, &whole) != 0)
        return ask_processes(file, writer);
    if (whole.l_type != F_UNLCK)
        return VEF_LOG_IN_USE;
    /* A ring replaces its log: the new file is locked and renamed before the old one is closed. */
    bool same = fstat(file, &opened) == 0 && stat(path, &named) == 0 &&
                opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
    return same ? VEF_LOG_COMPLETE : VEF_LOG_IN_USE;
}
