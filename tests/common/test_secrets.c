/* Secrets of a command line are masked, and nothing else is. */
#include "cli/capture/secrets.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *text, *masked;
} cases[] = {
    {"./a --token=abcd x", "./a --token=*** x"},
    {"./a -token=abcd", "./a -token=***"},
    {"./a --password hunter2 -n 4", "./a --password *** -n 4"},
    {"./a --DB_Passwd=abcd --api_key abcd", "./a --DB_Passwd=*** --api_key ***"},
    {"./a --api-key=abcd --apikey=abcd --apiKey abcd",
     "./a --api-key=*** --apikey=*** --apiKey ***"},
    {"env AWS_SECRET_ACCESS_KEY=abcd GITHUB_TOKEN=abcd ./a",
     "env AWS_SECRET_ACCESS_KEY=*** GITHUB_TOKEN=*** ./a"},
    {"password=abcd passphrase=abcd secret=abcd private-key=abcd credentials=abcd auth=abcd",
     "password=*** passphrase=*** secret=*** private-key=*** credentials=*** auth=***"},
    {"mpiexec -genv API_KEY abcd -n 2 ./a", "mpiexec -genv API_KEY *** -n 2 ./a"},
    {"mpiexec -n 2 -env TOKEN abcd ./a", "mpiexec -n 2 -env TOKEN *** ./a"},
    {"mpirun -x TOKEN=abcd,b ./a", "mpirun -x TOKEN=*** ./a"},
    /* quoted words */
    {"./a '--token=a b c' rest", "./a '--token=***' rest"},
    {"./a '--token=it'\\''s mine' rest", "./a '--token=***' rest"},
    {"./a --password 'a b c' rest", "./a --password '***' rest"},
    {"./a --password 'it'\\''s' rest", "./a --password '***' rest"},
    {"sh -c './a --api-key abcd --x; TOKEN=abcd ./b'",
     "sh -c './a --api-key *** --x; TOKEN=*** ./b'"},
    {"curl -H 'Authorization: Bearer abcd' host", "curl -H 'Authorization: ***' host"},
    {"./a '{\"token\": \"a\\\"b c\", \"x\": 1}'", "./a '{\"token\": \"***\", \"x\": 1}'"},
    {"curl 'https://host/?token=abcd'", "curl 'https://host/?token=***'"},
    /* no longer than the secret */
    {"./a --token=x y", "./a --token=* y"},
    /* no secret */
    {"", ""},
    {"./a --token", "./a --token"},
    {"./a --token=", "./a --token="},
    {"./a --password --verbose", "./a --password --verbose"},
    {"./a --max-tokens=5 --author=me token 5 --key 3 --pass 2", NULL},
    {"mpiexec -n 4 ./a secret abcd", NULL},
    {"curl http://host:80/a@b", NULL},
    {"./a --tokenizer=bpe password-file=abcd", NULL},
};

static void test_cases(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = strdup(cases[i].text);
        vef_mask_secrets(text);
        assert_string_equal(text, cases[i].masked ? cases[i].masked : cases[i].text);
        vef_mask_secrets(text); /* a trace that was masked may be masked again */
        assert_string_equal(text, cases[i].masked ? cases[i].masked : cases[i].text);
        free(text);
    }
}

/* Every text in which each of these bytes may follow each other. */
static void test_any_text(void **state) {
    (void)state;
    static const char *const parts[] = {"'",  "\"", "\\", " ",     "=", ":",
                                        "//", "@",  "-",  "token", "x"};
    enum { PARTS = sizeof parts / sizeof *parts, LONGEST = 5 };
    unsigned texts = 1;
    for (unsigned i = 0; i < LONGEST; i++)
        texts *= PARTS;
    for (unsigned number = 0; number < texts; number++) {
        char *text = calloc(1, LONGEST * 5 + 1);
        for (unsigned rest = number, i = 0; i < LONGEST; i++, rest /= PARTS)
            strcat(text, parts[rest % PARTS]);
        const size_t length = strlen(text);
        vef_mask_secrets(text);
        assert_true(strlen(text) <= length);
        free(text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_any_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
