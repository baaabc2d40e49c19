/* Files: an output is there whole or not at all, whatever fails; messages name the path. Each test
 * of an output runs with and without /proc, so with outputs that have no name before the commit
 * (where the file system allows that) and with those that have one. */
#include "common/system/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[256];
static bool proc_is_missing;

/* Takes the place of libc's, for the program under test too. */
int access(const char *path, int mode) {
    if (proc_is_missing && strncmp(path, "/proc/", 6) == 0) {
        errno = ENOENT;
        return -1;
    }
    return faccessat(AT_FDCWD, path, mode, 0);
}

/* What becomes of a file, in order: f fsync of a file, n a name for it, d fsync of a folder. */
static char happened[64];
static int fsyncs_left = -1, fsync_errno; /* -1: none fails */

static void note_step(char step) {
    const size_t length = strlen(happened);
    if (length + 1 < sizeof happened)
        happened[length] = step;
}

/* Take the places of libc's, as above. */
int fsync(int file) {
    struct stat about;
    if (fstat(file, &about) != 0)
        return -1;
    note_step(S_ISDIR(about.st_mode) ? 'd' : 'f');
    if (fsyncs_left-- != 0)
        return 0;
    errno = fsync_errno;
    return -1;
}

int rename(const char *from, const char *to) {
    note_step('n');
    return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

static void expect_steps(const char *expected) {
    assert_string_equal(happened, expected);
    memset(happened, 0, sizeof happened);
}

static int hide_proc(void **state) {
    (void)state;
    proc_is_missing = true;
    return 0;
}

static int make_folder(void **state) {
    (void)state;
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/vef-file-XXXXXX", base ? base : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

static const char *in_folder(const char *name) {
    static char path[2][600];
    static int next;
    next = !next;
    snprintf(path[next], sizeof path[next], "%s%s%s", folder, *name ? "/" : "", name);
    return path[next];
}

static void put(const char *name, const char *text) {
    FILE *out = fopen(in_folder(name), "w");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
}

static void assert_content(const char *name, const char *expected) {
    char *text;
    size_t bytes;
    vef_error error;
    if (vef_file_read(in_folder(name), 1 << 20, &text, &bytes, &error))
        fail_msg("%s", error.message);
    assert_int_equal(bytes, strlen(expected));
    assert_string_equal(text, expected);
    free(text);
}

/* How many files the folder holds: a leftover would be one more. */
static int files_there(void) {
    DIR *listing = opendir(folder);
    assert_non_null(listing);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(listing));)
        count += entry->d_name[0] != '.';
    closedir(listing);
    return count;
}

/* Outputs under way have a name each, or none. */
static void assert_under_way(int outputs, int finished) {
    const int there = files_there();
    assert_true(there >= finished && there <= finished + outputs);
    if (proc_is_missing)
        assert_int_equal(there, finished + outputs);
}

static int empty_folder(void **state) {
    (void)state;
    proc_is_missing = false;
    DIR *listing = opendir(folder);
    for (struct dirent *entry; listing && (entry = readdir(listing));)
        if (entry->d_name[0] != '.')
            remove(in_folder(entry->d_name));
    return listing ? closedir(listing) : -1;
}

static int remove_folder(void **state) {
    empty_folder(state);
    return rmdir(folder);
}

static void assert_names(const vef_error *error, const char *name, const char *part) {
    if (!strstr(error->message, in_folder(name)) || !strstr(error->message, part))
        fail_msg("expected '%s' and '%s' in: %s", in_folder(name), part, error->message);
}

static void test_commit(void **state) {
    (void)state;
    put("a.out", "old");
    vef_output output;
    assert_int_equal(vef_output_open(&output, in_folder("a.out"), NULL), VEF_OK);
    fputs("ne", output.stream);
    assert_int_equal(vef_output_write(&output, "w", 1, NULL), VEF_OK);
    fflush(output.stream);
    assert_content("a.out", "old");
    assert_under_way(1, 1);
    assert_int_equal(vef_output_commit(&output, NULL), VEF_OK);
    assert_content("a.out", "new");
    assert_int_equal(files_there(), 1);
    vef_output_discard(&output); /* nothing left to do */
    assert_content("a.out", "new");
    struct stat made;
    mode_t mask = umask(0);
    umask(mask);
    assert_int_equal(stat(in_folder("a.out"), &made), 0);
    assert_int_equal(made.st_mode & 0777, 0666 & ~mask);
}

static vef_code write_text(const char *name, const char *text, bool more_follow, vef_error *error) {
    vef_output output;
    assert_int_equal(vef_output_open(&output, in_folder(name), error), VEF_OK);
    assert_int_equal(vef_output_write(&output, text, strlen(text), error), VEF_OK);
    output.more_follow = more_follow;
    return vef_output_commit(&output, error);
}

