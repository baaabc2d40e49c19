/* See trace_support.h. */
#include "tests/traces/trace_support.h"
#include "common/system/file.h"
#include "traces/check/check.h"
#include "traces/text/text.h"

#include <errno.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *scratch_path(const char *format, ...) {
    static char folder[512], paths[8][1024];
    static unsigned next;
    if (!folder[0]) {
        const char *base = getenv("TMPDIR");
        snprintf(folder, sizeof folder, "%s/vef-traces-XXXXXX", base ? base : "/tmp");
        assert_non_null(mkdtemp(folder));
    }
    char name[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static vef_log *begin_log(const char *directory, uint32_t task, uint32_t tasks, bool sites) {
    vef_log *log = NULL;
    char path[1200];
    assert_true(mkdir(directory, 0777) == 0 || errno == EEXIST);
    snprintf(path, sizeof path, "%s/task-%06u.vlog", directory, task);
    unlink(path);
    vef_log_header header = {.task = task,
                             .tasks = tasks,
                             .program = "./made by \"hand\"",
                             .library = "no MPI",
                             .clock = "wall",
                             .host = "here",
                             .started_ns = UINT64_C(1700000000000000000) + task,
                             .options = "",
                             .sites = sites};
    OK(vef_log_open(path, &header, &log, error));
    uint32_t *members = malloc(tasks * sizeof *members);
    assert_non_null(members);
    for (uint32_t i = 0; i < tasks; i++)
        members[i] = i;
    log_comm(log, VEF_NO_COMM, tasks, members);
    log_comm(log, VEF_NO_COMM, 1, &task);
    free(members);
    return log;
}

vef_log *log_begin(const char *directory, uint32_t task, uint32_t tasks) {
    return begin_log(directory, task, tasks, false);
}

vef_log *log_begin_with_sites(const char *directory, uint32_t task, uint32_t tasks) {
    return begin_log(directory, task, tasks, true);
}

void log_end(vef_log *log, vef_log_end end) {
    OK(vef_log_close(log, end, error));
}

void log_comm(vef_log *log, uint32_t parent, uint32_t size, const uint32_t *members) {
    vef_communicator comm = {.parent = parent,
                             .made_by = parent == VEF_NO_COMM ? VEF_CALL_Init : VEF_CALL_Comm_split,
                             .size = size,
                             .members = members};
    OK(vef_log_communicator(log, &comm, error));
}

void log_communicator(vef_log *log, vef_communicator communicator) {
    OK(vef_log_communicator(log, &communicator, error));
}

void log_event(vef_log *log, vef_event event) {
    if (event.repeats == 0)
        event.repeats = 1;
    if (vef_call_kind(event.call) != VEF_KIND_COMM)
        event.new_comm = VEF_NO_COMM;
    if (event.entered == 0 && event.left == 0) { /* in the order of writing, whatever the thread */
        static uint64_t ticks;
        event.entered = ticks++;
        event.left = ticks++;
    }
    OK(vef_log_event(log, &event, error));
}

void log_one(vef_log *log, vef_event event, vef_operation operation) {
    event.operation_count = 1;
    event.operations = &operation;
    log_event(log, event);
}

static void log_transfer(vef_log *log, uint16_t call, vef_operation operation) {
    if (operation.peer == VEF_ANY_SOURCE)
        operation.flags |= VEF_OP_ANY_SOURCE;
    if (operation.tag == VEF_ANY_TAG)
        operation.flags |= VEF_OP_ANY_TAG;
    operation.ordinal = VEF_NO_ORDINAL;
    log_one(log, (vef_event){.call = call}, operation);
}

void log_send(vef_log *log, int32_t to, int32_t tag, uint32_t comm, uint64_t bytes) {
    log_transfer(log, VEF_CALL_Send,
                 (vef_operation){VEF_OP_SEND, to, tag, comm, bytes, 0, VEF_NO_REQUEST});
}

void log_recv(vef_log *log, int32_t from, int32_t tag, uint32_t comm, uint64_t bytes) {
    log_transfer(log, VEF_CALL_Recv, (vef_operation){0, from, tag, comm, bytes, 0, VEF_NO_REQUEST});
}

void log_isend(vef_log *log, int32_t to, int32_t tag, uint32_t comm, uint64_t bytes,
               uint64_t request) {
    log_transfer(log, VEF_CALL_Isend,
                 (vef_operation){VEF_OP_SEND, to, tag, comm, bytes, 0, request});
}

void log_irecv(vef_log *log, int32_t from, int32_t tag, uint32_t comm, uint64_t request) {
    log_transfer(log, VEF_CALL_Irecv, (vef_operation){0, from, tag, comm, 0, 0, request});
}

void log_wait(vef_log *log, uint64_t request, int32_t source, int32_t tag, uint64_t bytes) {
    vef_completion completion = {request, false, source, tag, bytes};
    log_event(
        log, (vef_event){.call = VEF_CALL_Wait, .completion_count = 1, .completions = &completion});
}

static const void *copy_list(const void *list, size_t count, size_t size, vef_arena *arena) {
    if (count == 0)
        return NULL;
    void *copy = vef_arena_alloc(arena, count, size);
    assert_non_null(copy);
    return memcpy(copy, list, count * size);
}

vef_event copy_event(const vef_event *event, vef_arena *arena) {
    vef_event copy = *event;
    copy.operations =
        copy_list(event->operations, event->operation_count, sizeof *event->operations, arena);
    copy.completions =
        copy_list(event->completions, event->completion_count, sizeof *event->completions, arena);
    copy.send_bytes =
        copy_list(event->send_bytes, event->send_count, sizeof *event->send_bytes, arena);
    copy.receive_bytes =
        copy_list(event->receive_bytes, event->receive_count, sizeof *event->receive_bytes, arena);
    copy.peers = copy_list(event->peers, event->peer_count, sizeof *event->peers, arena);
    if (event->name)
        copy.name = copy_list(event->name, strlen(event->name) + 1, 1, arena);
    return copy;
}

event_list read_task(const char *path, uint32_t task) {
    event_list list = {0};
    vef_trace *trace = NULL;
    vef_stream *stream = NULL;
    const char *missing = NULL;
    size_t capacity = 0;
    OK(vef_trace_open(path, &trace, &missing, error));
    OK(vef_stream_open(trace, task, 0, &stream, error));
    for (const vef_event *event;;) {
        OK(vef_stream_next(stream, &event, error));
        if (!event)
            break;
        if (list.count == capacity) {
            capacity = 2 * capacity + 16;
            list.events = realloc(list.events, capacity * sizeof *list.events);
            assert_non_null(list.events);
        }
        list.events[list.count++] = copy_event(event, &list.arena);
    }
    vef_stream_close(stream);
    vef_trace_close(trace);
    return list;
}

void free_events(event_list *list) {
    free(list->events);
    vef_arena_release(&list->arena);
}

vef_merge_summary merge(const char *directory, const char *path) {
    vef_merge_summary summary;
    vef_merge_options options = {.command = "mpiexec -n 2 ./made"};
    OK(vef_merge(directory, path, &options, &summary, error));
    return summary;
}

void assert_same_event(const vef_event *a, const vef_event *b) {
    assert_int_equal(a->call, b->call);
    assert_int_equal(a->flags, b->flags);
    assert_int_equal(a->thread, b->thread);
    assert_int_equal(a->site, b->site);
    assert_true(a->gap_ns == b->gap_ns && a->duration_ns == b->duration_ns);
    assert_true(a->outside_ns == b->outside_ns);
    assert_true(a->entered == b->entered && a->left == b->left);
    assert_true(a->repeats == b->repeats);
    assert_int_equal(a->operation_count, b->operation_count);
    for (uint32_t i = 0; i < a->operation_count; i++) {
        const vef_operation *x = &a->operations[i], *y = &b->operations[i];
        assert_int_equal(x->flags, y->flags);
        assert_int_equal(x->peer, y->peer);
        assert_int_equal(x->tag, y->tag);
        assert_int_equal(x->comm, y->comm);
        assert_true(x->bytes == y->bytes && x->ordinal == y->ordinal && x->request == y->request);
    }
    assert_int_equal(a->completion_count, b->completion_count);
    for (uint32_t i = 0; i < a->completion_count; i++) {
        const vef_completion *x = &a->completions[i], *y = &b->completions[i];
        assert_true(x->request == y->request && x->cancelled == y->cancelled);
        assert_true(x->source == y->source && x->tag == y->tag && x->bytes == y->bytes);
    }
    assert_true(a->outside_ns == b->outside_ns);
    assert_true(a->entered == b->entered && a->left == b->left);
    vef_kind kind = vef_call_kind(a->call);
    if (kind == VEF_KIND_COLLECTIVE || kind == VEF_KIND_COMM || kind == VEF_KIND_SYNC)
        assert_int_equal(a->comm, b->comm);
    if (vef_event_starts_request(a))
        assert_true(a->request == b->request);
    if (kind == VEF_KIND_SYNC)
        assert_int_equal(a->peer_count, b->peer_count);
    for (uint32_t i = 0; kind == VEF_KIND_SYNC && i < a->peer_count; i++)
        assert_int_equal(a->peers[i], b->peers[i]);
    if (kind == VEF_KIND_REGION)
        assert_string_equal(a->name ? a->name : "", b->name ? b->name : "");
    assert_int_equal(a->new_comm, b->new_comm);
    if (kind == VEF_KIND_COLLECTIVE)
        assert_int_equal(a->root, b->root);
    assert_true(a->bytes == b->bytes && a->elements == b->elements);
    assert_int_equal(a->send_count, b->send_count);
    assert_int_equal(a->receive_count, b->receive_count);
    for (uint32_t i = 0; i < a->send_count; i++)
        assert_true(a->send_bytes[i] == b->send_bytes[i]);
    for (uint32_t i = 0; i < a->receive_count; i++)
        assert_true(a->receive_bytes[i] == b->receive_bytes[i]);
    assert_true(a->argument == b->argument);
    assert_int_equal(a->peer_count, b->peer_count);
    for (uint32_t i = 0; i < a->peer_count; i++)
        assert_int_equal(a->peers[i], b->peers[i]);
    assert_true((a->name == NULL) == (b->name == NULL));
    if (a->name)
        assert_string_equal(a->name, b->name);
}

static void tell(void *context, const char *sentence) {
    told *notes = context;
    size_t used = strlen(notes->text);
    snprintf(notes->text + used, sizeof notes->text - used, "%s\n", sentence);
}

uint64_t check_text(const char *text, uint64_t limit, told *notes) {
    const char *path = scratch_path("check.vef");
    vef_trace *trace = NULL;
    uint64_t faults = 0;
    vef_check_options options = {.limit = limit, .report = tell, .context = notes};
    notes->text[0] = '\0';
    OK(vef_text_assemble(text, strlen(text), "text", path, error));
    OK(vef_trace_open(path, &trace, NULL, error));
    OK(vef_check(trace, &options, &faults, error));
    vef_trace_close(trace);
    return faults;
}

char *sound_text(const char *path) {
    char *text = NULL;
    size_t bytes = 0;
    uint64_t faults = 0;
    vef_trace *trace = NULL;
    OK(vef_trace_open(path, &trace, NULL, error));
    const vef_check_options options = {.limit = 8};
    OK(vef_check(trace, &options, &faults, error));
    assert_int_equal(faults, 0);
    FILE *out = open_memstream(&text, &bytes);
    OK(vef_text_dump(trace, -1, out, error));
    fclose(out);
    vef_trace_close(trace);
    return text;
}

/* What follows these lines of a task. */
static const char *after_lines(const char *text, int task, const char *lines) {
    char head[32];
    size_t same = 0;
    snprintf(head, sizeof head, "\ntask %d\n", task);
    const char *from = strstr(text, head);
    assert_non_null(from);
    from += strlen(head);
    while (lines[same] && from[same] == lines[same])
        same++;
    if (lines[same])
        fail_msg("task %d: expected '%.60s', got '%.60s'", task, lines + same, from + same);
    return from + same;
}

void begins_task(const char *text, int task, const char *lines) {
    after_lines(text, task, lines);
}

void has_task(const char *text, int task, const char *lines) {
    static const char end[] = "end finalized\n";
    const char *rest = after_lines(text, task, lines);
    if (strncmp(rest, end, strlen(end)) != 0)
        fail_msg("task %d: expected its end, got '%.60s'", task, rest);
}

static int remove_entry(const char *path, const struct stat *about, int type, struct FTW *place) {
    (void)about, (void)type, (void)place;
    return remove(path);
}

void remove_folder(const char *path) {
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

unsigned char *slurp(const char *path, size_t *size) {
    char *text = NULL;
    OK(vef_file_read(path, 1u << 28, &text, size, error));
    return (unsigned char *)text;
}

void spill(const char *path, const void *bytes, size_t size) {
    unlink(path); /* a file cut to nothing and written again is one that ext4 waits for */
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}
