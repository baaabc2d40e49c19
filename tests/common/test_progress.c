/* Progress: one line rewritten in place on a terminal, with the time left; nothing elsewhere. */
#include "common/progress.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Puts `fd` in the place of stderr and gives back the old one. */
static int redirect(int fd) {
    fflush(stderr);
    int old = dup(STDERR_FILENO);
    assert_true(old >= 0 && dup2(fd, STDERR_FILENO) >= 0);
    return old;
}

static void restore(int old) {
    fflush(stderr);
    dup2(old, STDERR_FILENO);
    close(old);
}

/* A quarter of the work in 4,000 s: written at most five times a second, though updated often. */
static void work(uint64_t total) {
    vef_progress progress;
    vef_progress_begin(&progress, "replaying");
    for (int i = 0; i < 1000; i++)
        vef_progress_update(&progress, 1, total);
    progress.started_s -= 4000; /* as if it had begun then: the test need not wait */
    progress.last_s -= 4000;
    for (int i = 0; i < 1000; i++)
        vef_progress_update(&progress, 25, total);
    vef_progress_end(&progress);
    vef_progress_end(&progress);
    vef_progress_update(&progress, 26, total);
}

/* Skips the test where there are no pseudo-terminals (a bare chroot without /dev/pts). */
static void read_terminal(uint64_t total, char *text, size_t room) {
    int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    int inner = terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0
                    ? open(ptsname(terminal), O_RDWR | O_NOCTTY)
                    : -1;
    if (inner < 0)
        skip();
    int old = redirect(inner);
    work(total);
    restore(old);
    close(inner); /* now reading ends with EIO, after all that was written */
    size_t length = 0;
    for (ssize_t got; (got = read(terminal, text + length, room - 1 - length)) > 0;)
        length += (size_t)got;
    text[length] = '\0';
    close(terminal);
}

static int count(const char *text, const char *part) {
    int found = 0;
    for (; (text = strstr(text, part)); text++)
        found++;
    return found;
}

static void test_terminal(void **state) {
    (void)state;
    char text[4096];
    read_terminal(100, text, sizeof text);
    /* Three times the 4,000 s spent are left: 3 h 20 min, and what the machine has dawdled since.
     */
    assert_non_null(strstr(text, "\rreplaying: 25 %, 3:2"));
    assert_non_null(strstr(text, " left\033[K"));
    assert_in_range(count(text, "replaying"), 1, 100); /* of the 1,000 updates */
    const char *end = "\r\033[K";
    assert_string_equal(text + strlen(text) - strlen(end), end);
}

static void test_unknown_total(void **state) {
    (void)state;
    char text[4096];
    read_terminal(0, text, sizeof text);
    assert_non_null(strstr(text, "\rreplaying: 25, 1:06:4")); /* 4,000 s */
    assert_non_null(strstr(text, " so far\033[K"));
}

static void test_not_a_terminal(void **state) {
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    int old = redirect(ends[1]);
    work(100);
    restore(old);
    close(ends[1]);
    char byte;
    assert_int_equal(read(ends[0], &byte, 1), 0);
    close(ends[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_terminal),
        cmocka_unit_test(test_unknown_total),
        cmocka_unit_test(test_not_a_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