/* The content is on the disk before the file has its name, and the name is before the commit has
 * succeeded. Each failure is one of the write; a folder that cannot be synchronised is none. */
static void test_synchronised(void **state) {
    (void)state;
    vef_error error;
    put("a.out", "old");
    memset(happened, 0, sizeof happened);
    assert_int_equal(write_text("a.out", "new", false, &error), VEF_OK);
    expect_steps("fnd");
    assert_int_equal(write_text("a.out", "part", true, &error), VEF_OK);
    expect_steps("fn");
    fsync_errno = EIO;
    fsyncs_left = 0;
    assert_int_equal(write_text("a.out", "lost", false, &error), VEF_IO);
    assert_names(&error, "a.out", strerror(EIO));
    expect_steps("f");
    assert_content("a.out", "part");
    assert_int_equal(files_there(), 1);
    fsyncs_left = 1;
    assert_int_equal(write_text("a.out", "named", false, &error), VEF_IO);
    assert_names(&error, "a.out", strerror(EIO));
    expect_steps("fnd");
    for (int i = 0; i < 2; i++) {
        fsync_errno = i ? ENOTSUP : EINVAL;
        fsyncs_left = 1;
        assert_int_equal(write_text("a.out", "good", false, &error), VEF_OK);
        assert_content("a.out", "good");
    }
    fsyncs_left = -1;
    assert_int_equal(files_there(), 1);
}

static mode_t mode_of(const char *name) {
    struct stat made;
    assert_int_equal(stat(in_folder(name), &made), 0);
    return made.st_mode & 07777;
}

static void test_mode(void **state) {
    (void)state;
    static const mode_t modes[] = {0640, 0600, 0444, 0666, 0755};
    vef_error error;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        put("a.out", "old");
        assert_int_equal(chmod(in_folder("a.out"), modes[i]), 0);
        assert_int_equal(write_text("a.out", "new", false, &error), VEF_OK);
        assert_content("a.out", "new");
        assert_int_equal(mode_of("a.out"), modes[i]);
        remove(in_folder("a.out"));
    }
}

