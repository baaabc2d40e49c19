/* Configuration (keys and hints: test_config_keys.c): values and defaults, every refusal with its
 * place and what would be right, overrides, and that what is written reads back as the same. The
 * expected values follow from the YAML and from the definitions of the units. */
#include "tests/common/config_support.h"

#include "common/config/node_result.h"
#include "common/report/report.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char *const ARBITERS[] = {"random", "round-robin", "oldest", NULL};

typedef struct sample {
    int64_t packets;
    double load;
    bool transit_first;
    int arbiter;
    const char *name, *map;
    vef_int_list sizes;
    vef_int_table shifts;
    uint64_t phit_bytes, bits_per_s, clock_hz, payload_bytes;
    double length_m;
    double overhead_ns;
} sample;

#define AT(field) offsetof(sample, field)
static const vef_param SCHEMA[] = {
    {.key = "packets",
     .kind = VEF_PARAM_INT,
     .offset = AT(packets),
     .fallback = "4",
     .minimum = 1,
     .maximum = 64,
     .help = "room of a queue, in packets"},
    {.key = "load",
     .kind = VEF_PARAM_REAL,
     .offset = AT(load),
     .fallback = "0.5",
     .maximum = 1,
     .help = "phits per cycle"},
    {.key = "transit_first",
     .kind = VEF_PARAM_BOOL,
     .offset = AT(transit_first),
     .fallback = "true",
     .help = "transit before new"},
    {.key = "arbiter",
     .kind = VEF_PARAM_CHOICE,
     .offset = AT(arbiter),
     .fallback = "random",
     .choices = ARBITERS,
     .help = "who wins"},
    {.key = "name", .kind = VEF_PARAM_STRING, .offset = AT(name), .help = "of the network"},
    {.key = "map", .kind = VEF_PARAM_STRING, .offset = AT(map), .fallback = "~", .help = "a file"},
    {.key = "sizes",
     .kind = VEF_PARAM_INT_LIST,
     .offset = AT(sizes),
     .fallback = "[4, 4]",
     .minimum = 1,
     .maximum = INFINITY,
     .help = "sides"},
    {.key = "shifts",
     .kind = VEF_PARAM_INT_TABLE,
     .offset = AT(shifts),
     .fallback = "[]",
     .help = "of the wraps"},
    {.key = "phit",
     .kind = VEF_PARAM_BYTES,
     .offset = AT(phit_bytes),
     .fallback = "4 B",
     .minimum = 1,
     .maximum = 65536,
     .help = "width of a link"},
    {.key = "bandwidth",
     .kind = VEF_PARAM_BANDWIDTH,
     .offset = AT(bits_per_s),
     .fallback = "1 Gbit/s",
     .minimum = 1,
     .maximum = INFINITY,
     .help = "of a link"},
    {.key = "overhead",
     .kind = VEF_PARAM_TIME,
     .offset = AT(overhead_ns),
     .fallback = "100 ns",
     .maximum = 1e9,
     .help = "per message"},
    {.key = "clock",
     .kind = VEF_PARAM_FREQUENCY,
     .offset = AT(clock_hz),
     .fallback = "1 GHz",
     .minimum = 1,
     .maximum = 1e12,
     .help = "of a router"},
    {.key = "length",
     .kind = VEF_PARAM_LENGTH,
     .offset = AT(length_m),
     .fallback = "0 m",
     .maximum = 1e6,
     .help = "of a cable"},
    {.key = "payload",
     .kind = VEF_PARAM_BYTES,
     .offset = AT(payload_bytes),
     .fallback = "auto",
     .word = "auto",
     .minimum = 8,
     .maximum = 65536,
     .help = "of a packet"},
    {.key = "link", .kind = VEF_PARAM_SECTION, .help = "the links"},
    {.key = NULL},
};
static const char *const EXTRA[] = {"family", NULL};

static vef_code read_text(config_fixture *f, const char *text, sample *values) {
    vef_node *root;
    vef_code code = vef_config_parse(text, "net.yaml", &f->arena, &root, &f->error);
    return code ? code
                : vef_config_read(root, "router", SCHEMA, EXTRA, values, &f->arena, &f->error);
}

