/* Scales of axes and of colours: limits, places, and ticks at round numbers with short texts,
 * multiples of 1, 2 or 5 times a power of ten, or powers. See parts.h. */
#include "common/pictures/parts.h"

#include "common/containers/grow.h"
#include "common/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FACTOR = 20 }; /* of data on a linear axis, at most (VEF_AXIS_AUTO) */

static const double NEARLY = 1e-9, ROOM = 0.15; /* around data on bare axes */

static bool is_logarithmic(const vef_scale *scale) {
    return scale->kind == VEF_AXIS_LOG10 || scale->kind == VEF_AXIS_LOG2;
}

static bool has_multiples(const vef_scale *scale) {
    const char *unit = scale->axis->unit;
    return unit && (strcmp(unit, "ns") == 0 || strcmp(unit, "B") == 0 || strcmp(unit, "B/s") == 0 ||
                    strcmp(unit, "bit/s") == 0);
}

/* The multiple of the unit in which a value is a short number: its name in `text`. Returns how many
 * units it has. */
static double choose_multiple(const vef_scale *scale, double value, char *text, size_t bytes) {
    static const char *const names[][6] = {
        {"", "k", "M", "G", "T", "P"}, {"", "Ki", "Mi", "Gi", "Ti", "Pi"}, {"ns", "µs", "ms", "s"}};
    const char *unit = scale->axis->unit ? scale->axis->unit : "";
    const bool time = strcmp(unit, "ns") == 0, binary = scale->kind == VEF_AXIS_LOG2;
    const double step = binary && !time ? 1024 : 1000;
    /* Other units are seldom named with a prefix. */
    const double least = has_multiples(scale) ? step : 100 * step;
    double multiple = 1;
    int i = 0;
    for (; value >= fmax(least, multiple * step) * (1 - NEARLY) && i < (time ? 3 : 5); i++)
        multiple *= step;
    snprintf(text, bytes, "%s%s", names[time ? 2 : binary][i], time ? "" : unit);
    return multiple;
}

/* A tick with an allocated text. */
static void add_tick(vef_scale *scale, double value, char *text) {
    *VEF_NEW_ITEM(scale->ticks, scale->tick_count, scale->tick_room) = (vef_axis_tick){value, text};
}

/* 1, 2 or 5 times a power of ten, at least `value`. */
static double round_up(double value) {
    const double power = pow(10, floor(log10(value) + NEARLY)), digit = value / power - NEARLY;
    return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
}

static double find_step(const vef_scale *scale, int ticks) {
    const double rough = (scale->most - scale->least) / ticks;
    return scale->kind == VEF_AXIS_WHOLE ? exp2(fmax(0, ceil(log2(rough)))) : round_up(rough);
}

/* A number with a minus sign; allocated. */
static char *number_text(double number, int decimals) {
    return vef_printed("%s%.*f", number < 0 ? "−" : "", decimals, fabs(number));
}

static int decimals_of(double step) {
    return (int)fmax(0, ceil(-log10(step) - NEARLY));
}

/* "time (ms)": the unit in which numbers such as `value` are short. Returns its multiple. */
static double write_title(vef_scale *scale, double value) {
    char unit[64];
    const double multiple = choose_multiple(scale, value, unit, sizeof unit);
    if (*unit && *scale->title)
        snprintf(scale->title, sizeof scale->title, "%s (%s)", scale->axis->label, unit);
    else if (*unit)
        snprintf(scale->title, sizeof scale->title, "%s", unit);
    return multiple;
}

/* Ticks in a multiple of the unit that the title names. */
static void add_linear_ticks(vef_scale *scale, double step) {
    const double multiple = write_title(scale, 0.99 * fmax(fabs(scale->least), fabs(scale->most)));
    for (double i = ceil(scale->least / step - NEARLY); i * step <= scale->most + NEARLY * step;
         i++)
        add_tick(scale, i * step, number_text(i * step / multiple, decimals_of(step / multiple)));
}

/* Ticks at powers, for a few decades also at 2 and 5 times powers, in a multiple of the unit that
 * the title names. Powers of two, and axes of many decades, have a multiple at each tick. */
