/* Zipf: the destination of rank i with a probability proportional to 1 / i^exponent, the traffic
 * that the papers on twin tori call more realistic than the uniform one (Andujar et al.:
 * "N-Dimensional Twin Torus Networks", IEEE Trans. Computers, section 5.2). They do not say who has
 * which rank, so `ranks` gives:
 *
 * - number: endpoint e has rank e + 1, for everybody: the first ones are hot spots;
 * - shuffled: the same ranks for everybody, in an order drawn from `seed`;
 * - own: to source s, endpoint s + o(i) modulo their number has rank i, where o is an order drawn
 *   from `seed`. Every source has favourites, and no destination is the favourite of more sources
 *   than another.
 *
 * With shared ranks a source that would send to itself draws again, so that the ranks of the others
 * keep their proportions.
 *
 * Drawn by Walker's alias method ("An efficient method for generating discrete random variables
 * with general distributions", ACM TOMS 1977; tables as by Vose, IEEE Trans. Software Eng. 1991):
 * of equally likely columns, one per rank, each holds the rank itself below its threshold and one
 * other above, so that a draw takes the same time whatever the number of endpoints. */
#include "common/memory.h"
#include "netmodel/traffic/kinds.h"
#include "netmodel/traffic/uniform.h"

#include <math.h>
#include <stdlib.h>

enum ranks { RANKS_NUMBER, RANKS_SHUFFLED, RANKS_OWN };
typedef struct parameters {
    double exponent;
    int ranks;
    uint64_t seed;
    bool self;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(REAL, parameters, exponent), .fallback = "1", .minimum = 0, .maximum = 4,
     .help = "exponent of the rank, in the probability 1 / rank^exponent"},
    {VEF_KEY(CHOICE, parameters, ranks), .fallback = "number",
     .choices = VEF_LIST("number", "shuffled", "own"),
     .help = "ranks by number, shuffled but the same for all sources, or shuffled for each source"},
    {VEF_KEY(UINT, parameters, seed), .fallback = "1",
     .help = "seed of the order of the ranks (shuffled, own)"},
    VEF_SELF_PARAM(parameters),
    {.key = NULL},
};

/* The result of a column: `rank` below the threshold (of 2^32), else `other`. Destinations, or,
 * with own ranks, distances from the source. */
typedef struct column {
    uint32_t threshold, rank, other;
} column;

typedef struct zipf {
    uint32_t columns;
    column *column;
} zipf;

/* Sets thresholds and `other` columns for weights that add up to `columns`. `order` has room for
 * that many. */
static void make_alias(zipf *table, double *weight, uint32_t *order) {
    uint32_t few = 0, many = table->columns;
    for (uint32_t i = 0; i < table->columns; i++) /* small ones first, large ones last */
        order[weight[i] < 1 ? few++ : --many] = i;
    uint32_t small = 0, great = many; /* positions; the rest of a large one may become small */
    while (small < great && great < table->columns) {
        const uint32_t less = order[small++], more = order[great];
        table->column[less].threshold = (uint32_t)(weight[less] * 0x1p32);
        table->column[less].other = more;
        weight[more] -= 1 - weight[less];
        if (weight[more] < 1)
            great++;
    }
    /* The rest weighs 1 except for rounding. */
    for (; small < table->columns; small++) {
        const uint32_t rest = order[small];
        table->column[rest].threshold = UINT32_MAX;
        table->column[rest].other = rest;
    }
}

/* Columns have ranks until here: converts them to destinations or distances. */
static void name_ranks(zipf *table, const parameters *given, uint32_t endpoints, uint32_t *order) {
    const uint32_t first = endpoints - table->columns; /* own ranks without self begin at 1 */
    vef_rng rng = vef_rng_make(given->seed, VEF_RNG_TRAFFIC, UINT64_MAX);
    for (uint32_t i = 0; i < table->columns; i++)
        order[i] = first + i;
    if (given->ranks != RANKS_NUMBER)
        for (uint32_t i = table->columns - 1; i > 0; i--) {
            const uint32_t j = vef_rng_below(&rng, i + 1), kept = order[i];
            order[i] = order[j];
            order[j] = kept;
        }
    for (uint32_t i = 0; i < table->columns; i++) {
        table->column[i].rank = order[i];
        table->column[i].other = order[table->column[i].other];
    }
}

