/* Gaps in steps: the recorder rounds arbitrary times to whole steps whose sum is right. Not an
 * MPI program: includes capture/recorder.h and replaces the recorder. */
#include "capture/recorder.h"

#include <stdio.h>
#include <stdlib.h>

vef_recorder vef_capture;

int main(void) {
    vef_thread *thread = calloc(1, sizeof *thread);
    uint64_t state = 1, gaps = 0, outside = 0, gaps_told = 0, outside_told = 0;
    vef_capture.compute_only = true;
    for (int i = 0; i < 100000; i++) {
        vef_event event;
        state = state * 6364136223846793005u + 1442695040888963407u;
        uint64_t gap = state >> 33 & (i % 3 == 0 ? 0x3f : 0xffff), beside = state >> 50 & 0xff;
        thread->carry_ns += gap;
        thread->outside_ns += beside;
        gaps += gap;
        outside += beside;
        vef_take_gap(thread, &event);
        gaps_told += event.gap_ns;
        outside_told += event.outside_ns;
        if (event.gap_ns % 100 != 0 || event.outside_ns % 100 != 0 || gaps_told > gaps ||
            gaps - gaps_told >= 100 || outside_told > outside || outside - outside_told >= 100) {
            fprintf(stderr, "event %d: %llu ns of %llu told\n", i, (unsigned long long)gaps_told,
                    (unsigned long long)gaps);
            return 1;
        }
    }
    return 0;
}