/* The text is refused, at that place, in words that hold every one of the parts. */
static void assert_refused(config_fixture *f, const char *text, const char *place, ...) {
    sample values;
    memset(&f->error, 0, sizeof f->error);
    assert_int_equal(read_text(f, text, &values), VEF_INVALID);
    assert_int_equal(f->error.code, VEF_INVALID);
    char prefix[64];
    snprintf(prefix, sizeof prefix, "net.yaml:%s: ", place);
    if (strncmp(f->error.message, prefix, strlen(prefix)) != 0)
        fail_msg("expected '%s' in front of: %s", prefix, f->error.message);
    va_list parts;
    va_start(parts, place);
    for (const char *part; (part = va_arg(parts, const char *));)
        assert_has(f->error.message, part);
    va_end(parts);
}

static void test_defaults(void **state) {
    config_fixture *f = *state;
    sample values;
    assert_int_equal(read_text(f, "name: x", &values), VEF_OK);
    assert_int_equal(values.packets, 4);
    assert_true(values.load == 0.5);
    assert_true(values.transit_first);
    assert_int_equal(values.arbiter, 0);
    assert_null(values.map);
    assert_int_equal(values.sizes.count, 2);
    assert_int_equal(values.sizes.values[1], 4);
    assert_int_equal(values.shifts.count, 0);
    assert_int_equal(values.phit_bytes, 4);
    assert_int_equal(values.bits_per_s, 1000000000);
    assert_true(values.overhead_ns == 100);
    assert_int_equal(values.clock_hz, 1000000000);
    assert_true(values.length_m == 0);
    assert_int_equal(values.payload_bytes, 0);
}

static void test_values(void **state) {
    config_fixture *f = *state;
    sample values;
    assert_int_equal(read_text(f,
                               "family: rtt\n"
                               "packets: 8   # a comment\n"
                               "load: 1e-2\n"
                               "transit_first: false\n"
                               "arbiter: oldest\n"
                               "name: 'two words'\n"
                               "map: maps/a.map\n"
                               "sizes: [32, 16]\n"
                               "shifts:\n  - [1, -16]\n  - []\n"
                               "phit: 1.5 KiB\n"
                               "bandwidth: 12.5 GB/s\n"
                               "overhead: 1.5 us\n"
                               "link:\n  anything: [at, {all: x}]\n",
                               &values),
                     VEF_OK);
    assert_int_equal(values.packets, 8);
    assert_true(values.load == 0.01);
    assert_false(values.transit_first);
    assert_int_equal(values.arbiter, 2);
    assert_string_equal(values.name, "two words");
    assert_string_equal(values.map, "maps/a.map");
    assert_int_equal(values.sizes.count, 2);
    assert_int_equal(values.sizes.values[0], 32);
    assert_int_equal(values.shifts.count, 2);
    assert_int_equal(values.shifts.rows[0].count, 2);
    assert_int_equal(values.shifts.rows[0].values[1], -16);
    assert_int_equal(values.shifts.rows[1].count, 0);
    assert_int_equal(values.phit_bytes, 1536);
    assert_int_equal(values.bits_per_s, UINT64_C(100000000000));
    assert_true(values.overhead_ns == 1500);
}

/* What was read holds nothing of the tree, which may go before it. */
static void test_outlives_the_tree(void **state) {
    config_fixture *f = *state;
    struct texts {
        const char *name, *file;
        vef_text_list ports;
    } read;
    const vef_param schema[] = {{.key = "name",
                                 .kind = VEF_PARAM_STRING,
                                 .offset = offsetof(struct texts, name),
                                 .help = "a name"},
                                {.key = "file",
                                 .kind = VEF_PARAM_PATH,
                                 .offset = offsetof(struct texts, file),
                                 .help = "a file"},
                                {.key = "ports",
                                 .kind = VEF_PARAM_TEXT_LIST,
                                 .offset = offsetof(struct texts, ports),
                                 .help = "ports"},
                                {.key = NULL}};
    vef_arena tree = {0};
    vef_node *root;
    assert_int_equal(vef_config_parse("{name: two words, file: /an/absolute.path, ports: [X+, X-]}",
                                      "net.yaml", &tree, &root, &f->error),
                     VEF_OK);
    config_reads(f, VEF_OK, root, "all", schema, &read);
    const vef_node *ports = vef_node_get(root, "ports");
    assert_ptr_not_equal(read.name, vef_node_get(root, "name")->scalar);
    assert_ptr_not_equal(read.file, vef_node_get(root, "file")->scalar);
    assert_ptr_not_equal(read.ports.values[1], ports->items[1]->scalar);
    vef_arena_release(&tree);
    assert_string_equal(read.name, "two words");
    assert_string_equal(read.file, "/an/absolute.path");
    assert_int_equal(read.ports.count, 2);
    assert_string_equal(read.ports.values[0], "X+");
    assert_string_equal(read.ports.values[1], "X-");
}

