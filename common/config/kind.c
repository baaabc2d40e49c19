/* The kinds of values of keys and options. See schema.h. */
#include "common/config/schema.h"

#include <inttypes.h>

static char *format_whole(char *text, uint64_t value) {
    snprintf(text, VEF_QUANTITY_TEXT_BYTES, "%" PRIu64, value);
    return text;
}

#define WHOLE(words, parse, format)                                                                \
    { words, sizeof(uint64_t), .parse_whole = parse, .format_whole = format }
#define REAL(words, parse, format)                                                                 \
    { words, sizeof(double), .parse_real = parse, .format_real = format }

const vef_param_traits vef_param_traits_of[] = {
    [VEF_PARAM_INT] = {"a whole number", sizeof(int64_t)},
    [VEF_PARAM_COUNT] = {"a whole number", sizeof(uint32_t)},
    [VEF_PARAM_UINT] = WHOLE("a whole number", vef_parse_uint, format_whole),
    [VEF_PARAM_REAL] = REAL("a number", vef_parse_real, vef_format_real),
    [VEF_PARAM_BOOL] = {"true | false", sizeof(bool)},
    [VEF_PARAM_CHOICE] = {"", sizeof(int)},
    [VEF_PARAM_STRING] = {"text", sizeof(const char *)},
    [VEF_PARAM_PATH] = {"a file's name", sizeof(const char *)},
    [VEF_PARAM_TEXT_LIST] = {"a list such as [a, b]"},
    [VEF_PARAM_TEXT_TABLE] = {"a list of lists such as [[a, b], [c, d]]"},
    [VEF_PARAM_INT_LIST] = {"a list such as [%d, %d] of whole numbers"},
    [VEF_PARAM_INT_TABLE] = {"a list of lists such as [[%d, %d], [%d, %d]] of whole numbers"},
    [VEF_PARAM_BYTES] = WHOLE("a size such as 64 KiB", vef_parse_bytes, vef_format_bytes),
    [VEF_PARAM_BANDWIDTH] =
        WHOLE("a bandwidth such as 1 Gbit/s", vef_parse_bandwidth, vef_format_bandwidth),
    [VEF_PARAM_TIME] = REAL("a time such as 100 ns", vef_parse_time_ns, vef_format_time_ns),
    [VEF_PARAM_FREQUENCY] =
        WHOLE("a frequency such as 1.2 GHz", vef_parse_frequency, vef_format_frequency),
    [VEF_PARAM_LENGTH] = REAL("a length such as 5 m", vef_parse_length_m, vef_format_length_m),
    [VEF_PARAM_COST] = {"a time, or times by size"},
    [VEF_PARAM_SECTION] = {"a section"},
};
