/* The twists of a lattice network: how far the wrap of each dimension shifts each earlier one
 * (lattice.h; Camara et al.: "Twisted Torus Topologies for Enhanced Interconnection Networks", TPDS
 * 2010, sections 2 and 4, twist x by half its size).
 *
 * Shifts from 0 to the earlier dimension's size - 1 are sufficient: they are the off-diagonal part
 * of the Hermite normal form of the lattice, which is unique. In two dimensions that gives sizes[0]
 * twists, in three sizes[0]^2 sizes[1].
 *
 * Mirrored networks are listed once. Reversing some coordinates maps a lattice onto another with
 * the same graph, if it maps the generators onto themselves (unit vectors: always; (1,1) alone: not
 * x alone, nor y). In two dimensions that pairs shift s with shift sizes[0] - s. The first of each
 * class in the order of enumeration, with the smallest shifts, represents it. Networks that differ
 * by an exchange of dimensions of equal size are all listed, as equals. */
#include "netmodel/analysis/search/request.h"

typedef struct twists {
    uint32_t dimensions;
    int64_t size[VEF_MAX_DIMENSIONS];
    bool wraps[VEF_MAX_DIMENSIONS];
    vef_int_table generators;                              /* none: the unit vectors */
    int64_t shift[VEF_MAX_DIMENSIONS][VEF_MAX_DIMENSIONS]; /* as in vef_lattice */
} twists;

/* ---- mirrors ---- */

/* Whether generator `g` with the coordinates of `mirror` reversed is a generator or the opposite of
 * one. */
static bool mirrors_generator(const twists *tried, uint32_t mirror, size_t g) {
    const vef_int_list *row = &tried->generators.rows[g];
    for (size_t other = 0; other < tried->generators.count; other++) {
        bool same = true, backwards = true;
        for (size_t d = 0; d < row->count; d++) {
            const int64_t step = mirror >> d & 1 ? -row->values[d] : row->values[d];
            same = same && step == tried->generators.rows[other].values[d];
            backwards = backwards && step == -tried->generators.rows[other].values[d];
        }
        if (same || backwards)
            return true;
    }
    return false;
}

/* The first difference of the mirrored lattice's shifts, in the order of enumeration: negative if
 * it precedes the current one. The mirrored rows are reduced from the smallest dimension up. */
static int compare_mirrored(const twists *tried, uint32_t mirror) {
    int64_t mirrored[VEF_MAX_DIMENSIONS][VEF_MAX_DIMENSIONS] = {{0}};
    for (uint32_t d = 1; d < tried->dimensions; d++) {
        /* The lattice has the vector with -size in d and the shifts before it. */
        const bool reversed = mirror >> d & 1;
        int64_t row[VEF_MAX_DIMENSIONS];
        for (uint32_t e = 0; e < d; e++)
            row[e] = (mirror >> e & 1) == reversed ? tried->shift[d][e] : -tried->shift[d][e];
        for (uint32_t e = d; e-- > 0;) {
            /* Adding `times` the vector of dimension e brings row[e] into [0, size). */
            int64_t times = row[e] / tried->size[e];
            times -= row[e] % tried->size[e] < 0;
            row[e] -= times * tried->size[e];
            for (uint32_t f = 0; f < e; f++)
                row[f] += times * mirrored[e][f];
            mirrored[d][e] = row[e];
        }
        for (uint32_t e = 0; e < d; e++)
            if (mirrored[d][e] != tried->shift[d][e])
                return mirrored[d][e] < tried->shift[d][e] ? -1 : 1;
    }
    return 0;
}

/* Whether no mirror image of the current twists was enumerated before. Reversing all coordinates
 * changes nothing, so the last is kept. */
static bool stands_for_its_class(const twists *tried, const uint32_t *mirrors, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (compare_mirrored(tried, mirrors[i]) < 0)
            return false;
    return true;
}

enum { MIRRORED_DIMENSIONS = 8, MOST_MIRRORS = 1 << (MIRRORED_DIMENSIONS - 1) };

/* The mirrors that preserve the generators; not computed for many dimensions, whose networks are
 * then all listed. */
static size_t find_mirrors(const twists *tried, uint32_t *mirrors) {
    size_t count = 0;
    const uint32_t dimensions =
        tried->dimensions < MIRRORED_DIMENSIONS ? tried->dimensions : MIRRORED_DIMENSIONS;
    for (uint32_t mirror = 1; mirror < 1u << (dimensions - 1); mirror++) {
        bool keeps = true;
        for (size_t g = 0; g < tried->generators.count && keeps; g++)
            keeps = mirrors_generator(tried, mirror, g);
        if (keeps)
            mirrors[count++] = mirror;
    }
    return count;
}

/* ---- enumeration ---- */

/* Steps to the next twists: those of the last dimension change fastest, and of its shifts the last.
 */
