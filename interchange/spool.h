/* Records of one size by task, in a temporary file: a file that has them in the order of time is
 * read task by task, or what is made task by task is read side by side. Memory: a piece of 64
 * records for each task, and 4 bytes for each piece in the file. */
#ifndef VEF_INTERCHANGE_SPOOL_H
#define VEF_INTERCHANGE_SPOOL_H

#include "common/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct vef_spool vef_spool;

/* For tasks 0 to `tasks` - 1; the temporary file is beside `path`. */
vef_code vef_spool_open(const char *path, uint32_t tasks, size_t record_bytes, vef_spool **spool,
                        vef_error *error);
void vef_spool_close(vef_spool *spool); /* NULL is fine */

/* Adds a record of a task. After a failure, which the next read returns, it does nothing. */
void vef_spool_add(vef_spool *spool, uint32_t task, const void *record);

/* How many records a task has: below 2^32. */
uint32_t vef_spool_count(const vef_spool *spool, uint32_t task);

/* `count` records of a task, which has them, from the `first` one on. */
vef_code vef_spool_read(vef_spool *spool, uint32_t task, uint32_t first, uint32_t count, void *to,
                        vef_error *error);

#endif
