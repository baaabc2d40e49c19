/* The pipe from the process that reads the archive. See stream.h. */
#include "interchange/otf2/stream.h"

#ifdef VEF_HAVE_OTF2

#include "common/grow.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* No definition is longer: 2^24 tasks in a group. */
enum { MOST_PAYLOAD = 8 << 24 };

vef_code vef_otf2_stream_open(vef_otf2_stream *self, const vef_otf2_wanted *wanted,
                              vef_error *error) {
    int ends[2];
    *self = (vef_otf2_stream){.path = wanted->path};
    if (access(wanted->path, R_OK) != 0)
        return vef_fail_errno(error, "%s", wanted->path);
    if (pipe(ends) != 0)
        return vef_fail_errno(error, "a pipe");
    fflush(NULL); /* the child has no output of its own to write twice */
    self->child = fork();
    if (self->child == 0) {
        close(ends[0]);
        vef_otf2_child(wanted, ends[1]);
        _exit(0);
    }
    close(ends[1]);
    if (self->child < 0) {
        close(ends[0]);
        self->child = 0;
        return vef_fail_errno(error, "a process that reads %s", wanted->path);
    }
    self->from = fdopen(ends[0], "r");
    if (!self->from) {
        const vef_code code = vef_fail_errno(error, "a pipe");
        close(ends[0]);
        vef_otf2_stream_close(self);
        return code;
    }
    setvbuf(self->from, NULL, _IOFBF, 1 << 16);
    return VEF_OK;
}

/* The child wrote no last record. */
static vef_code ended(vef_otf2_stream *self, vef_error *error) {
    int status = 0;
    const pid_t child = self->child;
    self->child = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
        return vef_fail(error, VEF_CORRUPT,
                        "%s: libotf2 finds no further record in 20 s of processor time: the "
                        "archive is damaged",
                        self->path);
    if (WIFSIGNALED(status))
        return vef_fail(error, VEF_CORRUPT,
                        "%s: libotf2 crashed while it read (signal %d): the archive is damaged",
                        self->path, WTERMSIG(status));
    return vef_fail(error, VEF_CORRUPT, "%s: libotf2 ended while it read (status %d)", self->path,
                    WEXITSTATUS(status));
}

vef_code vef_otf2_stream_next(vef_otf2_stream *self, vef_otf2_record *record, vef_error *error) {
    if (fread(record, sizeof *record, 1, self->from) != 1)
        return ended(self, error);
    if (record->bytes > MOST_PAYLOAD)
        return vef_fail(error, VEF_CORRUPT, "%s: a definition of %u bytes", self->path,
                        record->bytes);
    if (record->bytes > 0 || !self->payload) {
        vef_grow(&self->payload, &self->payload_room, record->bytes + 1ull, 1);
        if (record->bytes > 0 && fread(self->payload, record->bytes, 1, self->from) != 1)
            return ended(self, error);
    }
    self->payload[record->bytes] = 0;
    if (record->type == VEF_OTF2_END && record->bytes > 0)
        return vef_fail(error, VEF_CORRUPT,
                        "%s: libotf2: %s: expected the file of an archive that names the others, "
                        "such as traces.otf2",
                        self->path, self->payload);
    return VEF_OK;
}

void vef_otf2_stream_close(vef_otf2_stream *self) {
    int status;
    if (self->from)
        fclose(self->from);
    self->from = NULL;
    if (self->child > 0) {
        kill(self->child, SIGKILL);
        while (waitpid(self->child, &status, 0) < 0 && errno == EINTR) {
        }
    }
    self->child = 0;
    free(self->payload);
    self->payload = NULL;
    self->payload_room = 0;
}

#endif
