/* Numbers and quantities as people write them: `64 KiB`, `1 Gbit/s`, `1.5 us`. Exact: a fraction is
 * accepted where the result is whole (`1.5 KiB`), and refused, not rounded, where it is not.
 *
 * A quantity is digits, optionally a fraction and a power of ten, and a unit, which is required:
 *   bytes      B kB MB GB TB (powers of 1000), KiB MiB GiB TiB (powers of 1024)
 *   bandwidth  bits: bit/s kbit/s Mbit/s Gbit/s Tbit/s (also b/s … Tb/s and bps … Tbps);
 *              bytes: B/s kB/s MB/s GB/s (also Bps … GBps), KiB/s MiB/s GiB/s
 *   time       ns us (or µs) ms s
 *   frequency  Hz kHz MHz GHz
 *   length     mm cm m km */
#ifndef VEF_COMMON_UNITS_H
#define VEF_COMMON_UNITS_H

#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Each reads the whole of `text`; `what` names the value in the message ("what: expected …").
 * VEF_INVALID if it is not such a number, has no unit or an unknown one, is not whole or does not
 * fit. */
vef_code vef_parse_int(const char *text, const char *what, int64_t *value, vef_error *error);
vef_code vef_parse_uint(const char *text, const char *what, uint64_t *value, vef_error *error);
vef_code vef_parse_real(const char *text, const char *what, double *value, vef_error *error);
vef_code vef_parse_bytes(const char *text, const char *what, uint64_t *bytes, vef_error *error);
vef_code vef_parse_bandwidth(const char *text, const char *what, uint64_t *bits_per_s,
                             vef_error *error);
vef_code vef_parse_time_ns(const char *text, const char *what, double *time_ns, vef_error *error);
vef_code vef_parse_frequency(const char *text, const char *what, uint64_t *hz, vef_error *error);
vef_code vef_parse_length_m(const char *text, const char *what, double *length_m, vef_error *error);

/* Numbers from `first` to `last` by `step`. */
typedef struct vef_range {
    double first, last, step;
    size_t count;   /* 0: they descend, or the step is not above 0 */
    unsigned parts; /* of the text, up to 3; the step is 1 where it is not given */
} vef_range;

/* "0.3", "1:5" or "0.1:0.5:0.1". False: not such a text. */
bool vef_range_scan(const char *text, vef_range *range);

enum { VEF_QUANTITY_TEXT_BYTES = 48 };

/* The shortest text that reads back as exactly the same value, in the greatest unit that keeps the
 * number short. Each returns `text`, of VEF_QUANTITY_TEXT_BYTES bytes. */
char *vef_format_real(char *text, double value);
char *vef_format_bytes(char *text, uint64_t bytes);
char *vef_format_bandwidth(char *text, uint64_t bits_per_s);
char *vef_format_time_ns(char *text, double time_ns);
char *vef_format_frequency(char *text, uint64_t hz);
char *vef_format_length_m(char *text, double length_m);

/* The name of a figure for people, without the unit at its end: of "power_per_endpoint_w" "power
 * per endpoint". Returns `text`, of VEF_FIGURE_WORDS_BYTES bytes. */
enum { VEF_FIGURE_WORDS_BYTES = 96 };
char *vef_figure_words(char *text, const char *name);

#endif
