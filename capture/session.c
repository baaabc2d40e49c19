/* The life of a task's recording: from MPI_Init to MPI_Finalize, or to however else the process
 * ends.
 *
 * `vef capture` tells by the environment where the logs go and with what options: VEF_CAPTURE_DIR,
 * VEF_CAPTURE_CLOCK (auto, wall, cpu), VEF_CAPTURE_TIMES (all, compute), VEF_CAPTURE_OVERSUBSCRIBE
 * (auto, on, off). A process that never calls MPI_Init leaves nothing behind. Whatever fails here,
 * the program runs on as it would.
 */
#include "capture/give_way.h"
#include "capture/job.h"
#include "capture/messages.h"
#include "capture/placement.h"
#include "capture/recorder.h"
#include "capture/vectors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int fatal_signals[] = {SIGHUP,  SIGINT, SIGTERM, SIGQUIT, SIGABRT,
                                    SIGSEGV, SIGBUS, SIGFPE,  SIGILL};
enum { FATAL_SIGNALS = sizeof fatal_signals / sizeof *fatal_signals };

/* A task that is killed loses at most what it did in this time before. */
static const uint64_t flush_period_ns = 1000000000;

/* What the library remembers outside the recording itself. */
static struct {
    vef_clock_moment started;
    pid_t process; /* whose log it is */
    struct sigaction former[FATAL_SIGNALS];
} life;

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
    (void)written; /* nobody is left to be told */
}

/* Leaves a mark beside the logs, so that `vef capture` knows that something is missing. */
void vef_mark_lost(void) {
    char path[4096];
    const char *directory = getenv("VEF_CAPTURE_DIR");
    if (directory == NULL || snprintf(path, sizeof path, "%s/lost-%06u", directory,
                                      vef_capture.task) >= (int)sizeof path)
        return;
    int mark = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (mark >= 0)
        close(mark);
}

/* The reason goes into the mark, and `vef capture` tells it: what a process says that ends at once
 * does not always come through its launcher. */
void vef_refuse(const char *why) {
    char path[4096], text[VEF_MESSAGE_BYTES];
    const char *directory = getenv("VEF_CAPTURE_DIR");
    int mark = -1, length = snprintf(text, sizeof text, "%s %s\n", program_invocation_name, why);
    if (directory != NULL &&
        snprintf(path, sizeof path, "%s/lost-000000", directory) < (int)sizeof path)
        mark = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (mark < 0 || length >= (int)sizeof text || write(mark, text, (size_t)length) != length)
        vef_say("%s %s", program_invocation_name, why);
    _exit(EXIT_FAILURE);
}

void vef_refuse_open_mpi(void) {
    if (vef_real_is_open_mpi())
        vef_refuse(
            "uses Open MPI, whose handles would not survive the recording: it was ended "
            "before MPI began; vef capture needs MPICH (compile with mpicc.mpich)");
}

static bool choose_cpu_clock(const char *wish, unsigned tasks, unsigned cores) {
    if (strcmp(wish, "cpu") == 0)
        return true;
    return strcmp(wish, "wall") != 0 && tasks > cores;
}

/* Opens this task's log. */
static vef_code open_log(const char *directory, int rank, int size, const char *clock,
                         const char *options) {
    char path[4096], job[VEF_JOB_BYTES], host[256] = "",
                                         library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    MPI_Comm parent = MPI_COMM_NULL;
    int length = 0;
    gethostname(host, sizeof host - 1);
    vef_mpi.Get_library_version(library, &length);
    library[strcspn(library, "\n")] = '\0';
    for (char *c = library; *c != '\0'; c++)
        if (*c == '\t')
            *c = ' ';
    vef_job_name(job);
    vef_mpi.Comm_get_parent(&parent);
    if (snprintf(path, sizeof path, "%s/task-%06d.%s.vlog", directory, rank, job) >=
        (int)sizeof path)
        return vef_fail(&vef_capture.error, VEF_INVALID, "%s: too long a path", directory);
    vef_log_header header = {
        .task = (uint32_t)rank,
        .tasks = (uint32_t)size,
        .program = program_invocation_name,
        .library = library,
        .clock = clock,
        .host = host,
        .started_ns = vef_clock_read_ns(CLOCK_REALTIME),
        .options = options,
        .job = job,
        .spawned = parent != MPI_COMM_NULL,
        .times = vef_capture.compute_only ? "compute" : "all",
    };
    return vef_log_open(path, &header, &vef_capture.log, &vef_capture.error);
}

/* What is buffered still reaches the file when a signal ends the process, unless it struck while
 * the log itself was being written. Then the signal does what it did before. */
static void on_fatal_signal(int signal, siginfo_t *info, void *context) {
    (void)context;
    if (vef_capture.active && !vef_busy() && getpid() == life.process) {
        vef_capture.active = false;
        vef_log_flush(vef_capture.log, &vef_capture.error);
    }
    for (int i = 0; i < FATAL_SIGNALS; i++)
        if (fatal_signals[i] == signal)
            sigaction(signal, &life.former[i], NULL);
    if (info->si_code <= 0) /* sent, not caused: a fault comes again by itself */
        raise(signal);
}

