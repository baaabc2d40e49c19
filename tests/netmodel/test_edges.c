/* Networks from files of links: what is read, in which order, and what is refused with which words.
 * Petersen's graph is known: 10 routers, 15 links, each router has 3 at distance 1 and 6 at
 * distance 2. */
#include "netmodel/topology/topology.h"
#include "tests/netmodel/networks.h"
#include "tests/netmodel/own_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static vef_code create(const char *file, uint32_t per_router, vef_topology **topology,
                       vef_error *error) {
    char text[512];
    snprintf(text, sizeof text, "{family: edges, file: '%s'}", file);
    vef_arena arena = {0};
    vef_node *node = NULL;
    assert_int_equal(vef_config_parse(text, "net.yaml", &arena, &node, error), VEF_OK);
    vef_code code = vef_topology_create(node, per_router, topology, error);
    vef_arena_release(&arena);
    return code;
}

static vef_topology *read_text(const char *text, uint32_t per_router) {
    vef_topology *topology = NULL;
    vef_error error = {0};
    own_file_write(text, strlen(text));
    if (create(own_file_path, per_router, &topology, &error))
        fail_msg("%s\n%s", text, error.message);
    return topology;
}

/* `says` may begin with ":line: ", which then has to follow the file's name. */
static void refuse(const char *text, size_t bytes, const char *says) {
    vef_topology *topology = NULL;
    vef_error error = {0};
    own_file_write(text, bytes);
    vef_code code = create(own_file_path, 1, &topology, &error);
    char wanted[512];
    snprintf(wanted, sizeof wanted, "%s%s", *says == ':' ? own_file_path : "", says);
    if (code != VEF_INVALID || !strstr(error.message, wanted) ||
        !strstr(error.message, own_file_path) || topology)
        fail_msg("%s\ngave %d: %s\nnot: %s", text, (int)code, error.message, wanted);
}

static void test_petersen(void **state) {
    (void)state;
    vef_topology *topology = topology_of("edges", "{file: examples/networks/petersen.txt}", 1);
    assert_int_equal(topology->routers, 10);
    assert_int_equal(topology->ports, 3);
    assert_int_equal(topology->endpoints, 10);
    assert_null(topology->bandwidth_bits_per_s);
    assert_null(topology->delay_ns);
    assert_int_equal(topology->link_classes, 1);
    assert_int_equal(topology->dimensions, 0);
    uint32_t distance[10];
    for (uint32_t from = 0; from < 10; from++) {
        uint32_t index[3] = {0};
        distances_from(topology, from, distance);
        for (uint32_t to = 0; to < 10; to++) {
            assert_true(distance[to] < 3);
            index[distance[to]]++;
        }
        assert_int_equal(index[1], 3);
        assert_int_equal(index[2], 6);
    }
    vef_topology_destroy(topology);
}

static void test_leaf_spine_has_endpoints_on_leaves_only(void **state) {
    (void)state;
    vef_topology *topology = topology_of("edges", "{file: examples/networks/leaf-spine.txt}", 1);
    assert_int_equal(topology->routers, 6);
    assert_int_equal(topology->endpoints, 16);
    assert_int_equal(topology->endpoints_per_router, 4);
    for (uint32_t e = 0; e < 16; e++)
        assert_int_equal(vef_topology_router_of(topology, e), e / 4);
    assert_int_equal(topology->link_classes, 2);
    char name[VEF_CLASS_NAME_BYTES];
    vef_topology_link_class_name(topology, 0, name, sizeof name);
    assert_string_equal(name, "40 Gbit/s, 50 ns");
    vef_topology_link_class_name(topology, 1, name, sizeof name);
    assert_string_equal(name, "40 Gbit/s, 250 ns");
    for (uint32_t leaf = 0; leaf < 4; leaf++) {
        assert_int_equal(topology->neighbour[leaf * 4], 4);
        assert_int_equal(topology->neighbour[leaf * 4 + 1], 5);
        assert_int_equal(topology->neighbour[leaf * 4 + 2], VEF_NO_ROUTER);
        assert_int_equal(vef_topology_link_class(topology, leaf, 0), 0);
        assert_int_equal(vef_topology_link_class(topology, leaf, 1), 1);
        assert_int_equal(vef_topology_link_class(topology, 4, leaf), 0);
        assert_int_equal(vef_topology_link_class(topology, 5, leaf), 1);
    }
    vef_topology_destroy(topology);
}

