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
    const char *next = name;
    while (isalnum((unsigned char)*next) || (*next != '\0' && strchr("-._", *next)))
        next++;
    return next > name && *next == '\0' && next - name < VEF_HOST_NAME_BYTES;
}

static bool read_number(const char **next, uint64_t *number) {
    char *end;
    errno = 0;
    if (!isdigit((unsigned char)**next))
        return false;
    *number = strtoull(*next, &end, 10);
    *next = end;
    return errno == 0 && *number <= UINT32_MAX;
}

static vef_code expand(listing *list, size_t used, const char *rest, vef_error *error);

/* The numbers "1-3,7]" at `next`, each followed by what is behind the bracket. */
static vef_code expand_ranges(listing *list, size_t used, const char *next, vef_error *error) {
    const char *close = strchr(next, ']');
    vef_code code = VEF_OK;
    if (!close)
        return vef_fail(error, VEF_INVALID, "missing ']'");
    do {
        const char *digits = next;
        uint64_t first, last;
        bool fine = read_number(&next, &first);
        const int width = (int)(next - digits);
        last = first;
        if (fine && *next == '-')
            next++, fine = read_number(&next, &last);
        if (!fine || last < first || (*next != ',' && *next != ']') || width > 20)
            return vef_fail(error, VEF_INVALID,
                            "'%.40s': expected numbers and ranges in brackets, such as [1-3,7]",
                            digits);
        for (uint64_t n = first; code == VEF_OK && !list->ended && n <= last; n++) {
            const int length = snprintf(list->name + used, sizeof list->name - used, "%0*llu",
                                        *digits == '0' ? width : 0, (unsigned long long)n);
            if (length < 0 || (size_t)length >= sizeof list->name - used)
                return vef_fail(error, VEF_INVALID, "the name of a host is too long");
            code = expand(list, used + (size_t)length, close + 1, error);
        }
    } while (code == VEF_OK && *next++ == ',');
    return code;
}

/* The first `used` characters of a name are known; `rest` may have brackets. */
static vef_code expand(listing *list, size_t used, const char *rest, vef_error *error) {
    const size_t plain = strcspn(rest, "[");
    if (plain >= sizeof list->name - used)
        return vef_fail(error, VEF_INVALID, "the name of a host is too long");
    memcpy(list->name + used, rest, plain);
    list->name[used + plain] = '\0';
    if (rest[plain] == '[')
        return expand_ranges(list, used + plain, rest + plain + 1, error);
    if (!vef_host_name_is_valid(list->name))
        return vef_fail(error, VEF_INVALID, "'%.60s' is not the name of a host", list->name);
    list->ended = !list->take(list->context, list->name, list->tasks, list->counted);
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
    listing list = {.take = take, .context = context};
    vef_code code = VEF_OK;
    for (const char *end; code == VEF_OK && !list.ended; text = end + 1) {
        char element[4 * VEF_HOST_NAME_BYTES];
        end = element_end(text);
        const size_t length = (size_t)(end - text);
        if (length >= sizeof element)
            return vef_fail(error, VEF_INVALID, "'%.40s…': the name of a host is too long", text);
        memcpy(element, text, length);
        element[length] = '\0';
        char *sign = element + strcspn(element, ":*");
        list.counted = *sign != '\0';
        uint64_t tasks = 1;
        if (list.counted) {
            const char *number = sign + 1;
            *sign = '\0';
            if (!read_number(&number, &tasks) || *number != '\0' || tasks == 0)
                return vef_fail(error, VEF_INVALID,
                                "'%.40s': expected the number of tasks of host %.60s, from 1",
                                sign + 1, element);
        }
        list.tasks = (uint32_t)tasks;
        code = expand(&list, 0, element, error);
        if (*end == '\0')
            break;
    }
    return code;
}
