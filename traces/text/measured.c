/* How times were measured, in the text form: see parse.h. */
#include "traces/format/measured.h"
#include "traces/text/parse.h"

#include <string.h>

vef_code vef_text_measured_read(vef_text *text, vef_measured *measured, vef_error *error) {
    const char *word;
    size_t length;
    vef_code code = VEF_OK;
    while (!code && vef_text_word(text, &word, &length)) {
        const char *equals = memchr(word, '=', length);
        size_t letters = equals ? (size_t)(equals - word) : length, i = 0;
        while (i < VEF_MEASURED_FIELDS && !vef_text_is(word, letters, vef_measured_fields[i].name))
            i++;
        if (!equals || i == VEF_MEASURED_FIELDS)
            return vef_text_fail(text, error,
                                 "unknown word '%.*s': expected run_ns=, wall_ns=, cpu_ns=, "
                                 "core_wait_ns=, cpu_clock=, threads=, host_tasks=, host_cores=, "
                                 "clock_compared_ns=, clock_error_ns= or clock_jumps=",
                                 (int)length, word);
        code = vef_text_number(text, vef_measured_fields[i].name, equals + 1, length - letters - 1,
                               UINT64_MAX, vef_measured_at(measured, i), error);
    }
    return code;
}
