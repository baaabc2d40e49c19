/* Which of several cells (a network with a mapping, for example) is best for an application, by how
 * much, how certainly, and why.
 *
 * The value of a cell is the geometric mean over its repetitions (seeds). Its difference to the
 * best cell is found from pairs of runs with the same seed, since what a seed does to both cancels:
 * the mean of the logarithms of their ratios, and Student's interval over these.
 *
 * Which cell is the best is itself found from the data, so each of the k (k - 1) / 2 pairs of cells
 * might have been compared. The intervals of an application therefore have the level
 * 1 - 0.05 / pairs (Bonferroni): with a probability of at least 95 % all of them hold together, and
 * no two cells that are really equal are called different. (Of 12 equal cells with five seeds each,
 * intervals of 95 % call one different in 63 of 100 experiments; corrected for the k - 1 pairs with
 * the best alone, in 13; for all pairs, in 2.) Two cells have the ordinary interval of 95 %. */
#ifndef VEF_STUDY_VERDICT_RANKING_H
#define VEF_STUDY_VERDICT_RANKING_H

#include "common/report/result.h"
#include "replay/explain/causes.h"

#define VEF_STUDY_CONFIDENCE 0.95

/* The logarithms of the values of one repetition. */
typedef struct vef_study_repetition {
    size_t seed; /* a number that equal seeds share */
    double sum;
    size_t count;
    size_t point; /* of the caller: the last one added */
} vef_study_repetition;

typedef struct vef_study_sample {
    vef_study_repetition *list; /* from malloc */
    size_t count, room;
    size_t left_out; /* values that are not above 0, or none */
} vef_study_sample;  /* zero-initialised is empty */

typedef struct vef_study_mean {
    size_t points;      /* values that entered it */
    size_t left_out;    /* others */
    size_t repetitions; /* seeds */
    double mean;        /* NaN: no point */
    double low, high;   /* NaN with fewer than two repetitions */
} vef_study_mean;

/* Adds a value. `peak`: only the greatest of each seed counts. False: it does not count. */
bool vef_study_sample_add(vef_study_sample *sample, size_t seed, double value, size_t point,
                          bool peak);
/* The geometric mean of the repetitions' means, with Student's interval over their logarithms. */
vef_study_mean vef_study_sample_mean(const vef_study_sample *sample, double confidence);

/* How a cell compares with the best. */
typedef enum vef_standing {
    VEF_STANDING_NONE, /* no result */
    VEF_STANDING_BEST,
    VEF_STANDING_EQUAL, /* the same value in every run */
    VEF_STANDING_NOISE, /* the interval of the difference includes 0 */
    VEF_STANDING_WORSE,
    VEF_STANDING_EXACT,  /* worse, and all seeds give the same: nothing is random */
    VEF_STANDING_SINGLE, /* worse in one run each: no interval */
    VEF_STANDING_INCOMPLETE,
} vef_standing;

typedef struct vef_cell {
    const char **label;      /* per column of the verdicts; NULL: has none */
    vef_study_sample sample; /* cells that lack values come after the others */
    double half_width;       /* relative, at 95 %, if a single run has measured it; else 0 */
    /* Set by vef_verdict_rank, from here on. */
    size_t place;                /* before, for cells with equal values */
    double key;                  /* the less, the better */
    vef_study_mean value, ratio; /* ratio: to the best */
    vef_standing standing;
    size_t pair[2]; /* points of the best cell and of this one, with the same seed: that whose ratio
                       is nearest to `ratio`; SIZE_MAX: they have none in common */
} vef_cell;

typedef struct vef_verdict {
    const char *application; /* "": there is one only */
    const char *measure;     /* the figure by which cells are compared */
    const char *hint; /* what gives an interval, where there is none; NULL: nothing is random */
    bool greatest;    /* is best; else the least */
    vef_cell *cells;  /* from malloc */
    size_t count, room;
    char *why; /* the first beats its rival; from malloc, NULL: unknown */
} vef_verdict;

/* Sorts the cells, the best first, and sets value, ratio and standing. */
void vef_verdict_rank(vef_verdict *verdict);
void vef_verdict_release(vef_verdict *verdict);

/* The first cell that is not equal to the best, so that there is something to explain; 0: none. */
size_t vef_verdict_rival(const vef_verdict *verdict);
/* Its pair of points, which can explain the difference; NULL: none. */
const size_t *vef_verdict_pair(const vef_verdict *verdict);

/* A figure of the first cell and its rival. */
enum { VEF_MOST_REASONS = 8 };
typedef struct vef_reason {
    const char *name;
    double first, second;
} vef_reason;

/* Why the first cell beats its rival, from malloc: by the causes of their critical paths in ns:
 * the one that accounts for the difference, or the two that changed most … */
char *vef_why_by_causes(const double first_ns[VEF_CAUSES], const double second_ns[VEF_CAUSES]);
/* … by the two figures that differ most, of at most VEF_MOST_REASONS; NULL: none by one percent. */
char *vef_why_by_figures(const vef_reason *reasons, size_t count);

/* For tables: a number, or an empty cell. */
static inline vef_value vef_study_number(double value) {
    return isfinite(value) ? vef_value_real(value) : vef_value_text("");
}

/* A label as a name: numbers have the names of their axes, "router.queue_packets 8". */
void vef_study_write_label(const char *column, const char *label, FILE *out);

/* Adds the verdicts: a table `verdict`, and for people a sentence each. `columns`: names of the
 * labels, ended by NULL. Verdicts without any value are left out. */
void vef_verdicts_put(const vef_verdict *verdicts, size_t count, const char *const *columns,
                      vef_result *into);

#endif