/* Every way to write a line, in a file of another system. */
static void test_lines(void **state) {
    (void)state;
    vef_topology *topology = read_text(
        "\xef\xbb\xbf# links\r\n"
        "\r\n"
        "  2\t0 1.5 Gbit/s   50ns # the second comment: 7 7\r\n"
        "0 1 100 ns\r\n"
        "1 2 10Gbit/s\r\n"
        "\t \r\n"
        "1 3 1 us 12.5 GB/s\r\n"
        "2 3 5 \xc2\xb5s\r\n"
        "3 0",
        5);
    assert_int_equal(topology->routers, 4);
    assert_int_equal(topology->ports, 3);
    assert_int_equal(topology->endpoints, 20);
    static const struct {
        uint32_t router, port, other, other_port;
        uint64_t bandwidth;
        double delay;
    } links[] = {
        {2, 0, 0, 0, 1500000000, 50},     {0, 1, 1, 0, 0, 100},  {1, 1, 2, 1, 10000000000, 0},
        {1, 2, 3, 0, 100000000000, 1000}, {2, 2, 3, 1, 0, 5000}, {3, 2, 0, 2, 0, 0},
    };
    assert_int_equal(topology->link_classes, 6);
    for (size_t i = 0; i < 6; i++)
        for (int end = 0; end < 2; end++) {
            const uint32_t router = end ? links[i].other : links[i].router;
            const uint32_t port = end ? links[i].other_port : links[i].port;
            const size_t here = router * 3 + port;
            assert_int_equal(topology->neighbour[here], end ? links[i].router : links[i].other);
            assert_int_equal(topology->reverse_port[here],
                             end ? links[i].port : links[i].other_port);
            assert_int_equal(topology->bandwidth_bits_per_s[here], links[i].bandwidth);
            assert_true(topology->delay_ns[here] == links[i].delay);
            assert_int_equal(vef_topology_link_class(topology, router, port), i);
        }
    char name[VEF_CLASS_NAME_BYTES];
    vef_topology_link_class_name(topology, 2, name, sizeof name);
    assert_string_equal(name, "10 Gbit/s");
    vef_topology_link_class_name(topology, 5, name, sizeof name);
    assert_string_equal(name, "others");
    vef_topology_destroy(topology);
}

static void test_endpoints(void **state) {
    (void)state;
    vef_topology *topology = read_text("endpoints 1-2 0\n0 1\n1 2\n2 3\n3 4\nendpoints 4 3\n", 2);
    static const uint32_t router_of[] = {0, 0, 3, 3, 4, 4, 4};
    assert_int_equal(topology->endpoints, 7);
    assert_int_equal(topology->endpoints_per_router, 3);
    for (uint32_t e = 0; e < 7; e++)
        assert_int_equal(vef_topology_router_of(topology, e), router_of[e]);
    vef_topology_destroy(topology);
}

/* 64 delays are 64 classes; with one more, links have no classes. */
static void test_classes_up_to_their_limit(void **state) {
    (void)state;
    for (uint32_t links = 63; links <= 66; links++) {
        char text[4096];
        size_t used = 0;
        for (uint32_t i = 0; i < links; i++)
            used +=
                (size_t)snprintf(text + used, sizeof text - used, "%u %u %u ns\n", i, i + 1, i + 1);
        vef_topology *topology = read_text(text, 1);
        assert_int_equal(topology->link_classes, links <= 64 ? links : 1);
        assert_int_equal(vef_topology_link_class(topology, links, 0), links <= 64 ? links - 1 : 0);
        vef_topology_destroy(topology);
    }
}

/* Lengths beside bandwidths and delays, in any order. */
static void test_lengths(void **state) {
    (void)state;
    static const struct {
        const char *line, *name;
        double length;
    } links[] = {
        {"0 1 5 m", "5 m", 5},
        {"1 2 20m 10 Gbit/s 50 ns", "10 Gbit/s, 50 ns, 20 m", 20},
        {"2 3 10 Gbit/s 60 cm", "10 Gbit/s, 60 cm", 0.6},
        {"3 4 7 ms", "7 ms", 0},
        {"4 5 30 mm", "3 cm", 0.03},
        {"5 6", "others", 0},
    };
    char text[512] = "";
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        strcat(text, links[i].line);
        strcat(text, "\n");
    }
    vef_topology *topology = read_text(text, 1);
    for (uint32_t i = 0; i < sizeof links / sizeof *links; i++) {
        const uint32_t port = i > 0; /* of router i, towards i + 1 */
        char name[VEF_CLASS_NAME_BYTES];
        assert_true(topology->length_m[i * topology->ports + port] == links[i].length);
        assert_int_equal(vef_topology_link_class(topology, i, port), i);
        vef_topology_link_class_name(topology, i, name, sizeof name);
        assert_string_equal(name, links[i].name);
    }
    vef_topology_destroy(topology);
}