/* Of another user and group, which only root can test. */
static void test_owner(void **state) {
    (void)state;
    enum { USER = 12345, GROUP = 23456 };
    vef_error error;
    struct stat made;
    if (geteuid() != 0) {
        puts("skipped: the owner of a replaced file: not root");
        return;
    }
    put("a.out", "old");
    assert_int_equal(chown(in_folder("a.out"), USER, GROUP), 0);
    assert_int_equal(chmod(in_folder("a.out"), 0640), 0);
    assert_int_equal(write_text("a.out", "new", false, &error), VEF_OK);
    assert_int_equal(stat(in_folder("a.out"), &made), 0);
    assert_int_equal(made.st_uid, USER);
    assert_int_equal(made.st_gid, GROUP);
    /* Without the right to give it away the group would be another one: it gets nothing. */
    const pid_t child = fork();
    if (child == 0) {
        vef_output output;
        struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
        struct __user_cap_data_struct sets[2];
        if (syscall(SYS_capget, &header, sets) != 0)
            _exit(2);
        sets[0].effective &= ~(1u << CAP_CHOWN);
        if (syscall(SYS_capset, &header, sets) != 0 ||
            vef_output_open(&output, in_folder("a.out"), NULL) != VEF_OK)
            _exit(3);
        fputs("newer", output.stream);
        _exit(vef_output_commit(&output, NULL) == VEF_OK ? 0 : 4);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_content("a.out", "newer");
    assert_int_equal(mode_of("a.out"), 0600);
}

static void test_seek_back(void **state) {
    (void)state;
    vef_output output;
    assert_int_equal(vef_output_open(&output, in_folder("a.out"), NULL), VEF_OK);
    fputs("____-body", output.stream);
    rewind(output.stream);
    fputs("head", output.stream);
    assert_int_equal(vef_output_commit(&output, NULL), VEF_OK);
    assert_content("a.out", "head-body");
}

static void test_discard(void **state) {
    (void)state;
    put("a.out", "old");
    vef_output output;
    assert_int_equal(vef_output_open(&output, in_folder("a.out"), NULL), VEF_OK);
    fputs("new", output.stream);
    vef_output_discard(&output);
    assert_content("a.out", "old");
    assert_int_equal(files_there(), 1);
}

/* A new name and one that is taken; the commit of an output that shall not replace anything fails.
 */
static void test_keep_existing(void **state) {
    (void)state;
    for (int taken = 0; taken < 2; taken++) {
        vef_output output;
        vef_error error;
        assert_int_equal(vef_output_open(&output, in_folder("a.out"), NULL), VEF_OK);
        fputs("new", output.stream);
        output.keep_existing = true;
        if (taken)
            put("a.out", "old");
        assert_int_equal(vef_output_commit(&output, &error), taken ? VEF_IO : VEF_OK);
        if (taken)
            assert_names(&error, "a.out", "File exists");
        assert_content("a.out", taken ? "old" : "new");
        assert_int_equal(files_there(), 1);
        unlink(in_folder("a.out"));
    }
}

/* A program that is killed while it writes leaves what was there; and, where the file system has
 * files without names, nothing else. */
static void test_killed(void **state) {
    (void)state;
    put("a.out", "old");
    const int unnamed = open(folder, O_TMPFILE | O_RDWR, 0600);
    const pid_t child = fork();
    if (child == 0) {
        vef_output output;
        if (vef_output_open(&output, in_folder("a.out"), NULL) == VEF_OK) {
            fputs("new", output.stream);
            fflush(output.stream);
        }
        kill(getpid(), SIGKILL);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_content("a.out", "old");
    assert_int_equal(files_there(), unnamed < 0 || proc_is_missing ? 2 : 1);
    if (unnamed >= 0)
        close(unnamed);
}

static void test_two_at_once(void **state) {
    (void)state;
    vef_output first, second;
    assert_int_equal(vef_output_open(&first, in_folder("a.out"), NULL), VEF_OK);
    assert_int_equal(vef_output_open(&second, in_folder("a.out"), NULL), VEF_OK);
    fputs("first", first.stream);
    fputs("second", second.stream);
    assert_int_equal(vef_output_commit(&first, NULL), VEF_OK);
    assert_content("a.out", "first");
    assert_int_equal(vef_output_commit(&second, NULL), VEF_OK);
    assert_content("a.out", "second");
    assert_int_equal(files_there(), 1);
}

/* A name as long as names may be leaves no room for a suffix; half a character is no name on every
 * file system. */
static void test_long_names(void **state) {
    (void)state;
    char name[NAME_MAX + 1];
    for (size_t length = 220; length <= NAME_MAX; length++) {
        vef_output output, second;
        vef_error error;
        memset(name, 'x', length);
        name[length] = '\0';
        assert_int_equal(vef_output_open(&output, in_folder(name), &error), VEF_OK);
        assert_int_equal(vef_output_open(&second, in_folder(name), &error), VEF_OK);
        assert_under_way(2, 0);
        vef_output_discard(&second);
        fputs("long", output.stream);
        assert_int_equal(vef_output_commit(&output, &error), VEF_OK);
        assert_content(name, "long");
        unlink(in_folder(name));
        assert_int_equal(files_there(), 0);
    }
}

static void assert_beside(const char *path, const char *suffix, const char *expected) {
    char *beside = vef_file_beside(path, suffix);
    assert_non_null(beside);
    assert_string_equal(beside, expected);
    free(beside);
}

static void test_beside(void **state) {
    (void)state;
    char name[600], expected[600];
    assert_beside("app.vef", ".part", "app.vef.part");
    assert_beside("a/b.c/app", ".2.vef", "a/b.c/app.2.vef");
    snprintf(name, sizeof name, "%s/%0255d", folder, 0);
    snprintf(expected, sizeof expected, "%s/%0250d.part", folder, 0);
    assert_beside(name, ".part", expected);
    /* 127 characters of 2 bytes, and the suffix takes 5 bytes: 125 of them are left. */
    for (int i = 0; i < 127; i++)
        memcpy(name + 2 * i, "\xc3\xa4", 3);
    snprintf(expected, sizeof expected, "%.250s.part", name);
    assert_beside(name, ".part", expected);
    snprintf(expected, sizeof expected, "%.248s.parts", name);
    assert_beside(name, ".parts", expected);
}

static void test_cannot_open(void **state) {
    (void)state;
    vef_output output;
    vef_error error;
    assert_int_equal(vef_output_open(&output, in_folder("none/a.out"), &error), VEF_IO);
    assert_names(&error, "none/a.out", "No such file or directory");
    assert_null(output.stream);
    vef_output_discard(&output);
    assert_int_equal(vef_output_open(&output, folder, &error), VEF_IO);
    assert_names(&error, "", "");
    assert_non_null(strstr(error.message, "it is a folder"));
}

static void test_symbolic_link(void **state) {
    (void)state;
    put("real", "old");
    assert_int_equal(symlink("real", in_folder("link")), 0);
    vef_output output;
    assert_int_equal(vef_output_open(&output, in_folder("link"), NULL), VEF_OK);
    fputs("new", output.stream);
    assert_int_equal(vef_output_commit(&output, NULL), VEF_OK);
    assert_content("real", "new");
    struct stat there;
    assert_int_equal(lstat(in_folder("link"), &there), 0);
    assert_true(S_ISLNK(there.st_mode));
}

/* A device is written in place, never replaced, and its full disk is reported: when only the
 * commit's flush finds it, when a write finds it, and when the result of that write was ignored. */
static void test_full_disk(void **state) {
    (void)state;
    static const char data[1 << 20];
    for (int i = 0; i < 3; i++) {
        vef_output output;
        vef_error error = {0};
        assert_int_equal(vef_output_open(&output, "/dev/full", NULL), VEF_OK);
        if (i == 2)
            fwrite(data, 1, sizeof data, output.stream);
        else
            assert_int_equal(vef_output_write(&output, data, i ? sizeof data : 10, &error),
                             i ? VEF_IO : VEF_OK);
        assert_int_equal(vef_output_commit(&output, &error), VEF_IO);
        assert_string_equal(error.message,
                            i == 2 ? "cannot write all of '/dev/full'; is the disk full?"
                                   : "cannot write '/dev/full': No space left on device");
    }
    struct stat there;
    assert_int_equal(stat("/dev/full", &there), 0);
    assert_true(S_ISCHR(there.st_mode));
}

/* A file that may not grow is a full disk that needs no root to make. */
static void fill_up(bool looked_at, vef_error *error) {
    static const char data[1 << 20];
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 4096;
    signal(SIGXFSZ, SIG_IGN);
    vef_output output;
    assert_int_equal(vef_output_open(&output, in_folder("a.out"), NULL), VEF_OK);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    vef_code written = VEF_IO;
    if (looked_at)
        written = vef_output_write(&output, data, sizeof data, NULL);
    else
        fwrite(data, 1, sizeof data, output.stream);
    vef_code committed = vef_output_commit(&output, error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(written, VEF_IO);
    assert_int_equal(committed, VEF_IO);
}

static void test_no_room(void **state) {
    (void)state;
    put("a.out", "old");
    for (int looked_at = 0; looked_at < 2; looked_at++) {
        vef_error error = {0};
        fill_up(looked_at, &error);
        assert_names(&error, "a.out", "File too large");
        assert_content("a.out", "old");
        assert_int_equal(files_there(), 1);
    }
}

static void test_read(void **state) {
    (void)state;
    char *text = NULL;
    size_t bytes;
    vef_error error;
    assert_int_equal(vef_file_read(in_folder("none"), 100, &text, NULL, &error), VEF_IO);
    assert_names(&error, "none", "No such file or directory");
    assert_int_equal(vef_file_read(folder, 100, &text, NULL, &error), VEF_IO);
    assert_names(&error, "", "Is a directory");
    put("ten", "0123456789");
    assert_int_equal(vef_file_read(in_folder("ten"), 9, &text, NULL, &error), VEF_INVALID);
    assert_names(&error, "ten", "9 bytes");
    assert_null(text);
    assert_int_equal(vef_file_read(in_folder("ten"), 10, &text, &bytes, NULL), VEF_OK);
    assert_int_equal(bytes, 10);
    free(text);
    assert_int_equal(vef_file_read("/dev/zero", 1 << 20, &text, NULL, NULL), VEF_INVALID);

    enum { LARGE = 1000003 };
    vef_output output;
    assert_int_equal(vef_output_open(&output, in_folder("large"), NULL), VEF_OK);
    for (int i = 0; i < LARGE; i++)
        fputc(i % 251, output.stream);
    assert_int_equal(vef_output_commit(&output, NULL), VEF_OK);
    assert_int_equal(vef_file_read(in_folder("large"), LARGE, &text, &bytes, NULL), VEF_OK);
    assert_int_equal(bytes, LARGE);
    for (int i = 0; i < LARGE; i++)
        if ((unsigned char)text[i] != i % 251)
            fail_msg("byte %d differs", i);
    free(text);
    put("empty", "");
    assert_content("empty", "");
}

#define ROW(test) cmocka_unit_test_teardown(test, empty_folder)
#define BOTH(test) ROW(test), cmocka_unit_test_setup_teardown(test, hide_proc, empty_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        BOTH(test_commit),        BOTH(test_seek_back),  BOTH(test_discard),
        BOTH(test_two_at_once),   BOTH(test_full_disk),  BOTH(test_no_room),
        BOTH(test_symbolic_link), BOTH(test_long_names), BOTH(test_keep_existing),
        BOTH(test_synchronised),  BOTH(test_mode),       BOTH(test_owner),
        BOTH(test_killed),        ROW(test_cannot_open), ROW(test_beside),
        ROW(test_read),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