static vef_code create(vef_pattern *pattern, vef_error *error) {
    const parameters *given = pattern->parameters;
    const vef_code code = vef_uniform_check(pattern, given->self, error);
    if (code != VEF_OK)
        return code;
    const uint32_t columns = pattern->endpoints - (given->ranks == RANKS_OWN && !given->self);
    zipf *table = vef_arena_alloc(&pattern->arena, 1, sizeof *table);
    column *made = vef_arena_alloc(&pattern->arena, columns, sizeof *made);
    double *weight = vef_calloc(columns, sizeof *weight);
    uint32_t *order = vef_calloc(columns, sizeof *order);
    *table = (zipf){columns, made};
    double sum = 0;
    for (uint32_t i = columns; i-- > 0;) /* small ones first, for the accuracy of the sum */
        sum += weight[i] = pow(i + 1.0, -given->exponent);
    for (uint32_t i = 0; i < columns; i++)
        weight[i] *= columns / sum;
    make_alias(table, weight, order);
    name_ranks(table, given, pattern->endpoints, order);
    pattern->state = table;
    free(weight);
    free(order);
    return VEF_OK;
}

static uint32_t draw(const zipf *table, vef_rng *rng) {
    const uint64_t bits = vef_rng_next(rng); /* 32 for the column, 32 for the threshold */
    const column *drawn = &table->column[(bits >> 32) * table->columns >> 32];
    return (uint32_t)bits < drawn->threshold ? drawn->rank : drawn->other;
}

static uint32_t advance(uint32_t source, uint32_t distance, uint32_t endpoints) {
    return distance < endpoints - source ? source + distance : distance - (endpoints - source);
}

static uint32_t destination(const vef_pattern *pattern, uint32_t source, vef_rng *rng) {
    const parameters *given = pattern->parameters;
    const zipf *table = pattern->state;
    if (given->ranks == RANKS_OWN)
        return advance(source, draw(table, rng), pattern->endpoints);
    uint32_t drawn = draw(table, rng);
    while (drawn == source && !given->self)
        drawn = draw(table, rng);
    return drawn;
}

static void shares(const vef_pattern *pattern, uint32_t source, double *share) {
    const parameters *given = pattern->parameters;
    const zipf *table = pattern->state;
    const bool by_rank = given->ranks == RANKS_OWN;
    for (uint32_t i = 0; i < table->columns; i++) {
        const column *drawn = &table->column[i];
        const double below = drawn->threshold / 0x1p32 / table->columns;
        const double above = 1.0 / table->columns - below;
        share[by_rank ? advance(source, drawn->rank, pattern->endpoints) : drawn->rank] += below;
        share[by_rank ? advance(source, drawn->other, pattern->endpoints) : drawn->other] += above;
    }
    if (by_rank || given->self)
        return;
    const double others = 1 - share[source]; /* it draws again instead of sending to itself */
    share[source] = 0;
    for (uint32_t e = 0; e < pattern->endpoints; e++)
        share[e] /= others;
}

const vef_pattern_kind vef_pattern_zipf = {
    .name = "zipf",
    .summary = "the destination of rank i with a probability proportional to 1 / i",
    VEF_PARAMETERS(schema, parameters),
    .create = create,
    .destination = destination,
    .shares = shares,
    .samples = VEF_LIST("{}", "{exponent: 0.5, ranks: shuffled, self: true}", "{ranks: own}",
                        "{ranks: own, self: true, seed: 9}"),
};
