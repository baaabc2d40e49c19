/* The process in which libotf2 runs. See archive.h. */
#include "interchange/otf2/archive.h"

#ifdef VEF_HAVE_OTF2

#include "common/memory.h"
#include "common/system/apart.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* Limits: processor time without a record, and memory. The library keeps a chunk of each open
 * location, and a definition at a time. */
enum { MOST_SECONDS = 20 };
#define MOST_MEMORY ((rlim_t)4 << 30)

/* Shared with the process. */
typedef struct isolated {
    vef_code (*work)(void *context, vef_error *error);
    void *context;
    vef_code code;
    vef_error error;
} isolated;

static void set_limit(int resource, rlim_t wanted) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0)
        return;
    limit.rlim_cur =
        limit.rlim_max == RLIM_INFINITY || wanted < limit.rlim_max ? wanted : limit.rlim_max;
    setrlimit(resource, &limit);
}

/* By a timer, which like the limit of a process counts in ticks: getrusage, which does not, may be
 * far behind on a busy virtual machine. */
void vef_otf2_renew_time(bool limited) {
    const struct itimerval timer = {.it_value.tv_sec = limited ? MOST_SECONDS : 0};
    setitimer(ITIMER_PROF, &timer, NULL);
}

static void run_work(void *context) {
    isolated *job = context;
    job->code = job->work(job->context, &job->error);
}

static bool run(void *context) {
    isolated *job = context;
    signal(SIGPROF, SIG_DFL);
    set_limit(RLIMIT_CORE, 0);
#ifndef __SANITIZE_ADDRESS__ /* its shadow is larger */
    set_limit(RLIMIT_DATA, MOST_MEMORY);
#endif
    vef_otf2_renew_time(true);
    const size_t lacking = vef_attempt(run_work, context);
    if (lacking > 0)
        job->code = vef_fail_memory(&job->error, "reading the archive", lacking);
    return true;
}

static vef_code explain(const char *path, int status, vef_error *error) {
    if (status < 0)
        return vef_fail_errno(error, "a process that reads %s", path);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF)
        return vef_fail(error, VEF_CORRUPT,
                        "%s: libotf2 finds no further record in %d s of processor time: the "
                        "archive is damaged",
                        path, MOST_SECONDS);
    if (WIFSIGNALED(status))
        return vef_fail(error, VEF_CORRUPT,
                        "%s: libotf2 crashed while it read (signal %d): the archive is damaged",
                        path, WTERMSIG(status));
    return vef_fail(error, VEF_CORRUPT, "%s: libotf2 ended while it read (status %d)", path,
                    WEXITSTATUS(status));
}

vef_code vef_otf2_isolate(const char *path, vef_code (*work)(void *context, vef_error *error),
                          void *context, vef_error *error) {
    if (access(path, R_OK) != 0)
        return vef_fail_errno(error, "%s", path);
    isolated *job = vef_apart_allocate(sizeof *job);
    *job = (isolated){.work = work, .context = context};
    const int status = vef_apart_run(&(vef_apart){.work = run, .context = job});
    const vef_code code = status == 0 ? job->code : explain(path, status, error);
    if (status == 0 && code && error)
        *error = job->error;
    vef_apart_free(job, sizeof *job);
    return code;
}

#endif
