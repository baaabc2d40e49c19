/* De Bruijn graph as an undirected network, DG(d, D).
 *
 * Samatham, Pradhan: "The De Bruijn Multiprocessor Network: A Versatile Parallel Processing and
 * Sorting Network for VLSI", IEEE Trans. Computers 38(4), 1989. Routers are the words of D symbols
 * out of d; a link joins each word with those that it becomes when it is shifted left by a place
 * and any symbol is put in at the end. So a router has d links for shifts to the left (port a puts
 * in symbol a) and d for shifts to the right (port d + a). A word of one symbol alone would be
 * linked with itself, and words such as abab and baba twice: the former is dropped, the latter are
 * linked once, by the left shift of the lesser word.
 *
 * Any permutation of the symbols is a symmetry. So the orbits said here are the patterns of equal
 * symbols in a word (abab: 0101), 715 in DG(4, 7); reversing all words is one more symmetry, which
 * is not made use of. A word's pattern is its symbols numbered by first occurrence.
 *
 * The cut by the first symbol crosses half of the shifts: d^(D+1) / 2 for even d, which is the
 * bisection width that Zhang, Powell, Deng print (Table 1 of "Interlacing Bypass Rings …": 32768
 * for DG(4, 7), 131072 for DG(4, 8)). There the links between words such as abab and baba count
 * twice: of links counted once there are (d / 2)^2 fewer, 32764 and 131068. */
#include "netmodel/topology/families.h"

enum { MAX_SYMBOLS = VEF_MAX_PORTS / 2, MAX_LENGTH = 24 };

typedef struct parameters {
    int64_t symbols, length;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(INT, parameters, symbols), .minimum = 2, .maximum = MAX_SYMBOLS,
     .help = "d: size of the alphabet; a router has up to 2d links"},
    {VEF_KEY(INT, parameters, length), .minimum = 1, .maximum = MAX_LENGTH,
     .help = "D: length of the words; there are d^D"},
    {.key = NULL},
};

static uint32_t symbols_of(const vef_topology *topology) {
    return (uint32_t)((const parameters *)topology->parameters)->symbols;
}

static uint32_t length_of(const vef_topology *topology) {
    return (uint32_t)((const parameters *)topology->parameters)->length;
}

/* Whether a shift to the left takes one word to the other. */
static bool shifts_to(const vef_topology *topology, uint32_t word, uint32_t other) {
    const uint32_t symbols = symbols_of(topology);
    return other / symbols == word % (topology->routers / symbols);
}

/* The number of patterns that a word can continue to when `left` more symbols follow `used`
 * different ones, for all of left < length: patterns[left][used]. */
typedef struct patterns {
    uint32_t count[MAX_LENGTH + 1][MAX_LENGTH + 2];
} patterns;

static void count_patterns(const vef_topology *topology, patterns *table) {
    const uint32_t length = length_of(topology), symbols = symbols_of(topology);
    const uint32_t most = symbols < length ? symbols : length;
    for (uint32_t used = 0; used <= most; used++)
        table->count[0][used] = 1;
    for (uint32_t left = 1; left <= length; left++)
        for (uint32_t used = 0; used <= most && used + left <= length; used++)
            table->count[left][used] = used * table->count[left - 1][used] +
                                       (used < symbols ? table->count[left - 1][used + 1] : 0);
}

/* The symbols of a word, the first one first, numbered by first occurrence. `number` has an entry
 * for each symbol; unused symbols get the next number, which is returned. */
static uint32_t number_symbols(const vef_topology *topology, uint32_t word, uint32_t *number,
                               uint32_t *pattern) {
    const uint32_t length = length_of(topology), symbols = symbols_of(topology);
    for (uint32_t i = length; i-- > 0; word /= symbols)
        pattern[i] = word % symbols;
    for (uint32_t a = 0; a < symbols; a++)
        number[a] = UINT32_MAX;
    uint32_t used = 0;
    for (uint32_t i = 0; i < length; i++) {
        if (number[pattern[i]] == UINT32_MAX)
            number[pattern[i]] = used++;
        pattern[i] = number[pattern[i]];
    }
    for (uint32_t a = 0; a < symbols; a++)
        if (number[a] == UINT32_MAX)
            number[a] = used;
    return used;
}

