/* Expected times of points. See estimate.h. */
#include "study/estimate.h"
#include "common/memory.h"

#include <stdlib.h>

/* More finished points than this are sampled evenly: comparing costs their product. */
enum { MOST_COMPARED = 256 };

typedef struct sample {
    const vef_study_point *point;
    double seconds;
} sample;

/* Columns in which both have the same label. Labels are shared texts of the axes' values. */
static size_t likeness(const vef_study *study, const vef_study_point *a, const vef_study_point *b) {
    size_t equal = 0;
    for (size_t c = 0; c < study->column_count; c++)
        equal += a->label[c] && a->label[c] == b->label[c];
    return equal;
}

static double expect(const vef_study *study, const vef_study_point *point, const sample *samples,
                     size_t count) {
    size_t best = 0, alike = 0;
    double sum = 0;
    for (size_t s = 0; s < count; s++) {
        const size_t equal = likeness(study, point, samples[s].point);
        if (alike > 0 && equal < best)
            continue;
        if (alike == 0 || equal > best) {
            best = equal;
            alike = 0;
            sum = 0;
        }
        const double guess = samples[s].point->guess_s;
        sum += samples[s].seconds * (guess > 0 ? point->guess_s / guess : 1);
        alike++;
    }
    return alike ? sum / (double)alike : point->guess_s;
}

void vef_study_estimate(const vef_study *study, const vef_study_store *store, double *seconds) {
    sample *samples = vef_calloc(study->point_count, sizeof *samples);
    size_t count = 0, used = 0;
    for (size_t p = 0; p < study->point_count; p++) {
        const vef_study_record *record =
            store ? vef_study_store_find(store, &study->points[p]) : NULL;
        seconds[p] = record ? record->seconds : -1;
        if (record && record->state != VEF_STUDY_FAILED && record->state != VEF_STUDY_REFUSED)
            samples[count++] = (sample){&study->points[p], record->seconds};
    }
    const size_t step = count / MOST_COMPARED + 1;
    for (size_t s = 0; s < count; s += step)
        samples[used++] = samples[s];
    for (size_t p = 0; p < study->point_count; p++)
        if (seconds[p] < 0)
            seconds[p] = expect(study, &study->points[p], samples, used);
    free(samples);
}
