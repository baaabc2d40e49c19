/* The life cycle of a task's recording: from MPI_Init, or the first MPI_Session_init, to
 * MPI_Finalize, or any other end of the process. Sessions may start again after the last was
 * finalized, so with sessions only the log continues until the process ends.
 *
 * `vef capture` passes the folder of the logs and its options in the environment: VEF_CAPTURE_DIR,
 * VEF_CAPTURE_CLOCK (auto, wall, cpu), VEF_CAPTURE_OVERSUBSCRIBE (auto, on, off), VEF_CAPTURE_TIMES
 * (all, compute), VEF_CAPTURE_FLUSH (seconds), VEF_CAPTURE_MAX_SIZE (bytes) and
 * VEF_CAPTURE_WHEN_FULL (stop, ring), VEF_CAPTURE_HOST (the host on which the folder exists);
 * further variables in selection.h and job.h. A process that never calls MPI_Init or
 * MPI_Session_init leaves nothing behind. Failures here never affect the program. */
#include "capture/job.h"
#include "capture/messages.h"
#include "capture/placement.h"
#include "capture/preload/preload.h"
#include "capture/recorder.h"
#include "capture/selection.h"
#include "capture/vectors.h"
#include "capture/yield.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const int fatal_signals[] = {SIGHUP,  SIGINT, SIGTERM, SIGQUIT, SIGABRT,
                                    SIGSEGV, SIGBUS, SIGFPE,  SIGILL};
enum { FATAL_SIGNALS = sizeof fatal_signals / sizeof *fatal_signals };

/* State outside the recording itself. */
static struct {
    vef_clock_moment started;
    pid_t process;        /* process of the log */
    pthread_mutex_t lock; /* of the following fields: threads may begin and end sessions */
    bool world;           /* MPI_Init was called, MPI_Finalize was not */
    int sessions;         /* number of open ones */
    struct sigaction former[FATAL_SIGNALS];
} life = {.lock = PTHREAD_MUTEX_INITIALIZER};

void vef_say(const char *format, ...) {
    char text[VEF_MESSAGE_BYTES + 128];
    va_list arguments;
    va_start(arguments, format);
    int head = vef_capture.joined ? snprintf(text, sizeof text, "vef: task %u: ", vef_capture.task)
                                  : snprintf(text, sizeof text, "vef: process %d: ", (int)getpid());
    int body = vsnprintf(text + head, sizeof text - (size_t)head - 1, format, arguments);
    va_end(arguments);
    size_t length = (size_t)head + (size_t)(body > 0 ? body : 0);
    if (length > sizeof text - 2)
        length = sizeof text - 2;
    text[length++] = '\n';
    ssize_t written = write(STDERR_FILENO, text, length);
    (void)written; /* nothing is left to report to */
}

/* Leaves a file beside the logs that informs `vef capture` of missing data, with the reason, if
 * that is the same for all tasks. */
static void mark_lost(const char *why) {
    char path[4096];
    const char *directory = getenv("VEF_CAPTURE_DIR");
    if (directory == NULL || snprintf(path, sizeof path, "%s/lost-%06u", directory,
                                      vef_capture.task) >= (int)sizeof path)
        return;
    int mark = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    ssize_t written = mark >= 0 ? write(mark, why, strlen(why)) : 0;
    (void)written;
    if (mark >= 0)
        close(mark);
}

void vef_mark_lost(void) {
    mark_lost("");
}

/* Whether there are more threads than cores. */
static bool choose_cpu_clock(const char *wish, unsigned tasks, unsigned threads, unsigned cores) {
    if (strcmp(wish, "cpu") == 0)
        return true;
    return strcmp(wish, "wall") != 0 && (uint64_t)tasks * threads > cores;
}

/* The options of the environment, described in `text`. */
typedef struct wish_list {
    bool cpu;
    unsigned tasks, cores;
    uint64_t flush_ns, most_bytes;
    bool ring;
    char text[512];
} wish_list;

/* A non-negative number in the environment, or the default. */
static double number_of(const char *name, double fallback) {
    const char *text = getenv(name);
    char *end = NULL;
    double value = text != NULL ? strtod(text, &end) : 0;
    return end != NULL && end != text && value >= 0 && value < 1e15 ? value : fallback;
}

