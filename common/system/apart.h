/* Work in a process of its own: that of a library which may crash, take all memory or never return.
 */
#ifndef VEF_COMMON_SYSTEM_APART_H
#define VEF_COMMON_SYSTEM_APART_H

#include <stdbool.h>
#include <stddef.h>

/* Memory that the work may write its result to, filled with 0. */
void *vef_apart_allocate(size_t bytes);
void vef_apart_free(void *memory, size_t bytes); /* NULL is fine */

typedef struct vef_apart {
    bool (*work)(void *context); /* in the child; what it writes to other memory is lost */
    void *context;
    bool (*over)(void *watched); /* asked every 10 ms; true ends the child. NULL: never */
    void *watched;
    /* Whether what the work prints on stderr is not shown but searched for "out of memory", by
     * which libraries report that. */
    bool quiet;
} vef_apart;

/* Runs the work in a child, which ends with its parent. Its status as by waitpid: 0 if `work` was
 * true. -1, with errno, if the system has no process or pipe. Lack of memory in the child is lack
 * of memory here (vef_lost). */
int vef_apart_run(const vef_apart *apart);

#endif
