/* The state of recording, and reports that the trace lacks something: see recorder.h. */
#include "capture/recorder.h"
#include "common/system/descriptor.h"

#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LINE_BYTES = VEF_MESSAGE_BYTES + 32 };

static atomic_bool not_yet;
vef_recorder vef_capture = {.lock = PTHREAD_MUTEX_INITIALIZER, .recording = &not_yet};
_Thread_local vef_thread *vef_thread_here;

bool vef_leave_mark(const char *line, int flags) {
    char path[VEF_FOLDER_BYTES + 32];
    snprintf(path, sizeof path, "%s/lost-%06u", vef_capture.folder, vef_capture.task);
    if (vef_capture.folder[0] == '\0')
        return false;
    int mark = vef_open_high(path, O_WRONLY | O_CREAT | O_APPEND | flags);
    if (mark < 0)
        return (flags & O_EXCL) != 0 && errno == EEXIST;
    ssize_t written = vef_size_is_allowed(2 * LINE_BYTES) ? write(mark, line, strlen(line)) : 0;
    close(mark);
    return written == (ssize_t)strlen(line);
}

/* Writes to the standard error that the process began with: not if the program has closed it, if
 * its number is that of another file, or if writing would block or raise a signal. */
static void say(const char *line) {
    struct stat now;
    struct pollfd ready = {.fd = STDERR_FILENO, .events = POLLOUT};
    if (vef_capture.errors.st_ino == 0 || fstat(STDERR_FILENO, &now) != 0 ||
        now.st_ino != vef_capture.errors.st_ino || now.st_dev != vef_capture.errors.st_dev ||
        poll(&ready, 1, 0) != 1 || ready.revents != POLLOUT ||
        !vef_size_is_allowed((uint64_t)now.st_size + LINE_BYTES))
        return;
    ssize_t written = dprintf(STDERR_FILENO, "vef: %s", line);
    (void)written; /* nothing is left to report to */
}

void vef_report_loss(const char *format, ...) {
    char text[VEF_MESSAGE_BYTES], line[LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    snprintf(line, sizeof line, "task %u: %s\n", vef_capture.task, text);
    if (!vef_leave_mark(line, 0))
        say(line);
}
