/* Bytes of tasks in a temporary file: a file that has records in the order of time is read task by
 * task, or what is made task by task is read side by side. Memory: a piece for each task, and 4
 * bytes for each piece in the file. */
#ifndef VEF_INTERCHANGE_SPOOL_H
#define VEF_INTERCHANGE_SPOOL_H

#include "common/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct vef_spool vef_spool;

/* For tasks 0 to `tasks` - 1; the temporary file is beside `path`, in pieces of that size. */
vef_code vef_spool_open(const char *path, uint32_t tasks, size_t piece_bytes, vef_spool **spool,
                        vef_error *error);
void vef_spool_close(vef_spool *spool); /* NULL is fine */

/* Adds bytes of a task. After a failure, which the next read returns, it does nothing. */
void vef_spool_add(vef_spool *spool, uint32_t task, const void *data, size_t bytes);

/* How many bytes a task has. */
uint64_t vef_spool_bytes(const vef_spool *spool, uint32_t task);

/* `bytes` of a task, which has them, from the place `from` on. */
vef_code vef_spool_read(vef_spool *spool, uint32_t task, uint64_t from, size_t bytes, void *to,
                        vef_error *error);

#endif
