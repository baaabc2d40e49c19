/* Numbers and quantities as text, read and written without loss. See units.h. */
#include "common/units.h"

#include "common/unknown.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct unit {
    const char *name;
    uint64_t factor;
} unit;

/* clang-format off */
#define METRIC(unit, factor)                                                                       \
    {unit, factor}, {"k" unit, (factor) * KILO}, {"M" unit, (factor) * MEGA},                      \
    {"G" unit, (factor) * GIGA}
#define BINARY(unit, factor)                                                                       \
    {"Ki" unit, UINT64_C(factor) << 10}, {"Mi" unit, UINT64_C(factor) << 20},                      \
    {"Gi" unit, UINT64_C(factor) << 30}
/* clang-format on */
#define KILO UINT64_C(1000)
#define MEGA UINT64_C(1000000)
#define GIGA UINT64_C(1000000000)
#define TERA UINT64_C(1000000000000)
#define TIB (UINT64_C(1) << 40)

enum { MOST_UNITS = 26 };

typedef struct dimension {
    const char *noun, *base, *example;
    size_t written;             /* number of units that are written; the others are only read */
    unit units[MOST_UNITS + 1]; /* the first is the base unit */
} dimension;

static const dimension BYTES = {
    "bytes", "B", "64 KiB", 9, {METRIC("B", 1), {"TB", TERA}, BINARY("B", 1), {"TiB", TIB}}};
/* A lower-case b is a bit and a capital B is a byte, in every spelling. */
static const dimension BANDWIDTH = {
    "bit/s",
    "bit/s",
    "1 Gbit/s",
    5,
    {METRIC("bit/s", 1),
     {"Tbit/s", TERA},
     METRIC("B/s", 8),
     BINARY("B/s", 8),
     METRIC("b/s", 1),
     {"Tb/s", TERA},
     METRIC("bps", 1),
     {"Tbps", TERA},
     METRIC("Bps", 8)},
};
/* Both letters that look like µ: the micro sign and the Greek mu. */
static const dimension TIME = {
    "ns",
    "ns",
    "100 ns",
    4,
    {{"ns", 1}, {"us", KILO}, {"ms", MEGA}, {"s", GIGA}, {"\xc2\xb5s", KILO}, {"\xce\xbcs", KILO}},
};
static const dimension FREQUENCY = {"Hz", "Hz", "1.2 GHz", 4, {METRIC("Hz", 1)}};
/* The factors are in mm, the values in m. */
static const dimension LENGTH = {
    "mm", "mm", "5 m", 4, {{"mm", 1}, {"cm", 10}, {"m", KILO}, {"km", MEGA}}};
enum { MM_TO_M = -3 }; /* a power of ten */

/* A decimal number as written: `digits` significant ones, worth digits * 10^exponent. */
typedef struct decimal {
    uint64_t digits;
    int exponent;
    int mantissa_length; /* length of the text up to the power of ten */
    int power;           /* the power of ten as written */
    bool too_long;       /* more digits than 64 bits hold */
    const char *rest;    /* the rest, without the blanks before it */
} decimal;

static void take_digit(decimal *number, char digit, bool fraction, int *pending_zeros) {
    if (digit == '0') { /* held back, so that trailing zeros need no room */
        ++*pending_zeros;
        number->exponent -= fraction;
        return;
    }
    for (int i = 0; i < *pending_zeros + 1; i++) {
        uint64_t value = i < *pending_zeros ? 0 : (uint64_t)(digit - '0');
        if (number->digits > (UINT64_MAX - value) / 10) {
            number->too_long = true;
            break;
        }
        number->digits = number->digits * 10 + value;
    }
    *pending_zeros = 0;
    number->exponent -= fraction;
}

/* Reads the number at the beginning of `text`; false if there is none. */
static bool scan_decimal(const char *text, decimal *number) {
    *number = (decimal){0};
    const char *next = text;
    int pending_zeros = 0;
    if (!isdigit((unsigned char)*next) || strlen(text) > 4096)
        return false;
    for (; isdigit((unsigned char)*next); next++)
        take_digit(number, *next, false, &pending_zeros);
    if (next[0] == '.' && isdigit((unsigned char)next[1]))
        for (next++; isdigit((unsigned char)*next); next++)
            take_digit(number, *next, true, &pending_zeros);
    number->exponent += pending_zeros;
    number->mantissa_length = (int)(next - text);
    if ((*next == 'e' || *next == 'E') &&
        (isdigit((unsigned char)next[1]) ||
         ((next[1] == '-' || next[1] == '+') && isdigit((unsigned char)next[2])))) {
        char *end;
        long power = strtol(next + 1, &end, 10);
        number->power = power > 9999 ? 9999 : power < -9999 ? -9999 : (int)power;
        number->exponent += number->power;
        next = end;
    }
    while (*next == ' ' || *next == '\t')
        next++;
    number->rest = next;
    return true;
}

