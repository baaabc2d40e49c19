/* The progress of a replay: it goes on while one message is under way for long, by the simulated
 * time, and what is replayed does not depend on whether it is shown. */
#include "tests/replay/script.h"

#include "common/progress.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* A network that delivers its one message after a second of simulated time, and works 0.8 s for
 * that: more than the pause between two lines of progress in each half of it. */
enum { CYCLES = 1000000000, WORK_NS = 800000000 };
static struct {
    uint64_t now, id;
    unsigned advances;
    bool under_way;
    vef_net_delivery delivery;
} slow;

static vef_code inject(vef_netmodel *model, const vef_net_message *message, vef_error *error) {
    (void)model, (void)error;
    slow.id = message->id;
    slow.under_way = true;
    return VEF_OK;
}

static vef_code advance(vef_netmodel *model, uint64_t limit, const vef_net_delivery **deliveries,
                        size_t *count, vef_error *error) {
    (void)model, (void)error;
    bool arrives = slow.under_way && limit >= CYCLES;
    uint64_t until = arrives ? CYCLES : slow.under_way ? limit : slow.now;
    double ns = (double)(until - slow.now) / CYCLES * WORK_NS;
    nanosleep(&(struct timespec){.tv_nsec = (long)ns}, NULL);
    slow.now = until;
    slow.advances++;
    slow.under_way = slow.under_way && !arrives;
    slow.delivery = (vef_net_delivery){.id = slow.id, .time_cycles = CYCLES, .endpoint = 1};
    *deliveries = &slow.delivery;
    *count = arrives;
    return VEF_OK;
}

static uint64_t now(const vef_netmodel *model) {
    (void)model;
    return slow.now;
}

static void statistics(const vef_netmodel *model, vef_net_statistics *figures) {
    (void)model;
    *figures = (vef_net_statistics){0};
}

static bool deadlock(const vef_netmodel *model, char *text, size_t text_bytes) {
    (void)model, (void)text, (void)text_bytes;
    return false;
}

static vef_replay_result replay(vef_progress *progress) {
    static const vef_netmodel_kind kind = {.name = "slow",
                                           .inject = inject,
                                           .advance = advance,
                                           .now = now,
                                           .statistics = statistics,
                                           .deadlock = deadlock};
    vef_netmodel network = {
        .kind = &kind, .endpoints = 2, .bandwidth_bits_per_s = 32000000000, .phit_bytes = 4};
    memset(&slow, 0, sizeof slow);
    script *s = script_new(2);
    say_send(s, 0, 0, 1, 8, 0);
    say_receive(s, 1, 0, 0);
    say_finalize_all(s);
    for (uint32_t task = 0; task < 2; task++)
        s->task[task].thread[0].current = s->task[task].thread[0].first;
    const uint32_t mapping[] = {0, 1};
    vef_replay_options options = vef_replay_defaults();
    vef_replay_result result;
    vef_error error = {0};
    if (vef_replay_source(&s->source, &network, mapping, &options, progress, &result, &error))
        fail_msg("%s", error.message);
    script_free(s);
    return result;
}

/* Replays with stderr in a file, and progress shown as if that were a terminal. */
static vef_replay_result replay_shown(char *text, size_t room) {
    FILE *file = tmpfile();
    assert_non_null(file);
    fflush(stderr);
    int old = dup(STDERR_FILENO);
    assert_true(old >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
    vef_progress progress = {.what = "replaying", .shown = true};
    vef_replay_result result = replay(&progress);
    fflush(stderr);
    dup2(old, STDERR_FILENO);
    close(old);
    rewind(file);
    text[fread(text, 1, room - 1, file)] = '\0';
    fclose(file);
    return result;
}

static void test_one_long_message(void **state) {
    (void)state;
    static char text[1 << 16];
    vef_replay_result shown = replay_shown(text, sizeof text);
    assert_true(slow.advances > 2);
    double first = 0, last = 0;
    unsigned lines = 0;
    for (const char *cursor = text; (cursor = strstr(cursor, "\rreplaying: ")) != NULL; cursor++) {
        const char *unit = strstr(cursor, " s simulated"), *end = strchr(cursor + 1, '\r');
        if (!unit || (end && unit > end))
            fail_msg("no simulated time in '%s'", cursor);
        while (unit[-1] != ' ')
            unit--;
        double simulated = strtod(unit, NULL);
        if (simulated < last)
            fail_msg("%f s after %f s: %s", simulated, last, text);
        assert_true(simulated <= 1);
        first = lines == 0 ? simulated : first;
        last = simulated;
        lines++;
    }
    assert_true(lines >= 2); /* one at once, one after the first pause at the latest */
    assert_true(last > first);
    vef_replay_result hidden = replay(NULL);
    assert_int_equal(slow.advances, 1); /* one order, to the delivery */
    assert_int_equal(ns_of(shown.time_ps), CYCLES);
    assert_int_equal(ns_of(hidden.time_ps), ns_of(shown.time_ps));
    assert_int_equal(hidden.events, shown.events);
    vef_replay_result_release(&shown);
    vef_replay_result_release(&hidden);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_long_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