/* Reads the options, and chooses and calibrates the clock accordingly. */
static wish_list read_wishes(bool world) {
    const char *clock = getenv("VEF_CAPTURE_CLOCK"), *full = getenv("VEF_CAPTURE_WHEN_FULL");
    const char *times = getenv("VEF_CAPTURE_TIMES");
    unsigned tasks = vef_tasks_by_environment(), cores = vef_usable_cores();
    if (tasks == 0)
        tasks = world ? vef_tasks_by_mpi() : 1;
    unsigned threads = vef_expected_threads();
    clock = clock != NULL ? clock : "auto";
    wish_list of = {.cpu = choose_cpu_clock(clock, tasks, threads, cores),
                    .tasks = tasks,
                    .cores = cores,
                    .flush_ns = (uint64_t)(1e9 * number_of("VEF_CAPTURE_FLUSH", 1)),
                    .most_bytes = (uint64_t)number_of("VEF_CAPTURE_MAX_SIZE", 0),
                    .ring = full != NULL && strcmp(full, "ring") == 0};
    vef_capture.compute_only = times != NULL && strcmp(times, "compute") == 0;
    vef_clock_moment now = vef_clock_now();
    vef_capture.clock = vef_clock_calibrate(life.started, now, of.cpu, VEF_CLOCK_SOURCE);
    vef_capture.drift = (vef_clock_drift){.since = life.started, .latest = now};
    int length =
        snprintf(of.text, sizeof of.text,
                 "clock: %s, %s, tasks on host: %u, cores: %u, idle tasks yield: %s", clock,
                 vef_clock_readings(&vef_capture.clock), tasks, cores, vef_yields() ? "yes" : "no");
    if (threads > 1)
        length += snprintf(of.text + length, sizeof of.text - (size_t)length,
                           ", threads a task when it began: %u", threads);
    if (of.most_bytes > 0)
        length += snprintf(of.text + length, sizeof of.text - (size_t)length,
                           ", at most %llu bytes a log: then %s", (unsigned long long)of.most_bytes,
                           of.ring ? "the oldest are dropped" : "no more is recorded");
    vef_selection_begin(of.text + length, sizeof of.text - (size_t)length);
    return of;
}

/* Whether `vef capture` accepts no more logs. It creates the file first and then looks for logs in
 * use; a task creates its log first and then looks for the file. So at least one of the two notices
 * the other. */
static bool is_closed(const char *directory) {
    char path[4096];
    return snprintf(path, sizeof path, "%s/closed", directory) < (int)sizeof path &&
           access(path, F_OK) == 0;
}

/* Opens this task's log. */
static vef_code open_log(const char *directory, int rank, int size, bool world,
                         const wish_list *wishes) {
    char path[4096], job[VEF_JOB_BYTES], host[256] = "";
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    MPI_Comm parent = MPI_COMM_NULL;
    int length = 0;
    gethostname(host, sizeof host - 1);
    vef_mpi.Get_library_version(library, &length);
    library[strcspn(library, "\n")] = '\0';
    for (char *c = library; *c != '\0'; c++)
        if (*c == '\t')
            *c = ' ';
    vef_job_name(job);
    if (world)
        vef_mpi.Comm_get_parent(&parent);
    const char *owner = getenv("VEF_CAPTURE_HOST");
    if (owner == NULL || strcmp(owner, host) != 0)
        mkdir(directory, 0777); /* of a node, if nodes do not share a folder */
    if (snprintf(path, sizeof path, "%s/task-%06d.%s.vlog", directory, rank, job) >=
        (int)sizeof path)
        return vef_fail(&vef_capture.error, VEF_INVALID, "%s: path too long", directory);
    vef_log_header header = {
        .task = (uint32_t)rank,
        .tasks = (uint32_t)size,
        .program = program_invocation_name,
        .library = library,
        .clock = wishes->cpu ? "cpu" : "wall",
        .host = host,
        .started_ns = vef_clock_read_ns(CLOCK_REALTIME),
        .options = wishes->text,
        .job = job,
        .spawned = parent != MPI_COMM_NULL,
        .times = vef_capture.compute_only ? "compute" : "all",
    };
    vef_code code = vef_log_open(path, &header, &vef_capture.log, &vef_capture.error);
    if (code == VEF_OK && is_closed(directory)) {
        vef_log_close(vef_capture.log, VEF_LOG_EXITED, NULL);
        vef_capture.log = NULL;
        unlink(path);
        return vef_fail(&vef_capture.error, VEF_INVALID,
                        "%s: vef capture has ended and merges the logs", directory);
    }
    if (code == VEF_OK && wishes->most_bytes > 0)
        code = vef_log_limit(vef_capture.log, wishes->most_bytes, wishes->ring, &vef_capture.error);
    if (code == VEF_OK)
        vef_log_survive(vef_capture.log);
    return code;
}

/* Flushes the buffers when a signal ends the process, unless it interrupted a write of the log.
 * Then the signal has its previous effect. */