static void test_what_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"", ": this is an empty file: expected the links of a graph"},
        {"# nothing\n\n", ": no links"},
        {"endpoints 0 1\n", ": no links"},
        {"0 1\n1 1\n", ":2: a link from router 1 to itself"},
        {"0 1\n1 2\n# x\n1 0\n0 1\n", ":4: duplicate link of routers 1 and 0: first in line 1"},
        {"3 2\n0 1\n2 1\n1 2 5 ns\n", ":4: duplicate link of routers 1 and 2: first in line 3"},
        {"0 1\n1 3\n",
         "3 (line 2), but 1 of the numbers has no link: 2: expected the 3 routers as 0 to 2"},
        {"1 2\n", "1 of the numbers has no link: 0: expected the 2 routers"},
        {"0 20\n", "19 of the numbers have no link: 1, 2, 3, 4, 5, 6, 7, 8, …"},
        {"0 1\n2 3\n3 4\n", "3 of its 5 routers cannot be reached from router 0: 2, 3, 4"},
        {"0 16777215\n", "16777214 of the numbers"},
        {"0 16777216\n", ":1: router 16777216: routers are numbered from 0, up to 16777215"},
        {"0 1\n0 99999999999999999999999\n", ":2: router 99999999999999999999999: routers are"},
        {"0 -1\n", ":1: router -1: routers are numbered from 0"},
        {"0 1\n\na b\n", ":3: 'a': expected the two routers"},
        {"0 1.5\n", ":1: '1.5': expected the two routers"},
        {"0,1\n", ":1: '0,1': expected the two routers"},
        {"0\n", ":1: '0': expected the two routers"},
        {"0 1 2\n",
         ":1: '2': expected a bandwidth such as '10 Gbit/s', a delay such as '50 ns' or"},
        {"0 1 2 3\n", ":1: '2 3'"},
        {"0 1 fast\n", ":1: 'fast': expected a bandwidth"},
        {"0 1 -5 ns\n", ":1: '-5 ns': expected a bandwidth"},
        {"0 1 10 Gb\n", ":1: bandwidth: unknown unit 'Gb'"},
        {"0 1 10 Gbits\n", ":1: bandwidth: unknown unit 'Gbits'"},
        {"0 1 5 parsecs\n", ":1: delay: unknown unit 'parsecs'"},
        {"0 1 5 ns 6 ns\n", ":1: '6 ns': duplicate delay"},
        {"0 1 5 B/s 6 B/s\n", ":1: '6 B/s': duplicate bandwidth"},
        {"0 1 0 Gbit/s\n", ":1: bandwidth '0 Gbit/s': expected more than 0"},
        {"0 1 0 ns\n", ":1: delay '0 ns': expected more than 0"},
        {"0 1 5 m 6 cm\n", ":1: '6 cm': duplicate length"},
        {"0 1 0 m\n", ":1: length '0 m': expected more than 0"},
        {"0 1 5 Mm\n", ":1: length: unknown unit 'Mm'"},
        {"0 1 5 ns 6 B/s 7 8 9 10 11\n", ":1: '9': expected the two routers"},
        {"endpoints 3\n0 1\n", ":1: expected routers and how many"},
        {"endpoints x 1\n0 1\n", ":1: expected routers and how many"},
        {"endpoints 0- 1\n0 1\n", ":1: expected routers and how many"},
        {"endpoints 0 -1\n0 1\n", ":1: expected routers and how many"},
        {"endpoints 0 1 2\n0 1\n", ":1: expected routers and how many"},
        {"endpoints 0 99999999999\n0 1\n", ":1: endpoints 0 99999999999: out of range"},
        {"endpoints 1-0 1\n0 1\n",
         ":1: endpoints 1-0 1: the first router is greater than the last: expected endpoints 0-1"},
        {"0 1\nendpoints 1-2 1\n", ":2: router 2 has no link: expected router 0 to 1"},
        {"0 1\nendpoints 0-1 1\nendpoints 1 2\n", ":3: duplicate endpoints of router 1"},
        {"0 1\nendpoints 0-1 0\n", ": 0 endpoints in all"},
        {"0 1\nendpoints 0-1 4097\n",
         ":2: endpoints 0-1 4097: out of range: expected at most 4096"},
        {"0 1\nendpoints 0-1 2147483648\n", ":2: endpoints 0-1 2147483648: out of range"},
        {"\x7f"
         "ELF\n",
         ": this is a program or a shared object (ELF)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        refuse(rows[i].text, strlen(rows[i].text), rows[i].says);
    refuse("0 1\n1 2\0\n", 9, ":2: byte 4 is 0x00");
}