static bool next_twists(twists *tried) {
    for (uint32_t d = tried->dimensions; d-- > 1;)
        for (uint32_t e = d; tried->wraps[d] && e-- > 0;) {
            if (!tried->wraps[e])
                continue;
            if (++tried->shift[d][e] < tried->size[e])
                return true;
            tried->shift[d][e] = 0;
        }
    return false;
}

enum { VALUE_BYTES = VEF_MAX_DIMENSIONS * VEF_MAX_DIMENSIONS * 6 + 256 };

static void write_shifts(const twists *tried, char *text, size_t text_bytes) {
    size_t used = (size_t)snprintf(text, text_bytes, "[");
    for (uint32_t d = 0; d < tried->dimensions && used < text_bytes; d++) {
        uint32_t count = d;
        while (count > 0 && tried->shift[d][count - 1] == 0)
            count--;
        if (d > 0)
            used += (size_t)snprintf(text + used, text_bytes - used, ", ");
        if (used < text_bytes)
            used += vef_search_write_list(text + used, text_bytes - used, tried->shift[d], count);
    }
    if (used < text_bytes)
        snprintf(text + used, text_bytes - used, "]");
}

/* The number of twists, including mirrored ones. */
static double count_twists(const twists *tried) {
    double count = 1;
    for (uint32_t d = 1; d < tried->dimensions; d++)
        for (uint32_t e = 0; tried->wraps[d] && e < d; e++)
            if (tried->wraps[e])
                count *= (double)tried->size[e];
    return count;
}

static vef_code try_all(const vef_search_space *space, twists *tried, vef_search_found found,
                        void *context, vef_error *error) {
    uint32_t mirrors[MOST_MIRRORS];
    const size_t count = find_mirrors(tried, mirrors);
    vef_code code = VEF_OK;
    /* A class has at most the twists and all their mirror images. With many dimensions it takes
     * minutes to find that there are too many classes. */
    if (count_twists(tried) > (double)(count + 1) * VEF_MOST_ENUMERATED)
        return vef_search_fail_too_many(space, error);
    do {
        if (!stands_for_its_class(tried, mirrors, count))
            continue;
        char value[VALUE_BYTES];
        write_shifts(tried, value, sizeof value);
        code = found(context, value, error);
    } while (code == VEF_OK && next_twists(tried));
    return code;
}

static vef_code take(const vef_search_request *request, const vef_int_list *sizes,
                     const vef_int_list *wrap, twists *tried, vef_error *error) {
    if (sizes->count < 2 || sizes->count > VEF_MAX_DIMENSIONS)
        return vef_fail(error, VEF_INVALID,
                        "sizes: %zu dimensions: expected 2 to %d, as in '%s', so that a wrap can "
                        "shift another dimension",
                        sizes->count, VEF_MAX_DIMENSIONS, request->space->example);
    if (wrap->count != 0 && wrap->count != sizes->count)
        return vef_fail(error, VEF_INVALID,
                        "wrap: %zu numbers for %zu dimensions: expected one for each", wrap->count,
                        sizes->count);
    for (size_t g = 0; g < tried->generators.count; g++)
        if (tried->generators.rows[g].count != sizes->count)
            return vef_fail(error, VEF_INVALID,
                            "generators: number %zu has %zu numbers: expected one for each of the "
                            "%zu dimensions",
                            g, tried->generators.rows[g].count, sizes->count);
    tried->dimensions = (uint32_t)sizes->count;
    uint32_t wraps = 0;
    for (size_t d = 0; d < sizes->count; d++) {
        tried->size[d] = sizes->values[d];
        tried->wraps[d] = wrap->count == 0 || wrap->values[d] != 0;
        wraps += tried->wraps[d];
    }
    if (wraps < 2)
        return vef_fail(error, VEF_INVALID,
                        "wrap: %u of the dimensions wrap: expected at least two, so that the wrap "
                        "of one can shift the other",
                        wraps);
    return VEF_OK;
}

static vef_code enumerate(const vef_search_request *request, vef_search_found found, void *context,
                          vef_error *error) {
    vef_arena arena = {0};
    vef_int_list sizes = {0}, wrap = {0};
    twists tried = {0};
    vef_code code = vef_search_read_key(request, "sizes", &sizes, &arena, error);
    if (code == VEF_OK)
        code = vef_search_read_key(request, "wrap", &wrap, &arena, error);
    if (code == VEF_OK)
        code = vef_search_read_key(request, "generators", &tried.generators, &arena, error);
    if (code == VEF_OK)
        code = take(request, &sizes, &wrap, &tried, error);
    if (code == VEF_OK)
        code = try_all(request->space, &tried, found, context, error);
    vef_arena_release(&arena);
    return code;
}

const vef_search_space vef_search_space_lattice = {
    .family = "lattice",
    .leaves = "shifts",
    .summary = "all twists of the wraps, without mirror images",
    .example = "lattice sizes=16x8",
    .fewer = "smaller sizes, or fewer dimensions that wrap (wrap=[1, 1, 0])",
    .usual = VEF_BY_AVERAGE,
    .link_kinds = true,
    .enumerate = enumerate,
};
