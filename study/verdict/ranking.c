/* Ranking the cells of an application. See ranking.h. */
#include "study/verdict/ranking.h"

#include "common/containers/grow.h"
#include "common/memory.h"
#include "common/units.h"
#include "netmodel/load/distributions.h"

#include <math.h>
#include <stdlib.h>

/* ---- samples ---- */

/* The repetition of a seed, without values if it is new. */
static vef_study_repetition *get(vef_study_sample *sample, size_t seed) {
    for (size_t r = 0; r < sample->count; r++)
        if (sample->list[r].seed == seed)
            return &sample->list[r];
    vef_grow(&sample->list, &sample->room, sample->count + 1, sizeof *sample->list);
    sample->list[sample->count] = (vef_study_repetition){.seed = seed};
    return &sample->list[sample->count++];
}

bool vef_study_sample_add(vef_study_sample *sample, size_t seed, double value, size_t point,
                          bool peak) {
    if (!(value > 0) || !isfinite(value)) {
        sample->left_out++;
        return false;
    }
    vef_study_repetition *repetition = get(sample, seed);
    if (peak && repetition->count && repetition->sum >= log(value))
        return false;
    if (peak)
        *repetition = (vef_study_repetition){.seed = seed};
    repetition->sum += log(value);
    repetition->count++;
    repetition->point = point;
    return true;
}

static double mean_of(const vef_study_repetition *repetition) {
    return repetition->sum / (double)repetition->count;
}

vef_study_mean vef_study_sample_mean(const vef_study_sample *sample, double confidence) {
    const double n = (double)sample->count;
    vef_study_mean mean = {.left_out = sample->left_out,
                           .repetitions = sample->count,
                           .mean = NAN,
                           .low = NAN,
                           .high = NAN};
    double sum = 0, squares = 0;
    if (sample->count == 0)
        return mean;
    for (size_t r = 0; r < sample->count; r++) {
        sum += mean_of(&sample->list[r]);
        mean.points += sample->list[r].count;
    }
    for (size_t r = 0; r < sample->count; r++) {
        const double off = mean_of(&sample->list[r]) - sum / n;
        squares += off * off;
    }
    mean.mean = exp(sum / n);
    if (sample->count < 2)
        return mean;
    const double half = vef_student_two_sided(confidence, n - 1) * sqrt(squares / (n - 1) / n);
    mean.low = exp(sum / n - half);
    mean.high = exp(sum / n + half);
    return mean;
}

/* Whether all repetitions have the same value. */
static bool is_constant(const vef_study_sample *sample) {
    for (size_t r = 1; r < sample->count; r++)
        if (mean_of(&sample->list[r]) != mean_of(&sample->list[0]))
            return false;
    return true;
}

/* ---- ranking ---- */

static bool has_value(const vef_cell *cell) {
    return isfinite(cell->value.mean);
}

