/* Facts about a process of this host from proc(5). */
#ifndef VEF_COMMON_SYSTEM_PROCESS_H
#define VEF_COMMON_SYSTEM_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct vef_process_facts {
    int64_t parent;
    int64_t began; /* in clock ticks since boot: distinguishes processes with the same number */
    bool ended;    /* a zombie: all its threads have ended, but its parent has not waited for it */
} vef_process_facts;

/* False if there is no such process. */
bool vef_process_look(int64_t number, vef_process_facts *process);

#endif
