/* Helps the tests of configuration: an arena and an error for each test, reading with an expected
 * result, and assertions on messages. Texts are parsed as the file net.yaml. */
#ifndef VEF_TESTS_COMMON_CONFIG_SUPPORT_H
#define VEF_TESTS_COMMON_CONFIG_SUPPORT_H

#include "common/config/config.h"

typedef struct config_fixture {
    vef_arena arena;
    vef_error error;
} config_fixture;

/* For cmocka: a fixture as the state of a test, released after it. */
int config_set_up(void **state);
int config_tear_down(void **state);

/* Parses with success. The tree is in the fixture's arena. */
vef_node *config_parsed(config_fixture *f, const char *text);

/* Asserts that vef_config_read returns `code`: VEF_OK, or VEF_INVALID with a message in the
 * fixture. */
void config_reads(config_fixture *f, vef_code code, const vef_node *node, const char *name,
                  const vef_param *schema, void *values);

void assert_has(const char *message, const char *part);

#endif
