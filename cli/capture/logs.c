/* The folder of the logs, and waiting for the tasks that write them: see logs.h.
 *
 * Tasks may outlive the command: a killed launcher leaves them running, and a script may start one
 * in the background. Locks show whether a task may still write (traces/log/lock.h). `vef capture`
 * is the subreaper of its descendants, so it notices at once when a task without a parent ends. */
#include "cli/capture/logs.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "common/clock.h"
#include "common/system/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

static const char closed_name[] = "closed"; /* capture/session.c looks for it */

vef_code vef_capture_logs_make(const char *output, bool force, char *logs, size_t bytes,
                               vef_error *error) {
    struct stat there;
    char absolute[PATH_MAX];
    if (stat(output, &there) == 0 && S_ISDIR(there.st_mode))
        return vef_fail(error, VEF_INVALID, "%s is a directory", output);
    vef_code code = vef_command_output(output, force, error);
    if (code)
        return code;
    char *made = vef_file_beside(output, ".logs-XXXXXX");
    if (mkdtemp(made) == NULL) {
        char copy[PATH_BYTES];
        free(made);
        snprintf(copy, sizeof copy, "%s", output);
        return vef_fail_errno(error, "%s: cannot create files in %s", output, dirname(copy));
    }
    const bool found = realpath(made, absolute) != NULL;
    free(made);
    if (!found)
        return vef_fail_errno(error, "%s", output);
    if (snprintf(logs, bytes, "%s", absolute) >= (int)bytes)
        return vef_fail(error, VEF_INVALID, "%s: path too long", absolute);
    return VEF_OK;
}

static bool ends_with(const char *name, const char *end) {
    size_t length = strlen(name), most = strlen(end);
    return length > most && strcmp(name + length - most, end) == 0;
}

static bool is_log(const char *name) {
    return strncmp(name, "task-", 5) == 0 && ends_with(name, ".vlog");
}

static bool is_loss(const char *name) {
    return strncmp(name, "lost-", 5) == 0;
}

static bool holds(const char *logs, bool (*is_one)(const char *name)) {
    bool found = false;
    DIR *directory = opendir(logs);
    if (directory == NULL)
        return false;
    for (struct dirent *entry; !found && (entry = readdir(directory)) != NULL;)
        found = is_one(entry->d_name);
    closedir(directory);
    return found;
}

bool vef_capture_logs_incomplete(const char *logs) {
    return holds(logs, is_loss);
}

/* ---- waiting ---- */

static void close_folder(const char *logs, bool closed) {
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s", logs, closed_name);
    int file = closed ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666) : -1;
    if (file >= 0)
        close(file);
    if (!closed)
        unlink(path);
}

/* Whether processes of the command still run: they are children of this one, their subreaper. Reaps
 * those that have ended. */
static bool processes_remain(void) {
    siginfo_t ended;
    int found;
    do {
        ended.si_pid = 0;
        found = waitid(P_ALL, 0, &ended, WEXITED | WNOHANG);
    } while (found == 0 && ended.si_pid != 0);
    return found == 0;
}

static bool lacks_logs(const vef_gathering *gathering) {
    for (size_t i = 0; i < gathering->count; i++)
        if (gathering->jobs[i].found < gathering->jobs[i].tasks)
            return true;
    return gathering->count == 0;
}

/* Whether tasks run, or may begin: logs are in use, or (with `may_begin`) some are missing and the
 * command has left processes. */
static vef_code look(const char *logs, bool may_begin, vef_gathering *gathering, bool *busy,
                     vef_error *error) {
    vef_code code = VEF_OK;
    vef_gathering_free(gathering);
    if (holds(logs, is_log))
        code = vef_gather(&logs, 1, gathering, error);
    if (gathering->count == 0 && gathering->empty > 0) /* ended as they began */
        code = VEF_OK;
    *busy = gathering->beginning > 0;
    for (size_t i = 0; i < gathering->count && !code; i++)
        *busy |= gathering->jobs[i].holder_count > 0;
    if (!code && !*busy && may_begin && lacks_logs(gathering))
        *busy = processes_remain();
    return code;
}

vef_code vef_capture_logs_wait(const char *logs, double wait_ns, vef_gathering *gathering,
                               vef_capture_wait *how, vef_error *error) {
    enum { SHORTEST_MS = 20, LONGEST_MS = 500, SAID_AFTER_NS = 1000000000 };
    double began = 1e9 * vef_now_s();
    bool busy = false, closed = false, said = false;
    vef_code code = look(logs, true, gathering, &busy, error);
    for (unsigned ms = SHORTEST_MS; !code; ms = 2 * ms < LONGEST_MS ? 2 * ms : LONGEST_MS) {
        double waited = 1e9 * vef_now_s() - began;
        bool over = waited >= wait_ns;
        *how = vef_interrupts_seen() ? VEF_CAPTURE_INTERRUPTED
               : busy                ? VEF_CAPTURE_RUNNING
                                     : VEF_CAPTURE_ENDED;
        if (*how == VEF_CAPTURE_INTERRUPTED || (busy && over) || (!busy && closed))
            break;
        if (busy && waited > SAID_AFTER_NS && !said) {
            said = true;
            fprintf(stderr,
                    "vef capture: the command has ended; waiting up to %.0f s for its tasks\n",
                    wait_ns / 1e9);
        }
        if (busy)
            vef_interrupts_wait(ms);
        else
            close_folder(logs, closed = true);
        /* Processes that outlast the wait may not be tasks: merges the existing logs then. */
        over = 1e9 * vef_now_s() - began >= wait_ns;
        code = look(logs, !closed && (!over || gathering->count == 0), gathering, &busy, error);
        busy = busy && (gathering->count > 0 || !closed);
    }
    if (closed && (code || *how != VEF_CAPTURE_ENDED))
        close_folder(logs, false);
    return code;
}