/* A file of sections, read as its users read it: the family first, then its own parameters by the
 * row of its table, the rest by the schemas of the sections. */
static void test_sections(void **state) {
    config_fixture *f = *state;
    static const char TEXT[] =
        "topology:\n"
        "  family: rtt   # a row of the topology table\n"
        "  a: 16\n"
        "link:\n"
        "  bandwidth: 1 Gbit/s\n"
        "  phit: 4 B\n"
        "seed: 1\n";
    struct network {
        int64_t seed, endpoints;
    } network;
    struct rtt {
        int64_t a;
    } rtt;
    const vef_param network_schema[] = {
        {.key = "topology", .kind = VEF_PARAM_SECTION, .help = "the routers"},
        {.key = "link", .kind = VEF_PARAM_SECTION, .help = "the links"},
        {.key = "router", .kind = VEF_PARAM_SECTION, .help = "each router"},
        {.key = "seed",
         .kind = VEF_PARAM_INT,
         .offset = offsetof(struct network, seed),
         .fallback = "7",
         .maximum = INFINITY,
         .help = "seed"},
        {.key = "endpoints_per_router",
         .kind = VEF_PARAM_INT,
         .offset = offsetof(struct network, endpoints),
         .fallback = "1",
         .minimum = 1,
         .maximum = 1024,
         .help = "concentration"},
        {.key = NULL}};
    const vef_param rtt_schema[] = {{.key = "a",
                                     .kind = VEF_PARAM_INT,
                                     .offset = offsetof(struct rtt, a),
                                     .minimum = 1,
                                     .maximum = 1024,
                                     .help = "shorter side"},
                                    {.key = NULL}};
    vef_node *root = config_parsed(f, TEXT);
    config_reads(f, VEF_OK, root, "network", network_schema, &network);
    assert_int_equal(network.seed, 1);
    assert_int_equal(network.endpoints, 1);
    const vef_node *topology = vef_node_get(root, "topology");
    assert_string_equal(vef_node_get(topology, "family")->scalar, "rtt");
    assert_int_equal(
        vef_config_read(topology, "topology rtt", rtt_schema, EXTRA, &rtt, &f->arena, &f->error),
        VEF_OK);
    assert_int_equal(rtt.a, 16);
    assert_null(vef_node_get(root, "router"));
    assert_null(vef_node_get(NULL, "router"));
    /* Without the caller's own key the same section is refused. */
    config_reads(f, VEF_INVALID, topology, "topology rtt", rtt_schema, &rtt);
    assert_string_equal(f->error.message,
                        "net.yaml:2:3: topology rtt: unknown key 'family': expected one of a");
}

