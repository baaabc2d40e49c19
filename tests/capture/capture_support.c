/* Real MPI programs under `vef capture`, and their traces as text: see capture_support.h. */
#include "tests/capture/capture_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { LINE_BYTES = 2048 };

static const char *scratch(void) {
    const char *directory = getenv("TMPDIR");
    return directory != NULL ? directory : "/tmp";
}

static const char *build(void) {
    const char *directory = getenv("VEF_BUILD");
    return directory != NULL ? directory : "build";
}

static const char *or_default(const char *variable, const char *fallback) {
    const char *value = getenv(variable);
    return value != NULL ? value : fallback;
}

const char *vef_test_mpi(void) {
    return or_default("VEF_TEST_MPI", "mpich");
}

bool vef_test_has_mpi_4(void) {
    return strcmp(vef_test_mpi(), "openmpi") != 0;
}

bool vef_test_has_fortran(void) {
    return strcmp(vef_test_mpi(), "abi") != 0;
}

static int run(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int run(const char *format, ...) {
    char command[LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void vef_test_compile(const char *source, const char *flags, const char *name) {
    const bool fortran = strstr(source, ".c") == NULL;
    const char *compiler =
        fortran ? or_default("MPIFORT", "mpifort.mpich") : or_default("MPICC", "mpicc.mpich");
    assert_int_equal(run("%s -O1 -w -pthread %s %s %s -o '%s/%s' tests/mpi/%s", compiler,
                         fortran ? "-fallow-argument-mismatch" : "",
                         vef_test_has_mpi_4() ? "" : "-DMPI_3", flags, scratch(), name, source),
                     0);
}

int vef_test_capture_of(const char *program, const char *name, unsigned tasks, const char *options,
                        const char *arguments) {
    return run(
        "'%s/vef' capture %s -o '%s/%s.vef' --force -- %s -n %u '%s/%s' %s >'%s/%s.out' 2>&1",
        build(), options, scratch(), name, or_default("MPIEXEC", "mpiexec.mpich"), tasks, scratch(),
        program, arguments, scratch(), name);
}

int vef_test_capture(const char *name, unsigned tasks, const char *options) {
    return vef_test_capture_of(name, name, tasks, options, "");
}

vef_trace *vef_test_open(const char *name) {
    char path[LINE_BYTES];
    vef_error error;
    vef_trace *trace;
    const char *missing;
    snprintf(path, sizeof path, "%s/%s.vef", scratch(), name);
    if (vef_trace_open(path, &trace, &missing, &error) != VEF_OK) {
        run("cat '%s/%s.out'", scratch(), name);
        fail_msg("%s", error.message);
    }
    assert_null(missing);
    return trace;
}

void vef_test_check(const char *name) {
    if (run("'%s/vef' check '%s/%s.vef'", build(), scratch(), name) != 0)
        fail_msg("vef check finds faults in the trace of %s", name);
}

/* ---- events as text ---- */

typedef struct line {
    char text[LINE_BYTES];
    size_t length;
} line;

static void add(line *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(line *to, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(to->text + to->length, LINE_BYTES - to->length, format, arguments);
    va_end(arguments);
    to->length += (size_t)length;
    assert_true(to->length < LINE_BYTES);
}

static void add_members(line *to, uint32_t count, const uint32_t *members) {
    for (uint32_t i = 0; i < count; i++)
        add(to, "%s%" PRIu32, i > 0 ? "," : "", members[i]);
}

static uint32_t lowest(uint32_t count, const uint32_t *members) {
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++)
        least = members[i] < least ? members[i] : least;
    return least;
}

static void add_communicator(line *to, const vef_trace_header *header, uint32_t index) {
    if (index == VEF_NO_COMM) {
        add(to, "none");
        return;
    }
    assert_true(index < header->communicator_count);
    const vef_communicator *comm = &header->communicators[index];
    if (comm->parent == VEF_NO_COMM) {
        add(to, index == 0 ? "world" : "self");
        return;
    }
    bool swapped = comm->remote_size > 0 && lowest(comm->remote_size, comm->remote_members) <
                                                lowest(comm->size, comm->members);
    add(to, "%s(", vef_call_name(comm->made_by));
    if (swapped) {
        add_members(to, comm->remote_size, comm->remote_members);
        add(to, "|");
    }
    add_members(to, comm->size, comm->members);
    if (comm->remote_size > 0 && !swapped) {
        add(to, "|");
        add_members(to, comm->remote_size, comm->remote_members);
    }
    for (uint32_t i = 0; i < comm->dimensions; i++)
        add(to, "%s%" PRIu32 "%s", i > 0 ? "x" : ";", comm->extents[i],
            comm->periodic[i] ? "o" : "");
    add(to, ")");
}

static void add_operation(line *to, const vef_trace_header *header,
                          const vef_operation *operation) {
    unsigned flags = operation->flags;
    add(to, "(%s%s%s%s%s%s%s%s%s%s", (flags & VEF_OP_SEND) != 0 ? ">" : "<",
        (flags & VEF_OP_PARTITIONED) != 0 ? "p" : "", (flags & VEF_OP_GENERALISED) != 0 ? "g" : "",
        (flags & VEF_OP_SYNCHRONOUS) != 0 ? "s" : "", (flags & VEF_OP_READY) != 0 ? "r" : "",
        (flags & VEF_OP_BUFFERED) != 0 ? "b" : "", (flags & VEF_OP_CANCELLED) != 0 ? "!" : "",
        (flags & VEF_OP_UNMATCHED) != 0 ? "?" : "", (flags & VEF_OP_OPEN_ENDED) != 0 ? "~" : "",
        (flags & VEF_OP_ANY_SOURCE) != 0 ? "*" : "");
    if (operation->peer == VEF_NO_TASK)
        add(to, "none");
    else
        add(to, "%" PRId32, operation->peer);
    add(to, " t%s%" PRId32 " ", (flags & VEF_OP_ANY_TAG) != 0 ? "*" : "", operation->tag);
    add_communicator(to, header, operation->comm);
    add(to, " %" PRIu64 "B", operation->bytes);
    if (operation->ordinal != VEF_NO_ORDINAL)
        add(to, " #%" PRIu64, operation->ordinal);
    if (operation->request != VEF_NO_REQUEST)
        add(to, " r%" PRIu64, operation->request);
    add(to, ")");
}

static void add_vector(line *to, const char *what, uint32_t count, const uint64_t *bytes) {
    for (uint32_t i = 0; i < count; i++)
        add(to, "%s%" PRIu64, i > 0 ? "," : what, bytes[i]);
}

static void add_collective(line *to, const vef_trace_header *header, const vef_event *event) {
    add(to, "{");
    add_communicator(to, header, event->comm);
    if (event->root >= 0)
        add(to, " root%" PRId32, event->root);
    if (event->root == VEF_ROOT_HERE || event->root == VEF_ROOT_BESIDE)
        add(to, event->root == VEF_ROOT_HERE ? " root-here" : " root-beside");
    if (event->bytes > 0)
        add(to, " %" PRIu64 "B", event->bytes);
    if (event->elements > 0)
        add(to, " e%" PRIu64, event->elements);
    add_vector(to, " s:", event->send_count, event->send_bytes);
    add_vector(to, " r:", event->receive_count, event->receive_bytes);
    if (vef_event_starts_request(event))
        add(to, " r%" PRIu64, event->request);
    add(to, "%s%s%s}", (event->flags & VEF_EVENT_STARTED) != 0 ? " started" : "",
        (event->flags & VEF_EVENT_IN_PLACE) != 0 ? " in-place" : "",
        (event->flags & VEF_EVENT_NONCOMMUTATIVE) != 0 ? " ordered" : "");
}

static void add_one_sided(line *to, const vef_trace_header *header,
                          const vef_operation *operation) {
    if (operation->peer == VEF_NO_TASK)
        add(to, "(none ");
    else
        add(to, "(%" PRId32 " ", operation->peer);
    add_communicator(to, header, operation->comm);
    add(to, " %" PRIu64 "B", operation->bytes);
    if (operation->request != VEF_NO_REQUEST)
        add(to, " r%" PRIu64, operation->request);
    add(to, ")");
}

static void add_synchronisation(line *to, const vef_trace_header *header, const vef_event *event) {
    add(to, "{");
    add_communicator(to, header, event->comm);
    for (uint32_t i = 0; i < event->peer_count; i++)
        add(to, "%s%" PRId32, i > 0 ? "," : " ", event->peers[i]);
    add(to, "%s", (event->flags & VEF_EVENT_EXCLUSIVE) != 0 ? " exclusive" : "");
    if (event->argument != 0)
        add(to, " a%" PRId64, event->argument);
    add(to, "}");
}

static void describe(line *to, const vef_trace_header *header, const vef_event *event) {
    to->length = 0;
    add(to, "%s", vef_call_name(event->call));
    switch (vef_call_kind(event->call)) {
    case VEF_KIND_TRANSFER:
    case VEF_KIND_PROBE:
        for (uint32_t i = 0; i < event->operation_count; i++)
            add_operation(to, header, &event->operations[i]);
        break;
    case VEF_KIND_COMPLETE:
        add(to, "[");
        for (uint32_t i = 0; i < event->completion_count; i++)
            add(to, "%sr%" PRIu64 "%s", i > 0 ? " " : "", event->completions[i].request,
                event->completions[i].cancelled ? "!" : "");
        add(to, "]");
        break;
    case VEF_KIND_COLLECTIVE:
        add_collective(to, header, event);
        break;
    case VEF_KIND_COMM:
        add(to, "{");
        add_communicator(to, header, event->comm);
        if (event->call != VEF_CALL_Comm_free && event->call != VEF_CALL_Comm_disconnect &&
            event->call != VEF_CALL_Win_free) {
            add(to, " = ");
            add_communicator(to, header, event->new_comm);
        }
        if (vef_event_starts_request(event))
            add(to, " r%" PRIu64, event->request);
        add(to, "}");
        break;
    case VEF_KIND_ONE_SIDED:
        for (uint32_t i = 0; i < event->operation_count; i++)
            add_one_sided(to, header, &event->operations[i]);
        break;
    case VEF_KIND_SYNC:
        add_synchronisation(to, header, event);
        break;
    default:
        if (event->call == VEF_CALL_Pcontrol || event->call == VEF_CALL_Abort ||
            event->call == VEF_CALL_Init_thread || vef_call_names_request(event->call))
            add(to, ":%" PRId64, event->argument);
        add(to, "%s", (event->flags & VEF_EVENT_LAST) != 0 ? " last" : "");
    }
}

void vef_test_events(const vef_trace *trace, uint32_t task, const char *const *expected) {
    vef_error error;
    vef_stream *stream;
    const vef_event *event;
    size_t position = 0;
    if (vef_stream_open((vef_trace *)(uintptr_t)trace, task, 0, &stream, &error) != VEF_OK)
        fail_msg("%s", error.message);
    for (;;) {
        line text;
        if (vef_stream_next(stream, &event, &error) != VEF_OK)
            fail_msg("%s", error.message);
        if (event == NULL)
            break;
        if ((event->flags & VEF_EVENT_POLL) != 0)
            continue;
        describe(&text, vef_trace_get_header(trace), event);
        if (expected[position] == NULL)
            fail_msg("task %" PRIu32 ", event %zu: %s where none was expected", task, position,
                     text.text);
        if (strcmp(text.text, expected[position]) != 0)
            fail_msg("task %" PRIu32 ", event %zu: %s instead of %s", task, position, text.text,
                     expected[position]);
        position++;
    }
    if (expected[position] != NULL)
        fail_msg("task %" PRIu32 " ends after %zu events, before %s", task, position,
                 expected[position]);
    vef_stream_close(stream);
}

uint64_t vef_test_not_recorded(const vef_trace *trace, const char *name) {
    int call = vef_call_find(name);
    assert_true(call >= 0);
    return vef_trace_get_header(trace)->not_recorded[call];
}

bool vef_test_printed(const char *name, const char *text) {
    return run("grep -qF -- '%s' '%s/%s.out'", text, scratch(), name) == 0;
}