static void test_long_lines(void **state) {
    (void)state;
    const size_t bytes = 1 << 20;
    char *text = malloc(bytes);
    assert_non_null(text);
    memset(text, '7', bytes);
    refuse(text, bytes, ":1: a line of 1048576 bytes");
    memcpy(text, "0 1 # ", 6); /* a comment may be long */
    own_file_write(text, bytes);
    vef_topology *topology = NULL;
    vef_error error;
    assert_int_equal(create(own_file_path, 1, &topology, &error), VEF_OK);
    vef_topology_destroy(topology);
    free(text);
}

static void test_files_that_are_none(void **state) {
    (void)state;
    vef_topology *topology = NULL;
    vef_error error;
    assert_int_equal(create("/nowhere/links.txt", 1, &topology, &error), VEF_IO);
    assert_non_null(strstr(error.message, "/nowhere/links.txt"));
    assert_int_equal(create("tests", 1, &topology, &error), VEF_IO);
    assert_non_null(strstr(error.message, "cannot read 'tests': Is a directory"));
    assert_null(topology);
}

/* A star of `links` around router 0, and a chain of `more` routers at its end. */
static void write_star(uint32_t links, uint32_t more) {
    FILE *out = fopen(own_file_path, "wb");
    assert_non_null(out);
    for (uint32_t i = 1; i <= links; i++)
        fprintf(out, "0 %u\n", i);
    for (uint32_t i = 0; i < more; i++)
        fprintf(out, "%u %u\n", links + i, links + i + 1);
    fclose(out);
}

static void test_routers_of_many_links(void **state) {
    (void)state;
    vef_topology *topology = NULL;
    vef_error error;
    write_star(VEF_MAX_PORTS, 0);
    assert_int_equal(create(own_file_path, 1, &topology, &error), VEF_OK);
    assert_int_equal(topology->ports, VEF_MAX_PORTS);
    vef_topology_destroy(topology);
    write_star(VEF_MAX_PORTS + 3, 0);
    assert_int_equal(create(own_file_path, 1, &topology, &error), VEF_INVALID);
    assert_non_null(
        strstr(error.message, ":1025: link 1025 of router 0, which has 1027: expected at most"));
    /* 300 001 routers with room for 1000 links each are 3 * 10^8 ports, more than 2^28 */
    write_star(1000, 299000);
    assert_int_equal(create(own_file_path, 1, &topology, &error), VEF_INVALID);
    assert_non_null(strstr(error.message,
                           "router 0 has 1000 links, and each of the 300001 routers is given room "
                           "for as many: expected at most 894"));
}

/* A torus written link by link is the torus. */
static void test_large(void **state) {
    (void)state;
    FILE *out = fopen(own_file_path, "wb");
    assert_non_null(out);
    for (uint32_t y = 0; y < 256; y++)
        for (uint32_t x = 0; x < 256; x++)
            fprintf(out, "%u %u\n%u %u\n", y * 256 + x, y * 256 + (x + 1) % 256, y * 256 + x,
                    (y + 1) % 256 * 256 + x);
    fclose(out);
    vef_topology *topology = NULL;
    vef_error error;
    assert_int_equal(create(own_file_path, 1, &topology, &error), VEF_OK);
    assert_int_equal(topology->routers, 65536);
    assert_int_equal(topology->ports, 4);
    /* 6 bytes for each port, and no more than as much again */
    assert_true(topology->arena.held_bytes < 2 * 65536 * 4 * 6);
    uint32_t *distance = malloc(topology->routers * sizeof *distance);
    assert_non_null(distance);
    distances_from(topology, 0, distance);
    for (uint32_t r = 0; r < topology->routers; r++) {
        const uint32_t x = r % 256, y = r / 256;
        assert_int_equal(distance[r], (x < 128 ? x : 256 - x) + (y < 128 ? y : 256 - y));
    }
    free(distance);
    vef_topology_destroy(topology);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_petersen),
        cmocka_unit_test(test_leaf_spine_has_endpoints_on_leaves_only),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_endpoints),
        cmocka_unit_test(test_classes_up_to_their_limit),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_long_lines),
        cmocka_unit_test(test_files_that_are_none),
        cmocka_unit_test(test_routers_of_many_links),
        cmocka_unit_test(test_large),
    };
    return cmocka_run_group_tests(tests, own_file_make, own_file_remove);
}
