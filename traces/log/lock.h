/* Whether a log is still being written.
 *
 * A task locks its log before it writes the first byte, and keeps the lock as long as it may write
 * to the log or to the buffers beside it. It never locks or writes the log again after that. An
 * unlocked log therefore does not change any more, and readers need no lock.
 *
 * The lock is a record lock on the whole file that belongs to an open file description (fcntl,
 * F_OFD_SETLK; Linux 3.15), and only a page of memory, mapped without any access, keeps this
 * description open. So the program cannot release the lock by closing descriptors, and children do
 * not inherit it, however they were created (MADV_DONTFORK). The kernel releases it when the
 * process ends, for whatever reason, after its last thread has stopped. It works across hosts if
 * the file system supports that (NFS does). Some file systems have no locks (Lustre as it is often
 * mounted). For these the header of the log names the process and its start time, which can be
 * checked on its host only. */
#ifndef VEF_TRACES_LOG_LOCK_H
#define VEF_TRACES_LOG_LOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The writer of a log, as the log's header names it. */
typedef struct vef_log_writer {
    const char *host;
    int64_t process;       /* 0: not known */
    int64_t process_began; /* in clock ticks since the host's boot; 0: not known */
    bool locked;           /* it holds a lock while it may write */
} vef_log_writer;

/* This process. `host` is not set. */
vef_log_writer vef_log_writer_self(void);

/* Locks a log that is open for writing until vef_log_unlock or the end of the process; `file` may
 * be closed, and the log must be written through another opening of it. NULL where the file system
 * has no locks. */
void *vef_log_lock(int file);
void vef_log_unlock(void *lock); /* NULL is fine */

typedef enum vef_log_use {
    VEF_LOG_COMPLETE, /* no process writes it any more */
    VEF_LOG_IN_USE,
    VEF_LOG_UNKNOWN, /* undecidable on this host */
} vef_log_use;

/* `file`: the log, open for reading; `path`: its name. */
vef_log_use vef_log_in_use(int file, const char *path, const vef_log_writer *writer);

#endif
