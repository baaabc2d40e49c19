/* Idle tasks give way: see give_way.c. */
#ifndef VEF_CAPTURE_GIVE_WAY_H
#define VEF_CAPTURE_GIVE_WAY_H

#include <stdbool.h>

/* Whether this process gives way; decided when it starts, by VEF_CAPTURE_OVERSUBSCRIBE. */
bool vef_gives_way(void);

#endif
