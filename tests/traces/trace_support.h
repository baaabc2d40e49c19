/* Helps the tests of traces: a folder of their own, logs made by hand, and events read back. */
#ifndef VEF_TESTS_TRACES_SUPPORT_H
#define VEF_TESTS_TRACES_SUPPORT_H

#include "common/arena.h"
#include "traces/file/trace.h"
#include "traces/log/log.h"
#include "traces/merge/merge.h"

#include <stdio.h>

/* A path below this test program's folder in $TMPDIR (made when needed); static, overwritten by the
 * eighth call after. */
const char *scratch_path(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Declares `folder`, a copy of a scratch path. */
#define FOLDER(...)                                                                                \
    char folder[1024];                                                                             \
    snprintf(folder, sizeof folder, "%s", scratch_path(__VA_ARGS__))

/* Asserts success, printing the message on failure. */
#define OK(call)                                                                                   \
    do {                                                                                           \
        vef_error error_ = {0};                                                                    \
        vef_error *error = &error_;                                                                \
        if ((call) != VEF_OK)                                                                      \
            fail_msg("%s: %s", #call, error_.message);                                             \
    } while (0)

/* Opens `directory`/task-….vlog with the world and self. The folder is made. */
vef_log *log_begin(const char *directory, uint32_t task, uint32_t tasks);
/* The same for a log whose events have call sites. */
vef_log *log_begin_with_sites(const char *directory, uint32_t task, uint32_t tasks);
void log_end(vef_log *log, vef_log_end end);

/* Adds a communicator of the given members. */
void log_comm(vef_log *log, uint32_t parent, uint32_t size, const uint32_t *members);

/* Adds a communicator of any kind: its `neighbours`, if any, has this task's own alone. */
void log_communicator(vef_log *log, vef_communicator communicator);

/* Adds events: everything not named is 0 or none. */
void log_event(vef_log *log, vef_event event);
void log_one(vef_log *log, vef_event event, vef_operation operation); /* with one operation */
void log_send(vef_log *log, int32_t to, int32_t tag, uint32_t comm, uint64_t bytes);
void log_recv(vef_log *log, int32_t from, int32_t tag, uint32_t comm, uint64_t bytes);
void log_isend(vef_log *log, int32_t to, int32_t tag, uint32_t comm, uint64_t bytes,
               uint64_t request);
void log_irecv(vef_log *log, int32_t from, int32_t tag, uint32_t comm, uint64_t request);
/* Wait for a receive that took this message; for a send (source VEF_NO_TASK). */
void log_wait(vef_log *log, uint64_t request, int32_t source, int32_t tag, uint64_t bytes);

/* All events of a task, with their lists, in memory. */
typedef struct event_list {
    size_t count;
    vef_event *events;
    vef_arena arena;
} event_list;
event_list read_task(const char *path, uint32_t task);
void free_events(event_list *list);
vef_event copy_event(const vef_event *event, vef_arena *arena);

/* Merges with success. */
vef_merge_summary merge(const char *directory, const char *path);

/* Asserts that two events are equal in every field. */
void assert_same_event(const vef_event *a, const vef_event *b);

/* The faults that vef_check reports of a trace written as text, a sentence per line; returns their
 * number.
 */
typedef struct told {
    char text[4096];
} told;
uint64_t check_text(const char *text, uint64_t limit, told *notes);

/* A trace without faults as text (vef_text_dump); free it. */
char *sound_text(const char *path);
/* The events of a task, which finalized, are exactly these lines of such a text; or they begin with
 * these lines. */
void has_task(const char *text, int task, const char *lines);
void begins_task(const char *text, int task, const char *lines);

/* Removes a folder and what is in it. */
void remove_folder(const char *path);

/* A whole file in memory (free), and back. */
unsigned char *slurp(const char *path, size_t *size);
void spill(const char *path, const void *bytes, size_t size);

#endif
