/* Progress on a terminal: one line, rewritten in place. See progress.h. The only file of the
 * libraries that writes to stderr; a pipe or a file is left alone. */
#include "common/progress.h"

#include "common/clock.h"
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

static const double SHORTEST_PAUSE_S = 0.2;

void vef_progress_begin(vef_progress *progress, const char *what) {
    *progress = (vef_progress){.what = what, .shown = isatty(STDERR_FILENO) == 1};
    if (progress->shown)
        progress->started_s = progress->last_s = vef_now_s();
}

static void write_duration(double seconds) {
    uint64_t whole = seconds < 1e9 ? (uint64_t)(seconds + 0.5) : UINT64_C(1000000000);
    if (whole >= 3600)
        dprintf(STDERR_FILENO, "%" PRIu64 ":%02d:%02d", whole / 3600, (int)(whole / 60 % 60),
                (int)(whole % 60));
    else
        dprintf(STDERR_FILENO, "%d:%02d", (int)(whole / 60), (int)(whole % 60));
}

bool vef_progress_due(const vef_progress *progress) {
    return progress->shown && vef_now_s() - progress->last_s >= SHORTEST_PAUSE_S;
}

void vef_progress_update(vef_progress *progress, uint64_t done, uint64_t total) {
    if (!progress->shown)
        return;
    double now = vef_now_s();
    if (now - progress->last_s < SHORTEST_PAUSE_S)
        return;
    progress->last_s = now;
    double spent = now - progress->started_s;
    dprintf(STDERR_FILENO, "\r%s: ", progress->what); /* overwrites the previous line */
    if (total == 0) {
        dprintf(STDERR_FILENO, "%" PRIu64 ", ", done);
        write_duration(spent);
        dprintf(STDERR_FILENO, " so far");
    } else {
        double part = done < total ? (double)done / (double)total : 1;
        dprintf(STDERR_FILENO, "%d %%", (int)(100 * part));
        if (done > 0) {
            fputs(", ", stderr);
            write_duration(spent / part - spent);
            dprintf(STDERR_FILENO, " left");
        }
    }
    if (*progress->detail)
        dprintf(STDERR_FILENO, ", %s", progress->detail);
    fputs("\033[K", stderr); /* erases the rest of a longer line */
    fflush(stderr);
}

void vef_progress_end(vef_progress *progress) {
    if (!progress->shown)
        return;
    progress->shown = false;
    fputs("\r\033[K", stderr);
    fflush(stderr);
}
