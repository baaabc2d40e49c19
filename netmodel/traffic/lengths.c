/* Reading the mix of message lengths: "16", "4 KiB" or "0.7:8,0.3:64". See traffic.h. */
#include "netmodel/traffic/traffic.h"

#include "common/units.h"

#include <math.h>
#include <string.h>

enum { MOST_PHITS = 1 << 30, MOST_LENGTHS = 1024, MOST_ITEM_BYTES = 64 };
static const uint64_t MOST_BYTES = UINT64_C(1) << 42;
/* Tolerance of the sum of written shares: three thirds as 0.3333333333 each are accepted. */
static const double SUM_TOLERANCE = 1e-9;

static vef_code fail_item(const char *text, const char *item, vef_error *error) {
    return vef_fail(error, VEF_INVALID,
                    "lengths '%.80s': '%.40s' is not a length: expected a number of phits such as "
                    "16, a size such as 4 KiB, or shares of several such as 0.7:8,0.3:64",
                    text, item);
}

/* Reads "8" or "64 B". */
static vef_code read_length(const char *text, const char *item, const char *words,
                            vef_length_share *length, vef_error *error) {
    int64_t phits;
    length->phits = length->bytes = 0;
    if (vef_parse_int(words, "phits", &phits, NULL) != VEF_OK) {
        if (vef_parse_bytes(words, "size", &length->bytes, NULL) != VEF_OK)
            return fail_item(text, item, error);
        if (length->bytes < 1 || length->bytes > MOST_BYTES)
            return vef_fail(error, VEF_INVALID,
                            "lengths '%.80s': '%.40s' is out of range: expected 1 B to 4 TiB", text,
                            item);
        return VEF_OK;
    }
    if (phits < 1 || phits > MOST_PHITS)
        return vef_fail(error, VEF_INVALID,
                        "lengths '%.80s': a message of %lld phits: out of range: expected 1 to %d",
                        text, (long long)phits, MOST_PHITS);
    length->phits = (uint64_t)phits;
    return VEF_OK;
}

/* Reads "0.7:8", or a lone "8". */
static vef_code read_item(const char *text, char *item, bool alone, vef_length_share *length,
                          vef_error *error) {
    char *colon = strchr(item, ':');
    if (!colon && !alone)
        return vef_fail(error, VEF_INVALID,
                        "lengths '%.80s': '%.40s' has no share: expected one for each of several "
                        "lengths, as in 0.7:8,0.3:64",
                        text, item);
    length->share = 1;
    const vef_code code = read_length(text, item, colon ? colon + 1 : item, length, error);
    if (code != VEF_OK || !colon)
        return code;
    *colon = '\0';
    const bool read = vef_parse_real(item, "share", &length->share, NULL) == VEF_OK;
    *colon = ':';
    if (!read)
        return fail_item(text, item, error);
    if (!(length->share > 0 && length->share <= 1))
        return vef_fail(error, VEF_INVALID,
                        "lengths '%.80s': '%.40s' has a share of %g: out of range: expected more "
                        "than 0 and at most 1",
                        text, item, length->share);
    return VEF_OK;
}

vef_code vef_lengths_read(const char *text, vef_arena *arena, const vef_length_share **lengths,
                          size_t *count, vef_error *error) {
    size_t items = 1;
    for (const char *c = text; *c; c++)
        items += *c == ',';
    if (items > MOST_LENGTHS)
        return vef_fail(error, VEF_INVALID,
                        "lengths: %zu lengths: out of range: expected at most %d", items,
                        MOST_LENGTHS);
    vef_length_share *read = vef_arena_alloc(arena, items, sizeof *read);
    const char *next = text;
    double sum = 0;
    for (size_t i = 0; i < items; i++) {
        const size_t length = strcspn(next, ",");
        char item[MOST_ITEM_BYTES];
        if (length >= sizeof item)
            return fail_item(text, next, error);
        memcpy(item, next, length);
        item[length] = '\0';
        const vef_code code = read_item(text, item, items == 1, &read[i], error);
        if (code != VEF_OK)
            return code;
        sum += read[i].share;
        next += length + 1;
    }
    if (fabs(sum - 1) > SUM_TOLERANCE)
        return vef_fail(error, VEF_INVALID,
                        "lengths '%.80s': the shares add up to %.10g: expected 1", text, sum);
    for (size_t i = 0; i < items; i++)
        read[i].share /= sum;
    *lengths = read;
    *count = items;
    return VEF_OK;
}