static void watch_signals(void) {
    struct sigaction action = {.sa_sigaction = on_fatal_signal,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < FATAL_SIGNALS; i++) {
        sigaction(fatal_signals[i], NULL, &life.former[i]);
        bool asked_for = life.former[i].sa_handler != SIG_DFL; /* somebody wants to know, or not */
        bool fault = fatal_signals[i] == SIGSEGV || fatal_signals[i] == SIGBUS ||
                     fatal_signals[i] == SIGFPE || fatal_signals[i] == SIGILL;
        if (!asked_for || (fault && life.former[i].sa_handler != SIG_IGN))
            sigaction(fatal_signals[i], &action, NULL);
    }
}

/* The world and self, numbers 0 and 1. */
static vef_code add_first_communicators(void) {
    uint32_t number;
    vef_comms *comms = &vef_capture.tables.comms;
    if (!vef_comms_init(comms) || !vef_requests_init(&vef_capture.tables.requests) ||
        !vef_messages_init())
        return vef_fail_memory(&vef_capture.error, "the recorder", sizeof(vef_recorder));
    vef_code code = vef_comms_add(comms, vef_capture.log, MPI_COMM_WORLD, VEF_NO_COMM,
                                  VEF_CALL_Init, &number, &vef_capture.error);
    if (code == VEF_OK)
        code = vef_comms_add(comms, vef_capture.log, MPI_COMM_SELF, VEF_NO_COMM, VEF_CALL_Init,
                             &number, &vef_capture.error);
    return code;
}

void vef_begin(uint16_t call, int provided, vef_clock_moment before) {
    const char *directory = getenv("VEF_CAPTURE_DIR"), *wish = getenv("VEF_CAPTURE_CLOCK");
    if (directory == NULL || vef_capture.log != NULL)
        return;
    int rank = 0, size = 1;
    vef_mpi.Comm_rank(MPI_COMM_WORLD, &rank);
    vef_mpi.Comm_size(MPI_COMM_WORLD, &size);
    vef_capture.task = (uint32_t)rank;
    vef_capture.joined = true;
    unsigned tasks = vef_tasks_by_environment(), cores = vef_usable_cores();
    if (tasks == 0)
        tasks = vef_tasks_by_mpi();
    bool cpu = choose_cpu_clock(wish != NULL ? wish : "auto", tasks, cores);
    char options[256];
    snprintf(options, sizeof options,
             "clock: %s, tasks on host: %u, cores: %u, idle tasks give way: %s",
             wish != NULL ? wish : "auto", tasks, cores, vef_gives_way() ? "yes" : "no");
    const char *times = getenv("VEF_CAPTURE_TIMES");
    vef_capture.compute_only = times != NULL && strcmp(times, "compute") == 0;
    vef_code code = open_log(directory, rank, size, cpu ? "cpu" : "wall", options);
    if (code == VEF_OK)
        code = add_first_communicators();
    if (code != VEF_OK) {
        vef_mark_lost();
        vef_say("%s: nothing is recorded; the program runs on", vef_capture.error.message);
        return;
    }
    vef_clock_moment after = vef_clock_now();
    vef_capture.clock = vef_clock_calibrate(life.started, after, cpu);
    vef_capture.threaded = provided == MPI_THREAD_MULTIPLE;
    vef_capture.flush_ticks = vef_clock_ticks(&vef_capture.clock, flush_period_ns);
    life.process = getpid();
    vef_thread *thread = vef_thread_new();
    if (thread == NULL)
        return;
    vef_capture.active = true;
    vef_capture.flushed = vef_clock_wall(&vef_capture.clock);
    vef_frame frame = {.thread = thread,
                       .began = vef_capture.flushed,
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
    thread->left = vef_gap_clock();
    watch_signals();
}

void vef_end(vef_log_end end) {
    for (vef_thread *thread = vef_capture.threads; thread != NULL; thread = thread->next)
        if (thread->poll.repeats > 0)
            vef_put_poll(thread);
    bool whole = vef_capture.active; /* else the failure has been told already */
    vef_capture.active = false;
    if (vef_log_close(vef_capture.log, end, &vef_capture.error) != VEF_OK && whole) {
        vef_mark_lost();
        vef_say("%s: the log lacks its end", vef_capture.error.message);
    }
    vef_capture.log = NULL;
}

/* A forked child shares the file, not the log: it must leave it alone. */
static void in_child(void) {
    vef_capture.active = false;
    vef_capture.log = NULL;
}

static __attribute__((constructor)) void start(void) {
    life.started = vef_clock_now();
    vef_refuse_open_mpi();
    vef_real_resolve();
    pthread_atfork(NULL, NULL, in_child);
}

/* MPICH comes by here whenever a call fails, and under MPI_ERRORS_ARE_FATAL never comes back: its
 * launcher kills all tasks before anything at exit could run. So what is buffered is written now.
 */
int MPIR_Err_return_comm(void *comm, const char *function, int code)
    __attribute__((visibility("default")));
int MPIR_Err_return_comm(void *comm, const char *function, int code) {
    vef_flush_inside();
    return vef_mpi.err_return_comm != NULL ? vef_mpi.err_return_comm(comm, function, code) : code;
}

/* The process ends without MPI_Finalize. Another thread may be writing and never come to an end. */
static __attribute__((destructor)) void stop(void) {
    if (vef_capture.log == NULL)
        return;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1;
    if (vef_capture.threaded && pthread_mutex_timedlock(&vef_capture.log_lock, &until) != 0)
        return;
    vef_end(VEF_LOG_EXITED);
    if (vef_capture.threaded)
        pthread_mutex_unlock(&vef_capture.log_lock);
}