static void test_wrong_values(void **state) {
    config_fixture *f = *state;
    assert_refused(f, "name: x\npackets: 0\n", "2:10", "router", "packets",
                   "a whole number from 1 to 64", "'0'", NULL);
    assert_refused(f, "name: x\npackets: 65\n", "2:10", "from 1 to 64", NULL);
    assert_refused(f, "name: x\npackets: 4.5\n", "2:10", "whole number", "'4.5'", NULL);
    assert_refused(f, "name: x\npackets: '4'\n", "2:10", "whole number", "\"4\"", NULL);
    assert_refused(f, "name: x\npackets: 9223372036854775808\n", "2:10",
                   "expected a whole number from 1 to 64", "9223372036854775808", NULL);
    assert_refused(f, "name: x\npackets:\n", "2:9", "packets", "nothing", NULL);
    assert_refused(f, "name: x\npackets: [4]\n", "2:10", "a list", NULL);
    assert_refused(f, "name: x\nload: 1.01\n", "2:7", "load", "a number from 0 to 1", NULL);
    assert_refused(f, "name: x\nload: nan\n", "2:7", "expected a number", "'nan'", NULL);
    assert_refused(f, "name: x\nload: 0x1\n", "2:7", "'0x1'", NULL);
    assert_refused(f, "name: x\ntransit_first: yes\n", "2:16", "true | false", "'yes'", NULL);
    assert_refused(f, "name: x\narbiter: roundrobin\n", "2:10", "unknown arbiter 'roundrobin'",
                   "random, round-robin, oldest", "did you mean round-robin?", NULL);
    assert_refused(f, "name: {a: b}\n", "1:7", "name", "text", "a mapping", NULL);
    assert_refused(f, "name: ~\n", "1:7", "name", "nothing", NULL);
    assert_refused(f, "name: x\nsizes: 4\n", "2:8", "sizes", "a list", "'4'", NULL);
    assert_refused(f, "name: x\nsizes: [4,\n  0]\n", "3:3", "at least 1", "'0'", NULL);
    assert_refused(f, "name: x\nshifts: [[1], 2]\n", "2:15", "shifts", "lists", NULL);
    assert_refused(f, "name: x\nphit: 4\n", "2:7", "phit", "no unit", "64 KiB", NULL);
    assert_refused(f, "name: x\nphit: 128 KiB\n", "2:7", "from 1 B to 64 KiB", NULL);
    assert_refused(f, "name: x\nbandwidth: 0 bit/s\n", "2:12", "at least 1 bit/s", NULL);
    assert_refused(f, "name: x\noverhead: 2 s\n", "2:11", "from 0 ns to 1 s", NULL);
    assert_refused(f, "[1, 2]\n", "1:1", "router", "keys and values", "a list", NULL);
}

static void test_wrong_keys(void **state) {
    config_fixture *f = *state;
    sample values;
    assert_refused(f, "name: x\npakets: 4\n", "2:1", "router", "unknown key 'pakets'",
                   "family, packets, load", "did you mean packets?", NULL);
    assert_refused(f, "name: x\n   \nfoo: 4\n", "3:1", "unknown key 'foo'", NULL);
    assert_null(strstr(f->error.message, "did you mean"));
    assert_refused(f, "\npackets: 4\n", "2:1", "key 'name' is missing", "of the network", NULL);
    assert_false(f->error.unknown_key);
    config_reads(f, VEF_INVALID, NULL, "router", SCHEMA, &values);
    assert_string_equal(f->error.message, "router: key 'name' is missing: of the network (text)");
    /* Without anywhere to put the message the code is the same. */
    assert_int_equal(vef_config_read(NULL, "router", SCHEMA, NULL, &values, &f->arena, NULL),
                     VEF_INVALID);
}

static void test_yaml_refused(void **state) {
    config_fixture *f = *state;
    assert_refused(f, "name: x\nload: 1\nname: y\n", "3:1", "duplicate key 'name'", "line 1", NULL);
    assert_refused(f, "name: &a x\n", "1:7", "anchors", NULL);
    assert_refused(f, "name: *a\n", "1:7", "aliases", NULL);
    assert_refused(f, "name: !!int 4\n", "1:7", "tags", NULL);
    assert_refused(f, "name: x\n---\nname: y\n", "2:1", "second document", NULL);
    assert_refused(f, "name: [1, 2\nload: 4\n", "2:5", "not YAML", NULL);
    assert_refused(f, "? [a]\n: b\n", "1:3", "key must be plain text", NULL);
    assert_refused(f, "name: \"a\\0b\"\n", "1:7", "NUL", NULL);
    char deep[512];
    memset(deep, '[', 100);
    memset(deep + 100, ']', 100);
    deep[200] = '\0';
    assert_refused(f, deep, "1:66", "64 levels", NULL);
    sample values;
    assert_int_equal(read_text(f, "name: \xff\n", &values), VEF_INVALID);
    assert_has(f->error.message, "not YAML");
}

static void test_empty_is_a_mapping(void **state) {
    config_fixture *f = *state;
    sample values;
    const char *const texts[] = {"", "# nothing\n", "---\n", "null\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        vef_node *root = config_parsed(f, texts[i]);
        assert_int_equal(vef_config_set(root, "name=x", &f->arena, &f->error), VEF_OK);
        config_reads(f, VEF_OK, root, "r", SCHEMA, &values);
        assert_string_equal(values.name, "x");
    }
}