/* The rank of a word's pattern among all, in ascending order. */
static uint32_t orbit(const vef_topology *topology, uint32_t word) {
    uint32_t number[MAX_SYMBOLS], pattern[MAX_LENGTH];
    number_symbols(topology, word, number, pattern);
    patterns table;
    count_patterns(topology, &table);
    const uint32_t length = length_of(topology);
    uint32_t rank = 0, used = 0;
    for (uint32_t i = 0; i < length; i++) {
        rank += pattern[i] * table.count[length - 1 - i][used];
        used += pattern[i] == used;
    }
    return rank;
}

/* By the number of the inserted symbol in the word: shifts to the left, then to the right. A link
 * that is both counts as the former. */
static uint32_t port_kind(const vef_topology *topology, uint32_t word, uint32_t port) {
    const uint32_t symbols = symbols_of(topology);
    uint32_t number[MAX_SYMBOLS], pattern[MAX_LENGTH];
    number_symbols(topology, word, number, pattern);
    if (port < symbols)
        return number[port];
    const uint32_t other = vef_topology_next(topology, word, port);
    if (other != VEF_NO_ROUTER && shifts_to(topology, word, other))
        return number[other % symbols];
    return symbols + number[port - symbols];
}

static vef_code build(const void *given, vef_topology *topology, vef_error *error) {
    const uint32_t symbols = (uint32_t)((const parameters *)given)->symbols;
    const uint32_t length = (uint32_t)((const parameters *)given)->length;
    uint64_t words = 1;
    for (uint32_t i = 0; i < length; i++) {
        words *= symbols;
        if (words > VEF_MAX_ROUTERS)
            return vef_fail(error, VEF_INVALID,
                            "length: more than %d words of %u symbols: expected at most %u",
                            VEF_MAX_ROUTERS, symbols, i);
    }
    topology->routers = (uint32_t)words;
    topology->ports = 2 * symbols;
    vef_code code = vef_topology_make_ports(topology, error);
    if (code != VEF_OK)
        return code;
    const uint32_t firsts = topology->routers / symbols;
    for (uint32_t word = 0; word < topology->routers; word++)
        for (uint32_t a = 0; a < symbols; a++) {
            const uint32_t other = word % firsts * symbols + a;
            if (other == word || (other < word && shifts_to(topology, other, word)))
                continue;
            vef_topology_join(topology, word, a, other, symbols + word / firsts);
        }
    patterns table;
    count_patterns(topology, &table);
    topology->orbits = table.count[length][0];
    topology->axes = 1;
    return VEF_OK;
}

static void port_name(const vef_topology *topology, uint32_t port, char *text, size_t text_bytes) {
    const uint32_t symbols = symbols_of(topology);
    snprintf(text, text_bytes, "%s %u", port < symbols ? "left" : "right", port % symbols);
}

/* "0312"; "11.0.3" where symbols have more than one digit. */
static void router_name(const vef_topology *topology, uint32_t word, char *text,
                        size_t text_bytes) {
    const uint32_t symbols = symbols_of(topology);
    *text = '\0';
    for (uint32_t place = topology->routers / symbols; place > 0; place /= symbols)
        vef_append(text, text_bytes, "%s%u", *text && symbols > 10 ? "." : "",
                   word / place % symbols);
}

static bool far_side(const vef_topology *topology, uint32_t axis, uint32_t word) {
    (void)axis;
    return word >= topology->routers / 2;
}

static void axis_name(const vef_topology *topology, uint32_t axis, char *text, size_t text_bytes) {
    (void)topology, (void)axis;
    snprintf(text, text_bytes, "first symbol");
}

static const char *const samples[] = {
    "{symbols: 3, length: 3}",  "{symbols: 2, length: 1}",
    "{symbols: 2, length: 2}",  "{symbols: 2, length: 5}",
    "{symbols: 4, length: 4}",  "{symbols: 5, length: 1}",
    "{symbols: 11, length: 2}", NULL,
};

const vef_topology_family vef_topology_de_bruijn = {
    .name = "de-bruijn",
    .summary = "undirected de Bruijn graph: words linked by shifts",
    VEF_PARAMETERS(schema, parameters),
    .build = build,
    .port_name = port_name,
    .router_name = router_name,
    .orbit = orbit,
    .port_kind = port_kind,
    .far_side = far_side,
    .axis_name = axis_name,
    .samples = samples,
    .larger = "{symbols: 4, length: 4}",
};
