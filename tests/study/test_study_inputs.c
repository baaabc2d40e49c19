/* The contents of inputs: a file in a known state is not read again, one in another state is; and
 * what a process and its own processes and threads open is recorded. */
#include "common/arena.h"
#include "common/system/file.h"
#include "study/inputs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *scratch(const char *name) {
    static char paths[8][1024];
    static int next;
    char *path = paths[next++ % 8];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof *paths, "%s/%s-%d", folder ? folder : "/tmp", name, (int)getpid());
    return path;
}

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static vef_hash hash_of(const char *text) {
    vef_hash hash = vef_hash_begin();
    vef_hash_add(&hash, text, strlen(text));
    return hash;
}

static void assert_hash(const vef_study_input *input, vef_hash hash) {
    assert_true(input->hash.low == hash.low && input->hash.high == hash.high);
}

/* A list of one input of an earlier result, with a hash that no content has. */
static const vef_node *earlier(const char *path, const vef_input_state *state, vef_arena *arena) {
    char text[4096];
    vef_node *root = NULL;
    vef_error error;
    snprintf(text, sizeof text,
             "inputs: [{file: '%s', hash: '00000000000000010000000000000002', state: '%" PRIu64
             " %" PRIu64 " %" PRId64 " %" PRId64 "'}]",
             path, state->inode, state->bytes, state->modified_ns, state->changed_ns);
    assert_int_equal(vef_config_parse(text, "text", arena, &root, &error), VEF_OK);
    return vef_node_get(root, "inputs");
}

static void known_states_are_not_read(void **unused) {
    (void)unused;
    const char *path = scratch("known");
    vef_study_inputs inputs = {0};
    vef_arena arena = {0};
    vef_input_state state;
    vef_study_input found;
    vef_error error;
    write_file(path, "content");
    assert_true(vef_input_look(path, &state) && state.present && state.bytes == 7);
    vef_study_inputs_learn(&inputs, earlier(path, &state, &arena));
    assert_int_equal(vef_study_inputs_get(&inputs, path, false, &found, &error), VEF_OK);
    assert_hash(&found, (vef_hash){.high = 1, .low = 2});
    vef_study_inputs_free(&inputs);
    vef_arena_release(&arena);
    unlink(path);
}

static void other_states_are_read(void **unused) {
    (void)unused;
    const char *path = scratch("other");
    vef_error error;
    write_file(path, "content");
    for (int member = 0; member < 4; member++) {
        vef_study_inputs inputs = {0};
        vef_arena arena = {0};
        vef_input_state state;
        vef_study_input found;
        const char *changed = NULL;
        vef_input_look(path, &state);
        state.inode += member == 0;
        state.bytes += member == 1;
        state.modified_ns += member == 2;
        state.changed_ns += member == 3;
        const vef_node *list = earlier(path, &state, &arena);
        vef_study_inputs_learn(&inputs, list);
        assert_int_equal(vef_study_inputs_get(&inputs, path, false, &found, &error), VEF_OK);
        assert_hash(&found, hash_of("content"));
        changed = vef_study_inputs_compare(&inputs, list);
        assert_string_equal(changed, path);
        vef_study_inputs_free(&inputs);
        vef_arena_release(&arena);
    }
    unlink(path);
}

static void changes_are_seen_when_looked_at_again(void **unused) {
    (void)unused;
    const char *path = scratch("again");
    vef_study_inputs inputs = {0};
    vef_study_input found;
    vef_error error;
    write_file(path, "content");
    assert_int_equal(vef_study_inputs_get(&inputs, path, false, &found, &error), VEF_OK);
    write_file(path, "comment"); /* as long, and maybe within one step of the clock */
    assert_int_equal(vef_study_inputs_get(&inputs, path, true, &found, &error), VEF_OK);
    assert_hash(&found, hash_of("comment"));
    unlink(path);
    assert_int_equal(vef_study_inputs_get(&inputs, path, true, &found, &error), VEF_OK);
    assert_false(found.state.present);
    vef_study_inputs_free(&inputs);
}

static void *open_one(void *path) {
    const int file = vef_input_open(path, 0);
    if (file >= 0)
        close(file);
    return NULL;
}

static void what_is_opened_is_recorded(void **unused) {
    (void)unused;
    char number[16];
    const int record = memfd_create("inputs", MFD_CLOEXEC);
    assert_true(record >= 0 && fcntl(record, F_SETFL, O_APPEND) == 0);
    char *names[] = {strdup(scratch("a b")), strdup(scratch("c,d")), strdup(scratch("none")),
                     strdup(scratch("text"))};
    for (int i = 0; i < 4; i++)
        if (i != 2)
            write_file(names[i], "content");
    snprintf(number, sizeof number, "%d", record);
    setenv(VEF_INPUTS_VARIABLE, number, 1);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, open_one, names[0]), 0);
    const pid_t child = fork();
    if (child == 0) {
        open_one(names[1]);
        open_one(names[2]);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    pthread_join(thread, NULL);
    char *text = NULL;
    vef_error error;
    assert_int_equal(vef_file_read(names[3], 100, &text, NULL, &error), VEF_OK);
    free(text);
    unsetenv(VEF_INPUTS_VARIABLE);
    open_one(names[3]);
    vef_study_inputs inputs = {0}, read = {0};
    const char *const keyed[3] = {NULL};
    assert_int_equal(vef_study_inputs_collect(&inputs, record, keyed, &read, &error), VEF_OK);
    assert_int_equal(read.count, 4);
    for (size_t i = 0; i < read.count; i++) {
        size_t n = 0;
        while (n < 4 && strcmp(names[n], read.list[i].path) != 0)
            n++;
        assert_true(n < 4);
        assert_int_equal(read.list[i].state.present, n != 2);
        if (n != 2)
            assert_hash(&read.list[i], hash_of("content"));
    }
    vef_study_inputs_free(&read);
    vef_study_inputs_free(&inputs);
    for (int i = 0; i < 4; i++) {
        unlink(names[i]);
        free(names[i]);
    }
    close(record);
}

/* A value that names no record: nothing is written anywhere. */
static void other_descriptors_are_left_alone(void **unused) {
    (void)unused;
    int ends[2];
    char number[16], got;
    assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
    snprintf(number, sizeof number, "%d", ends[1]);
    const char *values[] = {number, "", "x", "-1", "99999999999999999999", "1x"};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        setenv(VEF_INPUTS_VARIABLE, values[i], 1);
        open_one((void *)(uintptr_t) "/dev/null");
    }
    unsetenv(VEF_INPUTS_VARIABLE);
    assert_true(read(ends[0], &got, 1) < 0);
    close(ends[0]);
    close(ends[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_states_are_not_read),
        cmocka_unit_test(other_states_are_read),
        cmocka_unit_test(changes_are_seen_when_looked_at_again),
        cmocka_unit_test(what_is_opened_is_recorded),
        cmocka_unit_test(other_descriptors_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