/* Splits `text` into a number and its unit. */
static vef_code scan_quantity(const char *text, const char *what, const dimension *kind,
                              decimal *number, const unit **found, vef_error *error) {
    if (!scan_decimal(text, number))
        return vef_fail(error, VEF_INVALID,
                        "%s: expected a number and a unit, such as '%s', found '%.80s'", what,
                        kind->example, text);
    const char *names[MOST_UNITS];
    size_t count = 0;
    for (const unit *row = kind->units; row->name; row++) {
        if (strcmp(row->name, number->rest) == 0) {
            *found = row;
            return VEF_OK;
        }
        names[count++] = row->name;
    }
    if (*number->rest == '\0')
        return vef_fail(error, VEF_INVALID,
                        "%s: '%.80s' has no unit: expected a number and a unit, such as '%s'", what,
                        text, kind->example);
    vef_fail_unknown(error, "unit", number->rest, names, count);
    return error ? vef_fail_within(error, "%s", what) : VEF_INVALID;
}

/* number * factor as a whole number of 64 bits. */
static vef_code scale_exactly(const decimal *number, uint64_t factor, const char *text,
                              const char *what, const dimension *kind, uint64_t *value,
                              vef_error *error) {
    unsigned __int128 scaled = (unsigned __int128)number->digits * factor;
    int exponent = number->exponent;
    bool whole = true;
    for (; exponent > 0 && scaled != 0 && scaled <= UINT64_MAX; exponent--)
        scaled *= 10;
    for (; exponent < 0 && scaled != 0 && whole; exponent++) {
        whole = scaled % 10 == 0;
        scaled /= 10;
    }
    if (!whole || (number->too_long && number->exponent < 0))
        return vef_fail(error, VEF_INVALID, "%s: '%.80s' is not a whole number of %s", what, text,
                        kind->noun);
    if (number->too_long || scaled > UINT64_MAX)
        return vef_fail(error, VEF_INVALID,
                        "%s: '%.80s' is too large: expected at most %" PRIu64 " %s", what, text,
                        UINT64_MAX, kind->base);
    *value = (uint64_t)scaled;
    return VEF_OK;
}

static vef_code parse_whole(const char *text, const char *what, const dimension *kind,
                            uint64_t *value, vef_error *error) {
    decimal number;
    const unit *found;
    vef_code code = scan_quantity(text, what, kind, &number, &found, error);
    return code ? code : scale_exactly(&number, found->factor, text, what, kind, value, error);
}

vef_code vef_parse_bytes(const char *text, const char *what, uint64_t *bytes, vef_error *error) {
    return parse_whole(text, what, &BYTES, bytes, error);
}

vef_code vef_parse_bandwidth(const char *text, const char *what, uint64_t *bits_per_s,
                             vef_error *error) {
    return parse_whole(text, what, &BANDWIDTH, bits_per_s, error);
}

vef_code vef_parse_frequency(const char *text, const char *what, uint64_t *hz, vef_error *error) {
    return parse_whole(text, what, &FREQUENCY, hz, error);
}

/* A value in the base unit times 10^shift. */
static vef_code parse_scaled(const char *text, const char *what, const dimension *kind, int shift,
                             double *scaled, vef_error *error) {
    decimal number;
    const unit *found;
    vef_code code = scan_quantity(text, what, kind, &number, &found, error);
    if (code)
        return code;
    /* The unit adds to the power of ten, so that strtod does the only rounding. */
    int power = number.power + shift;
    for (uint64_t factor = found->factor; factor > 1; factor /= 10)
        power++;
    char shifted[4096 + 16];
    snprintf(shifted, sizeof shifted, "%.*se%d", number.mantissa_length, text, power);
    double value = strtod(shifted, NULL);
    if (!isfinite(value))
        return vef_fail(error, VEF_INVALID, "%s: '%.80s' is too large", what, text);
    *scaled = value;
    return VEF_OK;
}

vef_code vef_parse_time_ns(const char *text, const char *what, double *time_ns, vef_error *error) {
    return parse_scaled(text, what, &TIME, 0, time_ns, error);
}

vef_code vef_parse_length_m(const char *text, const char *what, double *length_m,
                            vef_error *error) {
    return parse_scaled(text, what, &LENGTH, MM_TO_M, length_m, error);
}

vef_code vef_parse_int(const char *text, const char *what, int64_t *value, vef_error *error) {
    const char *digits = text + (*text == '-' || *text == '+');
    if (*digits == '\0' || digits[strspn(digits, "0123456789")] != '\0')
        return vef_fail(error, VEF_INVALID, "%s: expected a whole number, found '%.80s'", what,
                        text);
    errno = 0;
    long long parsed = strtoll(text, NULL, 10);
    if (errno == ERANGE)
        return vef_fail(error, VEF_INVALID, "%s: '%.80s' does not fit in 64 bits", what, text);
    *value = parsed;
    return VEF_OK;
}

