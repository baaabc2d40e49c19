/* Progress with an estimate of the time left, on stderr, only when that is a terminal. */
#ifndef VEF_COMMON_PROGRESS_H
#define VEF_COMMON_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct vef_progress {
    const char *what;
    bool shown;
    char detail[64]; /* shown behind the share: other activity; "": nothing */
    double started_s, last_s;
} vef_progress;

/* `what` is not copied. */
void vef_progress_begin(vef_progress *progress, const char *what);
/* Whether the next update will write; for callers for which preparing it is expensive. */
bool vef_progress_due(const vef_progress *progress);
/* Cheap: writes at most five times a second. total 0: unknown. */
void vef_progress_update(vef_progress *progress, uint64_t done, uint64_t total);
void vef_progress_end(vef_progress *progress);

#endif