static void test_set(void **state) {
    config_fixture *f = *state;
    sample values;
    vef_node *root = config_parsed(f, "router:\n  packets: 4\nseed: 1\n");
    const char *const good[] = {"router.packets=8", "router.name=two words", "router.sizes=[2, 3]",
                                "link.phit=8 B",    "router.map=a=b",        "a.b.c=1"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_int_equal(vef_config_set(root, good[i], &f->arena, &f->error), VEF_OK);
    assert_string_equal(vef_node_get(vef_node_get(root, "link"), "phit")->scalar, "8 B");
    assert_string_equal(vef_node_get(vef_node_get(vef_node_get(root, "a"), "b"), "c")->scalar, "1");
    const vef_node *router = vef_node_get(root, "router");
    config_reads(f, VEF_OK, router, "router", SCHEMA, &values);
    assert_int_equal(values.packets, 8);
    assert_string_equal(values.name, "two words");
    assert_string_equal(values.map, "a=b");
    assert_int_equal(values.sizes.values[1], 3);

    assert_int_equal(vef_config_set(root, "router.pakets=8", &f->arena, &f->error), VEF_OK);
    config_reads(f, VEF_INVALID, router, "router", SCHEMA, &values);
    assert_has(f->error.message, "--set 'router.pakets=8': router: unknown key 'pakets'");
    assert_true(f->error.unknown_key);
    assert_has(f->error.message, "did you mean packets?");

    const char *const bad[] = {"", "router", "=4", ".a=4", "a.=4", "a..b=4"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(vef_config_set(root, bad[i], &f->arena, &f->error), VEF_INVALID);
        assert_has(f->error.message, "expected a key and a value");
    }
    assert_int_equal(vef_config_set(root, "seed.x=1", &f->arena, &f->error), VEF_INVALID);
    assert_has(f->error.message, "'seed' is not a mapping");
    assert_int_equal(vef_config_set(root, "seed=[1", &f->arena, &f->error), VEF_INVALID);
    assert_has(f->error.message, "--set 'seed=[1'");
}

static void assert_same(const sample *a, const sample *b) {
    assert_int_equal(a->packets, b->packets);
    assert_true(a->load == b->load);
    assert_int_equal(a->transit_first, b->transit_first);
    assert_int_equal(a->arbiter, b->arbiter);
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->map == NULL, b->map == NULL);
    if (a->map)
        assert_string_equal(a->map, b->map);
    assert_int_equal(a->sizes.count, b->sizes.count);
    assert_memory_equal(a->sizes.values, b->sizes.values, a->sizes.count * sizeof(int64_t));
    assert_int_equal(a->shifts.count, b->shifts.count);
    for (size_t i = 0; i < a->shifts.count; i++) {
        const vef_int_list *row = &a->shifts.rows[i];
        assert_int_equal(row->count, b->shifts.rows[i].count);
        assert_memory_equal(row->values, b->shifts.rows[i].values, row->count * sizeof(int64_t));
    }
    assert_int_equal(a->phit_bytes, b->phit_bytes);
    assert_int_equal(a->bits_per_s, b->bits_per_s);
    assert_true(a->overhead_ns == b->overhead_ns);
    assert_int_equal(a->clock_hz, b->clock_hz);
    assert_true(a->length_m == b->length_m);
    assert_int_equal(a->payload_bytes, b->payload_bytes);
}

/* What vef_config_put_schema makes of a struct reads back as the same struct. */
static void round_trip(config_fixture *f, const sample *values) {
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    vef_node *config = vef_config_new(&f->arena);
    vef_config_put_schema(vef_config_section(config, "router"), SCHEMA, values);
    vef_node_write_yaml(config, out);
    fclose(out);
    vef_node *root = config_parsed(f, text);
    sample back;
    vef_code code = vef_config_read(vef_node_get(root, "router"), "router", SCHEMA, NULL, &back,
                                    &f->arena, &f->error);
    if (code)
        fail_msg("%s\n%s", f->error.message, text);
    assert_same(values, &back);
    free(text);
}

