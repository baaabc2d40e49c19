/* A library that harms a program in the way that its file name ends with, "-WAY.so", preloaded by
 * tests/capture/test_harmless.sh: the comparison of tests/harmless/run.sh must notice each way. It
 * harms only programs called "look". */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static bool harms(const char *way) {
    Dl_info self;
    char ending[64];
    if (strcmp(program_invocation_short_name, "look") != 0 || dladdr(harms, &self) == 0)
        return false;
    snprintf(ending, sizeof ending, "-%s.so", way);
    return strstr(self.dli_fname, ending) != NULL;
}

static void ignore(int number) {
    (void)number;
}

static void at_exit(void) {
    if (harms("status"))
        _exit(5);
    if (harms("signal"))
        raise(SIGTERM);
    if (harms("mode"))
        chmod("../file-0-0", 0640);
    if (harms("size"))
        truncate("../file-0-0", 2);
    if (harms("missing"))
        unlink("../file-0-0");
}

__attribute__((constructor)) static void spoil(void) {
    atexit(at_exit);
    if (harms("output"))
        write(STDOUT_FILENO, "spoiled\n", 8);
    if (harms("errors"))
        write(STDERR_FILENO, "spoiled\n", 8);
    if (harms("handler"))
        signal(SIGTERM, ignore);
    if (harms("mask")) {
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, SIGUSR2);
        sigprocmask(SIG_BLOCK, &set, NULL);
    }
    if (harms("descriptor"))
        open("/etc/passwd", O_RDONLY);
    if (harms("environment"))
        setenv("SPOILED", "1", 1);
    if (harms("limit")) {
        struct rlimit limit;
        getrlimit(RLIMIT_NOFILE, &limit);
        limit.rlim_cur--;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    if (harms("file"))
        close(open("spoiled", O_WRONLY | O_CREAT, 0666));
    if (harms("umask"))
        umask(077);
    if (harms("slack"))
        prctl(PR_SET_TIMERSLACK, 1);
    if (harms("rounding"))
        fesetround(FE_DOWNWARD);
    if (harms("folder"))
        chdir("/");
    if (harms("hang"))
        for (;;)
            pause();
}

/* One byte of what the program writes by write(). */
ssize_t write(int descriptor, const void *bytes, size_t size) {
    ssize_t (*next)(int, const void *, size_t) =
        (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    if (descriptor > 2 && size > 3 && memcmp(bytes, "file", 4) == 0 && harms("content"))
        bytes = memcpy(memcpy(malloc(size), bytes, size), "fine", 4);
    return next(descriptor, bytes, size);
}
