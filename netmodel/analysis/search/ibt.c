/* The bypass lengths of an interlaced bypass torus (Zhang, Powell, Deng: "Interlacing Bypass Rings
 * to Torus Networks for More Efficient Networks", sections 2.1 and 2.3).
 *
 * The lengths range from 2 to half the smallest bypass dimension, as in the paper's Table 1: along
 * a ring of N routers the length N - l makes the links of l. If the dimensions differ a longer one
 * may be new (18 in 30x30x36 is 12 along x and y); `longest` includes them.
 *
 * The order of lengths. With S the sum of the m bypass coordinates, a router's bypass runs along
 * dimension S mod m with length number h = floor((S mod mk) / m). Moving every router by m along
 * one dimension is a symmetry of the torus that takes h to h + 1: lists that are rotations of each
 * other are one network. A list that repeats itself is its period. So the lists to try are one of
 * each class of rotations without a period (Lyndon words: the least of its rotations): with one and
 * two lengths those that ascend, with three also <a,a,b>, <a,b,b> and <a,c,b>. Negating all
 * coordinates and adding m - 1 takes h to -h and the dimension d to m - 1 - d, which is a symmetry
 * when the bypass dimensions read backwards have the same sizes: then a list read backwards is the
 * same network too, and the one that comes first is taken.
 *
 * Whether a list fits (the paper: lengths and sizes divisible by mk) is decided by building the
 * network. */
#include "netmodel/analysis/search/request.h"

enum { MOST_LENGTHS = 8 };

typedef struct limits {
    int64_t at_most, longest;
} limits;

static const vef_param schema[] = {
    {VEF_KEY(INT, limits, at_most), .fallback = "2", .minimum = 1, .maximum = MOST_LENGTHS,
     .help = "number of lengths of a network"},
    {VEF_KEY(INT, limits, longest), .fallback = "0", .minimum = 0, .maximum = VEF_MAX_ROUTERS,
     .help = "the longest length to try; 0: half the smallest bypass dimension"},
    {.key = NULL},
};

/* Compares `word` with `other` read cyclically from `start` in steps of `step`. */
static int compare(const int64_t *word, const int64_t *other, size_t count, size_t start,
                   size_t step) {
    for (size_t i = 0, place = start; i < count; i++, place = (place + step) % count)
        if (word[i] != other[place])
            return word[i] < other[place] ? -1 : 1;
    return 0;
}

/* Whether the word is the representative of all that describe its network. */
static bool stands_for_its_class(const int64_t *word, size_t count, bool backwards_too) {
    for (size_t start = 1; start < count; start++)
        if (compare(word, word, count, start, 1) >= 0)
            return false;
    for (size_t start = 0; start < count && backwards_too; start++)
        if (compare(word, word, count, start, count - 1) > 0)
            return false;
    return true;
}

/* Advances to the next list of `count` lengths, none of which is below the first. */
static bool next_word(int64_t *word, size_t count, int64_t longest) {
    size_t i = count;
    while (i > 0 && word[i - 1] == longest)
        i--;
    if (i == 0)
        return false;
    word[i - 1]++;
    for (; i < count; i++)
        word[i] = word[0];
    return true;
}

static bool reads_backwards(const vef_int_list *sizes, size_t bypassed) {
    for (size_t d = 0; d < bypassed; d++)
        if (sizes->values[d] != sizes->values[bypassed - 1 - d])
            return false;
    return true;
}

static int64_t smallest(const vef_int_list *sizes, size_t bypassed) {
    int64_t least = sizes->values[0];
    for (size_t d = 1; d < bypassed; d++)
        least = sizes->values[d] < least ? sizes->values[d] : least;
    return least;
}

static vef_code try_all(const limits *given, bool backwards_too, vef_search_found found,
                        void *context, vef_error *error) {
    vef_code code = VEF_OK;
    for (size_t count = 1; count <= (size_t)given->at_most; count++) {
        int64_t word[MOST_LENGTHS];
        for (size_t i = 0; i < count; i++)
            word[i] = 2;
        do {
            if (!stands_for_its_class(word, count, backwards_too))
                continue;
            char value[32 * MOST_LENGTHS];
            vef_search_write_list(value, sizeof value, word, count);
            code = found(context, value, error);
        } while (code == VEF_OK && next_word(word, count, given->longest));
        if (code != VEF_OK)
            return code;
    }
    return VEF_OK;
}

static vef_code enumerate(const vef_search_request *request, vef_search_found found, void *context,
                          vef_error *error) {
    vef_arena arena = {0};
    vef_int_list sizes = {0};
    int64_t bypassed = 0;
    limits given = {0};
    vef_code code = vef_search_read_key(request, "sizes", &sizes, &arena, error);
    if (code == VEF_OK)
        code = vef_search_read_key(request, "bypass_dimensions", &bypassed, &arena, error);
    if (code == VEF_OK)
        code = vef_config_read(request->limits, "search of ibt networks", schema, NULL, &given,
                               &arena, error);
    if (code == VEF_OK && (bypassed < 1 || (uint64_t)bypassed > sizes.count))
        code =
            vef_fail(error, VEF_INVALID,
                     "bypass_dimensions: %lld of %zu dimensions: out of range: expected 1 to %zu",
                     (long long)bypassed, sizes.count, sizes.count);
    if (code == VEF_OK && given.longest == 0)
        given.longest = smallest(&sizes, (size_t)bypassed) / 2;
    if (code == VEF_OK && given.longest < 2)
        code =
            vef_fail(error, VEF_INVALID,
                     "no length from 2 to %lld (longest, or half the smallest bypass dimension): "
                     "expected bypass dimensions of at least 4, or longest=2 or more",
                     (long long)given.longest);
    if (code == VEF_OK)
        code = try_all(&given, reads_backwards(&sizes, (size_t)bypassed), found, context, error);
    vef_arena_release(&arena);
    return code;
}

const vef_search_space vef_search_space_ibt = {
    .family = "ibt",
    .leaves = "lengths",
    .summary = "all lists of bypass lengths, without equivalent ones",
    .example = "ibt sizes=30x30x36 L=3",
    .fewer = "at_most=1, or a smaller longest=",
    .limits = schema,
    .usual = VEF_BY_AVERAGE,
    .enumerate = enumerate,
};
