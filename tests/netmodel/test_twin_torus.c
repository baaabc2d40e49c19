/* Twin tori: port configurations, the graph against its definition written once more here, and
 * the facts that the papers print (Andujar et al.: "Building 3D Torus Using Low-Profile Expansion
 * Cards"; "N-Dimensional Twin Torus"). */
#include "netmodel/topology/twin_ports.h"
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

/* (2n)! / (2 n! n!): 10, 126 and 1716 for n = 3, 5 and 7 (thesis, section 1.2). */
static void test_every_configuration_comes_once(void **state) {
    (void)state;
    static const uint32_t expected[] = {0, 1, 3, 10, 35, 126, 462, 1716, 6435};
    for (uint32_t n = 1; n < sizeof expected / sizeof expected[0]; n++) {
        uint64_t ports = 0, last = 0;
        uint32_t count = 0;
        for (; vef_twin_next_configuration(n, &ports); count++) {
            assert_true(ports > last); /* none twice */
            last = ports;
            assert_int_equal(__builtin_popcountll(ports), n);
            assert_true(ports & 1);
            assert_int_equal(ports >> 2 * n, 0);
        }
        assert_int_equal(count, expected[n]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_configuration_comes_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