static void on_fatal_signal(int signal, siginfo_t *info, void *context) {
    (void)context;
    if (vef_capture.active && getpid() == life.process) {
        vef_capture.active = false;
        vef_log_try_flush(vef_capture.log);
    }
    for (int i = 0; i < FATAL_SIGNALS; i++)
        if (fatal_signals[i] == signal)
            sigaction(signal, &life.former[i], NULL);
    if (info->si_code <= 0) /* sent, not caused: a fault recurs by itself */
        raise(signal);
}

static void watch_signals(void) {
    struct sigaction action = {.sa_sigaction = on_fatal_signal,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < FATAL_SIGNALS; i++) {
        sigaction(fatal_signals[i], NULL, &life.former[i]);
        bool asked_for = life.former[i].sa_handler != SIG_DFL; /* best effort */
        bool fault = fatal_signals[i] == SIGSEGV || fatal_signals[i] == SIGBUS ||
                     fatal_signals[i] == SIGFPE || fatal_signals[i] == SIGILL;
        if (!asked_for || (fault && life.former[i].sa_handler != SIG_IGN))
            sigaction(fatal_signals[i], &action, NULL);
    }
}

/* The world and self, numbers 0 and 1. */
static vef_code add_first_communicators(int rank, int size, MPI_Group world) {
    vef_comms *comms = &vef_capture.tables.comms;
    if (!vef_comms_init(comms, world) || !vef_requests_init(&vef_capture.tables.requests) ||
        !vef_messages_init())
        return vef_fail_memory(&vef_capture.error, "the recorder", sizeof(vef_recorder));
    return vef_comms_add_first(comms, vef_capture.log, rank, size, &vef_capture.error);
}

/* Records the first call, entered at `before`. */
static void put_first(uint16_t call, int provided, vef_clock_moment before,
                      vef_clock_moment after) {
    bool cpu = vef_capture.clock.cpu;
    vef_thread *thread = vef_thread_new();
    if (thread == NULL)
        return;
    vef_capture.active = true;
    vef_capture.flushed = vef_clock_wall(&vef_capture.clock);
    vef_frame frame = {.thread = thread,
                       .began = vef_capture.flushed,
                       .muted = vef_capture.muted,
                       .duration_ns =
                           vef_capture.compute_only ? 0 : after.wall_ns - before.wall_ns};
    thread->carry_ns =
        cpu ? before.cpu_ns - life.started.cpu_ns : before.wall_ns - life.started.wall_ns;
    if (vef_capture.threaded) {
        frame.entered = vef_tick();
        frame.left = vef_tick();
    }
    vef_event event = {.call = call, .root = -1, .argument = provided};
    vef_put(&frame, &event);
    vef_done(&frame);
    watch_signals();
}

/* Whether the wrong launcher started the task: then nothing is recorded, and `vef capture` says
 * why, once for all tasks. */
static bool is_alone_by_mistake(int size) {
    char text[VEF_MESSAGE_BYTES + 512], why[VEF_MESSAGE_BYTES];
    if (!vef_started_otherwise(size, why, sizeof why))
        return false;
    snprintf(text, sizeof text, "%s %s", program_invocation_name, why);
    mark_lost(text);
    return true;
}

/* `world`: the group of all tasks, owned by the recorder from now on. */
static void begin(uint16_t call, int provided, vef_clock_moment before, MPI_Group world) {
    const char *directory = getenv("VEF_CAPTURE_DIR");
    vef_library_began();
    bool session = !vef_call_has(call, VEF_FACT_WORLD);
    int rank = 0, size = 1;
    vef_mpi.Group_rank(world, &rank);
    vef_mpi.Group_size(world, &size);
    vef_capture.task = (uint32_t)rank;
    vef_capture.joined = true;
    if (is_alone_by_mistake(size))
        return;
    wish_list wishes = read_wishes(!session);
    vef_code code = open_log(directory, rank, size, !session, &wishes);
    if (code == VEF_OK)
        code = add_first_communicators(rank, size, world);
    if (code != VEF_OK) {
        vef_mark_lost();
        vef_say("%s: nothing is recorded; the program continues", vef_capture.error.message);
        return;
    }
    vef_clock_moment after = vef_clock_now();
    vef_measuring_begins(wishes.tasks, wishes.cores);
    vef_capture.threaded =
        session || provided == MPI_THREAD_MULTIPLE; /* each session has its own */
    vef_log_threaded(vef_capture.log, vef_capture.threaded);
    vef_capture.flush_ticks = vef_clock_ticks(&vef_capture.clock, wishes.flush_ns);
    vef_capture.origin = vef_clock_wall(&vef_capture.clock);
    life.process = getpid();
    put_first(call, provided, before, after);
}