/* The order of cells: those with all values, with some, without; then by value; then as before. */
static int order(const void *a, const void *b) {
    const vef_cell *x = a, *y = b;
    const int lacks_x = has_value(x) ? x->sample.left_out > 0 : 2;
    const int lacks_y = has_value(y) ? y->sample.left_out > 0 : 2;
    if (lacks_x != lacks_y)
        return lacks_x - lacks_y;
    if (lacks_x < 2 && x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->place < y->place ? -1 : 1;
}

/* Sets the ratio of a cell to the best, from the repetitions that both have, and the pair. */
static void compare(const vef_cell *best, vef_cell *cell, double confidence) {
    vef_study_sample ratios = {0};
    double nearest = INFINITY;
    for (size_t r = 0; r < cell->sample.count; r++)
        for (size_t b = 0; b < best->sample.count; b++)
            if (best->sample.list[b].seed == cell->sample.list[r].seed)
                *get(&ratios, r) = (vef_study_repetition){
                    r, mean_of(&cell->sample.list[r]) - mean_of(&best->sample.list[b]), 1, b};
    vef_study_mean ratio = vef_study_sample_mean(&ratios, confidence);
    cell->pair[0] = cell->pair[1] = SIZE_MAX;
    for (size_t i = 0; i < ratios.count; i++) {
        const double off = fabs(ratios.list[i].sum - log(ratio.mean));
        if (off >= nearest)
            continue;
        nearest = off;
        cell->pair[0] = best->sample.list[ratios.list[i].point].point;
        cell->pair[1] = cell->sample.list[ratios.list[i].seed].point;
    }
    free(ratios.list);
    if (ratio.repetitions == 0)
        ratio.mean = cell->value.mean / best->value.mean;
    const double own = hypot(best->half_width, cell->half_width);
    if (ratio.repetitions < 2 && own > 0) { /* of large samples, which their runs took */
        const double half = own * vef_student_two_sided(confidence, 1e6) /
                            vef_student_two_sided(VEF_STUDY_CONFIDENCE, 1e6);
        ratio.low = ratio.mean * exp(-half);
        ratio.high = ratio.mean * exp(half);
    }
    cell->ratio = ratio;
}

static vef_standing find_standing(const vef_verdict *verdict, const vef_cell *cell) {
    const vef_cell *best = &verdict->cells[0];
    const vef_study_mean *ratio = &cell->ratio;
    const bool constant = is_constant(&cell->sample) && is_constant(&best->sample);
    if (!has_value(cell))
        return VEF_STANDING_NONE;
    if (cell->sample.left_out > 0)
        return VEF_STANDING_INCOMPLETE;
    if (cell == best)
        return VEF_STANDING_BEST;
    if (constant && ratio->mean == 1 && best->half_width <= 0)
        return VEF_STANDING_EQUAL;
    if (constant && (ratio->repetitions > 1 || !verdict->hint))
        return VEF_STANDING_EXACT;
    if (!isfinite(ratio->low))
        return VEF_STANDING_SINGLE;
    return ratio->low <= 1 && ratio->high >= 1 ? VEF_STANDING_NOISE : VEF_STANDING_WORSE;
}

void vef_verdict_rank(vef_verdict *verdict) {
    double compared = 0;
    for (size_t i = 0; i < verdict->count; i++) {
        vef_cell *cell = &verdict->cells[i];
        cell->value = vef_study_sample_mean(&cell->sample, VEF_STUDY_CONFIDENCE);
        cell->key = verdict->greatest ? -cell->value.mean : cell->value.mean;
        cell->place = i;
        compared += has_value(cell);
    }
    const double pairs = fmax(1, compared * (compared - 1) / 2);
    qsort(verdict->cells, verdict->count, sizeof *verdict->cells, order);
    for (size_t i = 0; i < verdict->count; i++) {
        vef_cell *cell = &verdict->cells[i];
        compare(&verdict->cells[0], cell, 1 - (1 - VEF_STUDY_CONFIDENCE) / pairs);
        cell->standing = find_standing(verdict, cell);
    }
}

void vef_verdict_release(vef_verdict *verdict) {
    for (size_t i = 0; i < verdict->count; i++)
        free(verdict->cells[i].sample.list);
    free(verdict->cells);
    free(verdict->why);
    *verdict = (vef_verdict){0};
}

static bool is_equal(const vef_cell *cell) {
    return cell->standing == VEF_STANDING_EQUAL || cell->standing == VEF_STANDING_NOISE;
}

size_t vef_verdict_rival(const vef_verdict *verdict) {
    for (size_t i = 1; i < verdict->count && has_value(&verdict->cells[i]); i++)
        if (!is_equal(&verdict->cells[i]))
            return i;
    return 0;
}

const size_t *vef_verdict_pair(const vef_verdict *verdict) {
    const size_t rival = vef_verdict_rival(verdict);
    const size_t *pair = verdict->cells[rival].pair;
    return rival && pair[0] != SIZE_MAX ? pair : NULL;
}

/* ---- why ---- */

/* The reason that changes most, without that one; `count`: none changes by more than `least`. */
static size_t find_greatest(const double *changes, size_t count, size_t without, double least) {
    size_t most = count;
    for (size_t i = 0; i < count; i++)
        if (i != without && isfinite(changes[i]) && fabs(changes[i]) > least &&
            (most == count || fabs(changes[i]) > fabs(changes[most])))
            most = i;
    return most;
}

/* "contention on the critical path 8.7 instead of 13.7 ms (37 instead of 48 %)" */
static void write_cause(unsigned cause, const double *first_ns, const double *second_ns,
                        const double *sums_ns, FILE *out) {
    static const char *const units[] = {"ns", "us", "ms", "s"};
    const double first = first_ns[cause], second = second_ns[cause];
    double unit_ns = 1;
    size_t unit = 0;
    for (; unit < 3 && fmax(first, second) >= 1000 * unit_ns; unit++)
        unit_ns *= 1000;
    fprintf(out, "%s on the critical path %.3g instead of %.3g %s (%.3g instead of %.3g %%)",
            vef_causes[cause].name, first / unit_ns, second / unit_ns, units[unit],
            100 * first / sums_ns[0], 100 * second / sums_ns[1]);
}

char *vef_why_by_causes(const double first_ns[VEF_CAUSES], const double second_ns[VEF_CAUSES]) {
    /* A cause that accounts for the difference but for this share is the only one named. */
    static const double REST = 0.2;
    double changes_ns[VEF_CAUSES], sums_ns[2] = {0, 0};
    char *text = NULL;
    size_t bytes = 0;
    for (unsigned cause = 0; cause < VEF_CAUSES; cause++) {
        changes_ns[cause] = second_ns[cause] - first_ns[cause];
        sums_ns[0] += first_ns[cause];
        sums_ns[1] += second_ns[cause];
    }
    const double whole_ns = sums_ns[1] - sums_ns[0];
    const size_t most = find_greatest(changes_ns, VEF_CAUSES, VEF_CAUSES, 0);
    const size_t next = find_greatest(changes_ns, VEF_CAUSES, most, 0);
    if (most == VEF_CAUSES)
        return NULL;
    FILE *out = vef_memory_stream(&text, &bytes);
    write_cause((unsigned)most, first_ns, second_ns, sums_ns, out);
    if (next < VEF_CAUSES && fabs(whole_ns - changes_ns[most]) > REST * fabs(whole_ns)) {
        fputs(", ", out);
        write_cause((unsigned)next, first_ns, second_ns, sums_ns, out);
    }
    fclose(out);
    return text;
}

char *vef_why_by_figures(const vef_reason *reasons, size_t count) {
    double changes[VEF_MOST_REASONS];
    for (size_t i = 0; i < count; i++)
        changes[i] = log(reasons[i].second / reasons[i].first);
    const size_t most = find_greatest(changes, count, count, log(1.01));
    const size_t next = find_greatest(changes, count, most, log(1.01));
    if (most == count)
        return NULL;
    const vef_reason *first = &reasons[most], *second = &reasons[next];
    if (next == count)
        return vef_printed("%s %.3g instead of %.3g", first->name, first->first, first->second);
    return vef_printed("%s %.3g instead of %.3g, %s %.3g instead of %.3g", first->name,
                       first->first, first->second, second->name, second->first, second->second);
}

/* ---- sentences ---- */

void vef_study_write_label(const char *column, const char *label, FILE *out) {
    const bool number = *label >= '0' && *label <= '9';
    fprintf(out, "%s%s%s", number ? column : "", number ? " " : "", label);
}

/* "rtt (greedy, router.queue_packets 8)" */
static void write_name(const vef_cell *cell, const char *const *columns, FILE *out) {
    static const char *const separators[] = {"", " (", ", "};
    size_t named = 0;
    for (size_t c = 0; columns[c]; c++)
        if (cell->label[c]) {
            fputs(separators[named < 2 ? named : 2], out);
            vef_study_write_label(columns[c], cell->label[c], out);
            named++;
        }
    fputs(named > 1 ? ")" : "", out);
}

/* By how many percent the best is better, if that is the ratio to it. */
static double gain(const vef_verdict *verdict, double ratio) {
    return 100 * (verdict->greatest ? 1 - ratio : ratio - 1);
}

/* "95 % interval 16.9 to 18.1 %, 5 seeds" */
static void write_certainty(const vef_verdict *verdict, const vef_cell *cell, FILE *out) {
    const vef_study_mean *ratio = &cell->ratio;
    const size_t seeds = ratio->repetitions;
    const double a = gain(verdict, ratio->low), b = gain(verdict, ratio->high);
    if (cell->sample.left_out > 0)
        fprintf(out, "%zu of its runs lack a result", cell->sample.left_out);
    else if (cell->standing == VEF_STANDING_EXACT || cell->standing == VEF_STANDING_EQUAL)
        fprintf(out,
                seeds > 1       ? "exactly: all %zu seeds give the same"
                : verdict->hint ? "one run each"
                                : "exactly",
                seeds);
    else if (!isfinite(ratio->low))
        fprintf(out, "one run each, so no interval: %s gives one", verdict->hint);
    else if (seeds > 1)
        fprintf(out, "95 %% interval %.3g to %.3g %%, %zu seeds", fmin(a, b), fmax(a, b), seeds);
    else
        fprintf(out, "95 %% interval %.3g to %.3g %%, from those of the runs", fmin(a, b),
                fmax(a, b));
}

/* "rtt beats rt by 17.5 % (95 % interval 16.9 to 18.1 %, 5 seeds): why" */
static void write_beaten(const vef_verdict *verdict, size_t rival, const char *const *columns,
                         FILE *out) {
    const vef_cell *cell = &verdict->cells[rival];
    char words[VEF_FIGURE_WORDS_BYTES];
    write_name(&verdict->cells[0], columns, out);
    fputs(" beats ", out);
    write_name(cell, columns, out);
    fprintf(out, " by %.3g %% in %s (", gain(verdict, cell->ratio.mean),
            vef_figure_words(words, verdict->measure));
    write_certainty(verdict, cell, out);
    fprintf(out, ")%s%s", verdict->why ? ": " : "", verdict->why ? verdict->why : "");
}

/* The verdict in a sentence, from malloc. */
static char *make_sentence(const vef_verdict *verdict, const char *const *columns) {
    const size_t rival = vef_verdict_rival(verdict);
    const vef_cell *other = NULL;
    char *text = NULL, words[VEF_FIGURE_WORDS_BYTES];
    size_t bytes = 0, more = 0;
    FILE *out = vef_memory_stream(&text, &bytes);
    for (size_t i = verdict->count - 1; i > 0; i--)
        if (is_equal(&verdict->cells[i])) {
            more += other != NULL;
            other = &verdict->cells[i];
        }
    if (!other && !rival) {
        write_name(&verdict->cells[0], columns, out);
        fputs(" alone has results", out);
    }
    if (other) {
        write_name(&verdict->cells[0], columns, out);
        fputs(" and ", out);
        write_name(other, columns, out);
        fputs(other->standing == VEF_STANDING_EQUAL ? " are equal (" : " are equal within noise (",
              out);
        if (other->standing == VEF_STANDING_NOISE)
            fprintf(out, "%.3g %% in %s, ", gain(verdict, other->ratio.mean),
                    vef_figure_words(words, verdict->measure));
        write_certainty(verdict, other, out);
        fputc(')', out);
        if (more)
            fprintf(out, ", and so %s %zu more", more == 1 ? "is" : "are", more);
        fputs(rival ? "; " : "", out);
    }
    if (rival)
        write_beaten(verdict, rival, columns, out);
    fclose(out);
    return text;
}

/* `named`: applications have names for people. */
static vef_result *begin(const char *const *columns, bool named, vef_result *into) {
    static const vef_column last[] = {
        {.key = "rank", .readers = VEF_TABLES | VEF_DOCUMENTS},
        {.key = "measure", .label = "figure"},
        {.key = "mean", .label = "mean"},
        {.key = "difference_percent", .label = "to best (%)", .format = "%+.2f", .exact = "%.6g"},
        {.key = "low_percent", .label = "from", .format = "%+.2f", .exact = "%.6g"},
        {.key = "high_percent", .label = "to", .format = "%+.2f", .exact = "%.6g"},
        {.key = "repetitions", .label = "runs"},
        {.key = "verdict", .label = "verdict"},
        {.key = "sentence", .readers = VEF_TABLES | VEF_DOCUMENTS}};
    vef_say(into, "\n");
    vef_result *table =
        vef_put_table(into, "verdict", VEF_EVERYONE,
                      (const vef_column[]){{.key = "application",
                                            .label = named ? "application" : NULL,
                                            .readers = named ? 0 : VEF_TABLES | VEF_DOCUMENTS},
                                           {0}});
    for (; *columns; columns++)
        vef_add_column(table, (vef_column){.key = *columns, .label = *columns});
    for (size_t i = 0; i < sizeof last / sizeof *last; i++)
        vef_add_column(table, last[i]);
    return table;
}

static void put_cells(const vef_verdict *verdict, const char *const *columns, vef_result *table) {
    static const char *const standings[] = {[VEF_STANDING_NONE] = "no value",
                                            [VEF_STANDING_BEST] = "best",
                                            [VEF_STANDING_EQUAL] = "equal",
                                            [VEF_STANDING_NOISE] = "equal within noise",
                                            [VEF_STANDING_WORSE] = "worse",
                                            [VEF_STANDING_EXACT] = "worse (nothing is random)",
                                            [VEF_STANDING_SINGLE] = "worse (one run)",
                                            [VEF_STANDING_INCOMPLETE] = "incomplete"};
    char *sentence = make_sentence(verdict, columns);
    for (size_t i = 0; i < verdict->count; i++) {
        const vef_cell *cell = &verdict->cells[i];
        const double low = 100 * (cell->ratio.low - 1), high = 100 * (cell->ratio.high - 1);
        const bool ranged =
            cell->standing == VEF_STANDING_NOISE || cell->standing == VEF_STANDING_WORSE;
        VEF_CELLS(table, verdict->application);
        for (size_t c = 0; columns[c]; c++)
            VEF_CELLS(table, cell->label[c] ? cell->label[c] : "");
        VEF_CELLS(table, i + 1, verdict->measure);
        if (vef_result_is_for(table, VEF_PEOPLE) && has_value(cell))
            vef_cell_printed(table, cell->value.mean >= 1e5 ? "%.0f" : "%.6g", cell->value.mean);
        else
            VEF_CELLS(table, vef_study_number(cell->value.mean));
        VEF_CELLS(table, vef_study_number(100 * (cell->ratio.mean - 1)),
                  vef_study_number(ranged ? low : NAN), vef_study_number(ranged ? high : NAN),
                  cell->value.repetitions, standings[cell->standing], i ? "" : sentence);
    }
    free(sentence);
}

void vef_verdicts_put(const vef_verdict *verdicts, size_t count, const char *const *columns,
                      vef_result *into) {
    vef_result *table = NULL;
    for (size_t v = 0; v < count; v++)
        if (has_value(&verdicts[v].cells[0])) {
            table = table ? table : begin(columns, count > 1 || *verdicts[v].application, into);
            put_cells(&verdicts[v], columns, table);
        }
    for (size_t v = 0; table && v < count; v++)
        if (has_value(&verdicts[v].cells[0])) {
            char *sentence = make_sentence(&verdicts[v], columns);
            vef_say(into, "%s%s%s%s.\n", v ? "" : "\n", verdicts[v].application,
                    *verdicts[v].application ? ": " : "", sentence);
            free(sentence);
        }
}