static void add_logarithmic_ticks(vef_scale *scale, int ticks) {
    const bool decimal = scale->kind == VEF_AXIS_LOG10;
    const double base = decimal ? 10 : 2;
    const double first = log(scale->least) / log(base), last = log(scale->most) / log(base);
    const double stride = fmax(1, ceil((last - first) / ticks));
    const bool each = has_multiples(scale) && (!decimal || last - first > 5);
    const double common = each ? 1 : write_title(scale, sqrt(scale->least * scale->most));
    for (double power = floor(first + NEARLY); power <= last + NEARLY; power++)
        for (int digit = 1; digit < (decimal && stride <= 1 ? 10 : 2); digit++) {
            const double value = digit * pow(base, power);
            char *text = NULL, unit[64];
            if (value < scale->least * (1 - NEARLY) || value > scale->most * (1 + NEARLY))
                continue;
            const bool named = digit == 1
                                   ? fmod(power - ceil(first - NEARLY), stride) == 0
                                   : last - first <= ticks / 2.0 && (digit == 2 || digit == 5);
            const double multiple =
                each ? choose_multiple(scale, value, unit, sizeof unit) : common;
            if (named && each)
                text = vef_printed("%g %s", value / multiple, unit);
            else if (named)
                text = number_text(value / multiple,
                                   decimal ? decimals_of(pow(base, power) / multiple) : 0);
            add_tick(scale, value, text);
        }
}

/* Limits at ticks around the data; data that are a point get some room. */
static void choose_limits(vef_scale *scale, double least, double most, int ticks) {
    const bool from_zero = scale->axis->from_zero || scale->axis->kind == VEF_AXIS_AUTO;
    if (!(least <= most)) {
        least = is_logarithmic(scale) ? 1 : 0;
        most = is_logarithmic(scale) ? 10 : 1;
    }
    if (is_logarithmic(scale)) {
        const bool binary = scale->kind == VEF_AXIS_LOG2;
        scale->least = binary ? exp2(floor(log2(least) + NEARLY)) : 1 / round_up(1 / least);
        scale->most = binary ? exp2(ceil(log2(most) - NEARLY)) : round_up(most);
        scale->most *= scale->most > scale->least ? 1 : 2;
        return;
    }
    least = from_zero ? fmin(least, 0) : least;
    most = from_zero ? fmax(most, 0) : most;
    const double room = scale->axis->bare ? ROOM
                        : least < most    ? 0
                        : least == 0      ? 1
                                          : fabs(least) / 10;
    scale->least = least - (from_zero ? 0 : room);
    scale->most = most + room;
    const double step = find_step(scale, ticks);
    if (scale->axis->bare)
        return;
    scale->least = step * floor(scale->least / step + NEARLY);
    scale->most = step * ceil(scale->most / step - NEARLY);
}

void vef_scale_set(vef_scale *scale, const vef_axis *axis, double least, double most, int ticks) {
    const bool given = axis->least < axis->most;
    *scale =
        (vef_scale){.axis = axis, .kind = axis->kind, .least = axis->least, .most = axis->most};
    if (axis->kind == VEF_AXIS_AUTO)
        scale->kind = least > 0 && most > FACTOR * least ? VEF_AXIS_LOG10 : VEF_AXIS_LINEAR;
    if (axis->label)
        snprintf(scale->title, sizeof scale->title, "%s", axis->label);
    if (axis->name_count) {
        scale->least = -0.5;
        scale->most = (double)axis->name_count - 0.5;
        for (size_t i = 0; i < axis->name_count; i++)
            if (axis->names[i])
                add_tick(scale, (double)i, vef_strdup(axis->names[i]));
        return;
    }
    if (!given)
        choose_limits(scale, least, most, ticks);
    if (axis->bare)
        return;
    if (is_logarithmic(scale))
        add_logarithmic_ticks(scale, ticks);
    else
        add_linear_ticks(scale, find_step(scale, ticks));
}

void vef_scale_free(vef_scale *scale) {
    for (size_t i = 0; i < scale->tick_count; i++)
        free(scale->ticks[i].text);
    free(scale->ticks);
    scale->ticks = NULL;
    scale->tick_count = 0;
}

double vef_scale_place(const vef_scale *scale, double value) {
    if (isinf(value))
        return value > 0;
    if (!is_logarithmic(scale))
        return (value - scale->least) / (scale->most - scale->least);
    return value > 0 ? log(value / scale->least) / log(scale->most / scale->least) : (double)NAN;
}