/* Whether recording has already begun: by the other of MPI_Init and MPI_Session_init; this one is
 * then recorded as an ordinary call. */
static bool goes_on(uint16_t call, int provided, vef_clock_moment before) {
    vef_frame frame;
    if (vef_capture.log == NULL)
        return false;
    const char *name = vef_call_has(call, VEF_FACT_WORLD) ? "MPI_Init" : "MPI_Session_init";
    if (vef_enter_as(&frame, name, strlen(name) + 1)) {
        vef_clock_moment now = vef_clock_now();
        vef_leave(&frame);
        uint64_t inside = now.wall_ns - before.wall_ns;
        frame.duration_ns = vef_capture.compute_only ? 0 : inside;
        if (vef_capture.clock.cpu)
            inside = now.cpu_ns - before.cpu_ns;
        frame.thread->carry_ns -= frame.thread->carry_ns < inside ? frame.thread->carry_ns : inside;
        vef_event event = {.call = call, .root = -1, .argument = provided};
        vef_put(&frame, &event);
        vef_done(&frame);
    }
    return true;
}

/* Members are given as ranks of this group from now on, which is that of a later session: an
 * earlier one may have been finalized. */
static void take_world(MPI_Group world) {
    pthread_mutex_lock(&vef_capture.lock);
    MPI_Group *former = &vef_capture.tables.comms.world;
    if (*former != MPI_GROUP_NULL)
        vef_mpi.Group_free(former);
    *former = world;
    pthread_mutex_unlock(&vef_capture.lock);
}

void vef_begin(uint16_t call, int provided, vef_clock_moment before) {
    MPI_Group world = MPI_GROUP_NULL;
    pthread_mutex_lock(&life.lock);
    life.world = true;
    if (getenv("VEF_CAPTURE_DIR") != NULL && !goes_on(call, provided, before) &&
        vef_mpi.Comm_group(MPI_COMM_WORLD, &world) == MPI_SUCCESS)
        begin(call, provided, before, world);
    pthread_mutex_unlock(&life.lock);
}

void vef_begin_session(MPI_Session session, vef_clock_moment before) {
    MPI_Group world = MPI_GROUP_NULL;
    pthread_mutex_lock(&life.lock);
    life.sessions++;
    if (getenv("VEF_CAPTURE_DIR") != NULL &&
        vef_mpi.Group_from_session_pset(session, "mpi://WORLD", &world) == MPI_SUCCESS) {
        if (goes_on(VEF_CALL_Session_init, 0, before))
            take_world(world);
        else
            begin(VEF_CALL_Session_init, 0, before, world);
    }
    pthread_mutex_unlock(&life.lock);
}

bool vef_ends(bool session) {
    pthread_mutex_lock(&life.lock);
    bool last = life.sessions + life.world == 1;
    if (session)
        life.sessions--;
    else
        life.world = false;
    if (last)
        take_world(MPI_GROUP_NULL);
    pthread_mutex_unlock(&life.lock);
    return last && !session;
}

void vef_end(vef_log_end end) {
    bool whole = vef_capture.active; /* else the failure has been reported already */
    if (!vef_stop_recording()) {
        vef_log_try_flush(vef_capture.log);
        return;
    }
    if (whole) {
        vef_put_last_polls();
        vef_store_measured();
    }
    if (vef_log_close(vef_capture.log, end, &vef_capture.error) != VEF_OK && whole) {
        vef_mark_lost();
        vef_say("%s: the log has no end", vef_capture.error.message);
    }
    vef_capture.log = NULL;
}

/* A forked child shares the file, but must not use the log. */
static void in_child(void) {
    vef_capture.active = false;
    vef_capture.log = NULL;
    vef_workers_forked();
}

static __attribute__((constructor)) void start(void) {
    life.started = vef_preload_started();
    vef_real_resolve();
    pthread_atfork(NULL, NULL, in_child);
    if (vef_preload_mpi_runs()) { /* a constructor of a library has started it */
        int provided = MPI_THREAD_SINGLE;
        vef_mpi.Query_thread(&provided);
        vef_begin(VEF_CALL_Init, provided, vef_clock_now());
    }
}

/* The process ends without MPI_Finalize. */
static __attribute__((destructor)) void stop(void) {
    if (vef_capture.log != NULL)
        vef_end(life.world || life.sessions > 0 ? VEF_LOG_EXITED : VEF_LOG_FINALIZED);
}