static void test_round_trip(void **state) {
    config_fixture *f = *state;
    sample values;
    assert_int_equal(read_text(f, "name: x\nshifts: [[1, -2, 3], [], [4]]\nsizes: [7]\n", &values),
                     VEF_OK);
    const char *const names[] = {"",         "x",           "true",   "null",
                                 "~",        "4",           "a: b",   "# c",
                                 "'q'",      "say \"x\"\\", "- item", " led",
                                 "tab\tx",   "\nnl\n",      "[list]", "\xc3\xa9t\xc3\xa9",
                                 "\x01\x7f", "*a"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        values.name = names[i];
        values.map = i % 2 ? names[i] : NULL;
        values.load = 1.0 / (double)(i + 1);
        values.overhead_ns = 1e9 / (double)(3 * i + 1);
        values.phit_bytes = 1 + i * 1024;
        values.bits_per_s = UINT64_MAX / (i + 2);
        values.clock_hz = 1 + 1000 * i;
        values.length_m = 0.6 * (double)i;
        values.payload_bytes = i % 3 ? 8 + i : 0;
        values.arbiter = (int)(i % 3);
        values.transit_first = i % 2 == 0;
        round_trip(f, &values);
    }
}

static void test_describe(void **state) {
    (void)state;
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    vef_config_describe(out, 2, SCHEMA);
    fclose(out);
    size_t lines = 0;
    for (const char *cursor = text; *cursor; cursor++)
        lines += *cursor == '\n';
    assert_int_equal(lines, 15); /* one per key */
    for (const vef_param *row = SCHEMA; row->key; row++) {
        assert_has(text, row->key);
        assert_has(text, row->help);
    }
    assert_has(text, "(a whole number from 1 to 64; default 4)");
    assert_has(text, "random | round-robin | oldest; default random");
    assert_has(text, "of the network (text; required)");
    assert_has(text, "(a frequency such as 1.2 GHz from 1 Hz to 1000 GHz; default 1 GHz)");
    assert_has(text, "(a length such as 5 m from 0 m to 1000 km; default 0 m)");
    assert_has(text, "(a size such as 64 KiB from 8 B to 64 KiB, or auto; default auto)");
    free(text);
}

/* A struct as JSON. The caller frees it. */
static char *json_of(const vef_param *schema, const void *values) {
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    vef_result *root = vef_result_new(VEF_DOCUMENTS);
    vef_arena arena = {0};
    vef_node *config = vef_config_new(&arena);
    vef_config_put_schema(config, schema, values);
    for (size_t i = 0; i < config->count; i++)
        vef_node_put(root, config->keys[i], config->items[i]);
    vef_write_json(root, out);
    vef_arena_release(&arena);
    vef_result_free(root);
    fclose(out);
    return text;
}

static void test_json(void **state) {
    config_fixture *f = *state;
    sample values;
    assert_int_equal(read_text(f, "name: x\nshifts: [[1, -2]]\n", &values), VEF_OK);
    char *text = json_of(SCHEMA, &values);
    assert_string_equal(text,
                        "{\n  \"packets\": 4,\n  \"load\": 0.5,\n  \"transit_first\": true,\n"
                        "  \"arbiter\": \"random\",\n  \"name\": \"x\",\n  \"map\": null,\n"
                        "  \"sizes\": [4, 4],\n  \"shifts\": [[1, -2]],\n"
                        "  \"phit\": \"4 B\",\n  \"bandwidth\": \"1 Gbit/s\",\n"
                        "  \"overhead\": \"100 ns\",\n  \"clock\": \"1 GHz\",\n"
                        "  \"length\": \"0 m\",\n  \"payload\": \"auto\"\n}\n");
    free(text);
}

static void test_json_of_names(void **state) {
    config_fixture *f = *state;
    struct {
        const char *file;
        vef_text_list ports;
    } values;
    static const vef_param schema[] = {
        {.key = "file", .kind = VEF_PARAM_PATH, .offset = 0},
        {.key = "ports", .kind = VEF_PARAM_TEXT_LIST, .offset = sizeof(char *)},
        {.key = NULL},
    };
    vef_node *root = config_parsed(f, "{file: /a/b, ports: [x+, 'y\"-']}");
    config_reads(f, VEF_OK, root, "test", schema, &values);
    char *text = json_of(schema, &values);
    assert_string_equal(text, "{\n  \"file\": \"/a/b\",\n  \"ports\": [\"x+\", \"y\\\"-\"]\n}\n");
    free(text);
}