vef_code vef_parse_uint(const char *text, const char *what, uint64_t *value, vef_error *error) {
    if (*text == '\0' || text[strspn(text, "0123456789")] != '\0')
        return vef_fail(error, VEF_INVALID, "%s: expected a whole number from 0, found '%.80s'",
                        what, text);
    errno = 0;
    unsigned long long parsed = strtoull(text, NULL, 10);
    if (errno == ERANGE)
        return vef_fail(error, VEF_INVALID,
                        "%s: '%.80s' is out of range: expected at most %" PRIu64, what, text,
                        UINT64_MAX);
    *value = parsed;
    return VEF_OK;
}

vef_code vef_parse_real(const char *text, const char *what, double *value, vef_error *error) {
    decimal number;
    if (text[strcspn(text, " \t")] != '\0' ||
        !scan_decimal(text + (*text == '-' || *text == '+'), &number) || *number.rest != '\0')
        return vef_fail(error, VEF_INVALID, "%s: expected a number, found '%.80s'", what, text);
    double parsed = strtod(text, NULL);
    if (!isfinite(parsed))
        return vef_fail(error, VEF_INVALID, "%s: '%.80s' is too large", what, text);
    *value = parsed;
    return VEF_OK;
}

bool vef_range_scan(const char *text, vef_range *range) {
    double *const numbers[] = {&range->first, &range->last, &range->step};
    *range = (vef_range){.step = 1};
    for (size_t length;; text += length + 1) {
        char number[64];
        length = strcspn(text, ":");
        snprintf(number, sizeof number, "%.*s", (int)length, text);
        if (range->parts == 3 || length >= sizeof number ||
            vef_parse_real(number, "", numbers[range->parts++], NULL) != VEF_OK)
            return false;
        if (text[length] == '\0')
            break;
    }
    if (range->parts == 1)
        range->last = range->first;
    if (range->step > 0 && range->last >= range->first) {
        const double steps =
            (range->last - range->first) / range->step * (1 + 1e-12) + 1e-9; /* despite rounding */
        range->count = steps < 1e15 ? (size_t)steps + 1 : SIZE_MAX;
    }
    return true;
}

char *vef_format_real(char *text, double value) {
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, VEF_QUANTITY_TEXT_BYTES, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    /* %g uses exponents even where plain digits are as short: write 30, not 3e+01. */
    if (strchr(text, 'e') && fabs(value) < 1e15 && value == floor(value))
        snprintf(text, VEF_QUANTITY_TEXT_BYTES, "%.0f", value);
    return text;
}

/* The unit in which the value is the smallest whole number. */
static char *format_whole(char *text, const dimension *kind, uint64_t value) {
    const unit *best = kind->units;
    for (const unit *row = kind->units; row < kind->units + kind->written; row++)
        if (value != 0 && value % row->factor == 0 && row->factor > best->factor)
            best = row;
    snprintf(text, VEF_QUANTITY_TEXT_BYTES, "%" PRIu64 " %s", value / best->factor, best->name);
    return text;
}

char *vef_format_bytes(char *text, uint64_t bytes) {
    return format_whole(text, &BYTES, bytes);
}

char *vef_format_bandwidth(char *text, uint64_t bits_per_s) {
    return format_whole(text, &BANDWIDTH, bits_per_s);
}

char *vef_format_frequency(char *text, uint64_t hz) {
    return format_whole(text, &FREQUENCY, hz);
}

/* A value in units of `base`, in the greatest unit in which the number is at least 1 and short. */
static char *format_scaled(char *text, const dimension *kind, const unit *base, int shift,
                           double value) {
    char number[VEF_QUANTITY_TEXT_BYTES];
    for (const unit *row = kind->units + kind->written - 1; row >= kind->units; row--) {
        const double scaled = value * (double)base->factor / (double)row->factor;
        if (scaled < 1)
            continue;
        vef_format_real(number, scaled);
        if (strlen(number) > 8)
            continue;
        snprintf(text, VEF_QUANTITY_TEXT_BYTES, "%.16s %s", number, row->name);
        double back;
        if (parse_scaled(text, "", kind, shift, &back, NULL) == VEF_OK && back == value)
            return text;
    }
    snprintf(text, VEF_QUANTITY_TEXT_BYTES, "%.40s %s", vef_format_real(number, value), base->name);
    return text;
}

char *vef_format_time_ns(char *text, double time_ns) {
    return format_scaled(text, &TIME, &TIME.units[0], 0, time_ns);
}

char *vef_format_length_m(char *text, double length_m) {
    return format_scaled(text, &LENGTH, &LENGTH.units[2], MM_TO_M, length_m);
}

char *vef_figure_words(char *text, const char *name) {
    static const char *const units[] = {"_ns", "_cycles", "_w", "_m"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const size_t tail = strlen(units[i]);
        if (length > tail && strcmp(name + length - tail, units[i]) == 0)
            length -= tail;
    }
    snprintf(text, VEF_FIGURE_WORDS_BYTES, "%.*s", (int)length, name);
    for (char *c = text; *c; c++)
        *c = *c == '_' ? ' ' : *c;
    return text;
}
