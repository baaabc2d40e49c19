/* What proc(5) says of a process of this host. */
#ifndef VEF_COMMON_PROCESS_H
#define VEF_COMMON_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct vef_process_facts {
    int64_t parent;
    int64_t began; /* in clock ticks since the host's boot: tells apart processes of one number */
    bool ended;    /* all its threads have ended, and its parent has not asked for its status */
} vef_process_facts;

/* False where there is no process of that number. */
bool vef_process_look(int64_t number, vef_process_facts *process);

#endif