/* Rows of names, as YAML that is read again, as JSON, and refused. */
static void test_rows_of_names(void **state) {
    config_fixture *f = *state;
    vef_text_table read, again;
    static const vef_param schema[] = {
        {.key = "links", .kind = VEF_PARAM_TEXT_TABLE, .fallback = "[]"},
        {.key = NULL},
    };
    config_reads(f, VEF_OK, NULL, "test", schema, &read);
    assert_int_equal(read.count, 0);
    config_reads(f, VEF_OK, config_parsed(f, "{links: [[12, x+], ['(0, 1)'], []]}"), "test", schema,
                 &read);
    assert_int_equal(read.count, 3);
    char *yaml = NULL;
    size_t length;
    FILE *out = open_memstream(&yaml, &length);
    assert_non_null(out);
    vef_node *config = vef_config_new(&f->arena);
    vef_config_put_schema(config, schema, &read);
    vef_node_write_yaml(config, out);
    fclose(out);
    config_reads(f, VEF_OK, config_parsed(f, yaml), "test", schema, &again);
    char *json = json_of(schema, &again);
    assert_string_equal(json, "{\n  \"links\": [[\"12\", \"x+\"], [\"(0, 1)\"], []]\n}\n");
    free(yaml);
    free(json);
    config_reads(f, VEF_INVALID, config_parsed(f, "links: [12, 13]"), "test", schema, &read);
    assert_has(
        f->error.message,
        "net.yaml:1:9: test: links: expected a list of lists such as [[a, b], [c, d]]; found "
        "'12'");
}

static void test_load(void **state) {
    config_fixture *f = *state;
    const char *folder = getenv("TMPDIR");
    char path[512], expected[600];
    snprintf(path, sizeof path, "%s/net.yaml", folder ? folder : "/tmp");
    vef_node *root;
    unlink(path);
    assert_int_equal(vef_config_load(path, &f->arena, &root, &f->error), VEF_IO);
    assert_has(f->error.message, path);
    assert_has(f->error.message, "No such file");
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs("link:\n  bandwidth: 1 Gbit/s\n  phit: 4 Bytes\n", out);
    fclose(out);
    assert_int_equal(vef_config_load(path, &f->arena, &root, &f->error), VEF_OK);
    const vef_node *phit = vef_node_get(vef_node_get(root, "link"), "phit");
    assert_int_equal(phit->line, 3);
    assert_int_equal(phit->column, 9);
    assert_int_equal(phit->key_column, 3);
    assert_int_equal(vef_node_fail(phit, &f->error, "no %d", 7), VEF_INVALID);
    snprintf(expected, sizeof expected, "%s:3:9: no 7", path);
    assert_string_equal(f->error.message, expected);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_defaults, config_set_up, config_tear_down),
        cmocka_unit_test_setup_teardown(test_values, config_set_up, config_tear_down),
        cmocka_unit_test_setup_teardown(test_outlives_the_tree, config_set_up, config_tear_down),
        cmocka_unit_test_setup_teardown(test_sections, config_set_up, config_tear_down),
        cmocka_unit_test_setup_teardown(test_wrong_values, config_set_up, config_tear_down),
        cmocka_unit_test_setup_teardown(test_wrong_keys, config_set_up, config_tear_down),
        cmocka_unit_test_setup_teardown(test_yaml_refused, config_set_up, config_tear_down),
        cmocka_unit_test_setup_teardown(test_empty_is_a_mapping, config_set_up, config_tear_down),
        cmocka_unit_test_setup_teardown(test_set, config_set_up, config_tear_down),
        cmocka_unit_test_setup_teardown(test_round_trip, config_set_up, config_tear_down),
        cmocka_unit_test_setup_teardown(test_describe, config_set_up, config_tear_down),
        cmocka_unit_test_setup_teardown(test_json, config_set_up, config_tear_down),
        cmocka_unit_test_setup_teardown(test_json_of_names, config_set_up, config_tear_down),
        cmocka_unit_test_setup_teardown(test_rows_of_names, config_set_up, config_tear_down),
        cmocka_unit_test_setup_teardown(test_load, config_set_up, config_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
