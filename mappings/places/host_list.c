/* Lists of hosts. See host_list.h. */
#include "mappings/places/host_list.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct listing {
    vef_host_take *take;
    void *context;
    uint32_t tasks; /* of each host of this name */
    bool counted, ended;
    char name[VEF_HOST_NAME_BYTES];
} listing;

bool vef_host_name_is_valid(const char *name) {
    const char *at = name;
    while (isalnum((unsigned char)*at) || (*at != '\0' && strchr("-._", *at)))
        at++;
    return at > name && *at == '\0' && at - name < VEF_HOST_NAME_BYTES;
}

static bool read_number(const char **at, uint64_t *number) {
    char *end;
    errno = 0;
    if (!isdigit((unsigned char)**at))
        return false;
    *number = strtoull(*at, &end, 10);
    *at = end;
    return errno == 0 && *number <= UINT32_MAX;
}

static vef_code expand(listing *self, size_t used, const char *rest, vef_error *error);

/* The numbers "1-3,7]" at `at`, each followed by what is behind the bracket. */
static vef_code expand_ranges(listing *self, size_t used, const char *at, vef_error *error) {
    const char *close = strchr(at, ']');
    vef_code code = VEF_OK;
    if (!close)
        return vef_fail(error, VEF_INVALID, "missing ']'");
    do {
        const char *digits = at;
        uint64_t first, last;
        bool fine = read_number(&at, &first);
        const int width = (int)(at - digits);
        last = first;
        if (fine && *at == '-')
            at++, fine = read_number(&at, &last);
        if (!fine || last < first || (*at != ',' && *at != ']') || width > 20)
            return vef_fail(error, VEF_INVALID,
                            "'%.40s': expected numbers and ranges in brackets, such as [1-3,7]",
                            digits);
        for (uint64_t n = first; code == VEF_OK && !self->ended && n <= last; n++) {
            const int length = snprintf(self->name + used, sizeof self->name - used, "%0*llu",
                                        *digits == '0' ? width : 0, (unsigned long long)n);
            if (length < 0 || (size_t)length >= sizeof self->name - used)
                return vef_fail(error, VEF_INVALID, "the name of a host is too long");
            code = expand(self, used + (size_t)length, close + 1, error);
        }
    } while (code == VEF_OK && *at++ == ',');
    return code;
}

/* The first `used` characters of a name are known; `rest` may have brackets. */
static vef_code expand(listing *self, size_t used, const char *rest, vef_error *error) {
    const size_t plain = strcspn(rest, "[");
    if (plain >= sizeof self->name - used)
        return vef_fail(error, VEF_INVALID, "the name of a host is too long");
    memcpy(self->name + used, rest, plain);
    self->name[used + plain] = '\0';
    if (rest[plain] == '[')
        return expand_ranges(self, used + plain, rest + plain + 1, error);
    if (!vef_host_name_is_valid(self->name))
        return vef_fail(error, VEF_INVALID, "'%.60s' is not the name of a host", self->name);
    self->ended = !self->take(self->context, self->name, self->tasks, self->counted);
    return VEF_OK;
}

/* The end of an element of the list: the next comma outside brackets. */
static const char *element_end(const char *text) {
    bool inside = false;
    for (; *text != '\0' && (inside || *text != ','); text++)
        inside = *text == '[' || (inside && *text != ']');
    return text;
}

vef_code vef_host_list_read(const char *text, vef_host_take *take, void *context,
                            vef_error *error) {
    listing self = {.take = take, .context = context};
    vef_code code = VEF_OK;
    for (const char *end; code == VEF_OK && !self.ended; text = end + 1) {
        char element[4 * VEF_HOST_NAME_BYTES];
        end = element_end(text);
        const size_t length = (size_t)(end - text);
        if (length >= sizeof element)
            return vef_fail(error, VEF_INVALID, "'%.40s…': the name of a host is too long", text);
        memcpy(element, text, length);
        element[length] = '\0';
        char *sign = element + strcspn(element, ":*");
        self.counted = *sign != '\0';
        uint64_t tasks = 1;
        if (self.counted) {
            const char *number = sign + 1;
            *sign = '\0';
            if (!read_number(&number, &tasks) || *number != '\0' || tasks == 0)
                return vef_fail(error, VEF_INVALID,
                                "'%.40s': expected the number of tasks of host %.60s, from 1",
                                sign + 1, element);
        }
        self.tasks = (uint32_t)tasks;
        code = expand(&self, 0, element, error);
        if (*end == '\0')
            break;
    }
    return code;
}
