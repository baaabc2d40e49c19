/* See config_support.h. */
#include "tests/common/config_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

int config_set_up(void **state) {
    *state = calloc(1, sizeof(config_fixture));
    return *state ? 0 : -1;
}

int config_tear_down(void **state) {
    config_fixture *f = *state;
    vef_arena_release(&f->arena);
    free(f);
    return 0;
}

vef_node *config_parsed(config_fixture *f, const char *text) {
    vef_node *root = NULL;
    if (vef_config_parse(text, "net.yaml", &f->arena, &root, &f->error) != VEF_OK)
        fail_msg("%s", f->error.message);
    return root;
}

void config_reads(config_fixture *f, vef_code code, const vef_node *node, const char *name,
                  const vef_param *schema, void *values) {
    f->error = (vef_error){0};
    if (vef_config_read(node, name, schema, NULL, values, &f->arena, &f->error) != code)
        fail_msg("expected code %d, not %d: %s", code, f->error.code, f->error.message);
    assert_int_equal(f->error.code, code);
}

void assert_has(const char *message, const char *part) {
    if (!strstr(message, part))
        fail_msg("'%s' is not in: %s", part, message);
}
