/* The life cycle of a task's recording: from MPI_Init, or the first MPI_Session_init, to
 * MPI_Finalize, or any other end of the process. Sessions may start again after the last was
 * finalized, so with sessions only the log continues until the process ends.
 *
 * `vef capture` passes the folder of the logs and its options in the environment: VEF_CAPTURE_DIR,
 * VEF_CAPTURE_CLOCK (auto, wall, cpu), VEF_CAPTURE_OVERSUBSCRIBE (auto, on, off), VEF_CAPTURE_TIMES
 * (all, compute), VEF_CAPTURE_SITES (on, off), VEF_CAPTURE_FLUSH (seconds), VEF_CAPTURE_MAX_SIZE
 * (bytes) and VEF_CAPTURE_WHEN_FULL (stop, ring), VEF_CAPTURE_HOST (the host on which the folder
 * exists); further variables in selection.h and job.h. A process that never calls MPI_Init or
 * MPI_Session_init leaves nothing behind. Failures here never affect the program. */
#include "capture/job.h"
#include "capture/objects/messages.h"
#include "capture/placement.h"
#include "capture/preload/preload.h"
#include "capture/recorder.h"
#include "capture/selection.h"
#include "capture/vectors.h"
#include "capture/yield.h"
#include "common/system/descriptor.h"
#include "traces/log/settings.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NS_PER_S = 1000000000 };

/* State outside the recording itself. */
static struct {
    vef_clock_moment started;
    pid_t process;        /* process of the log */
    pthread_mutex_t lock; /* protects `world` and `sessions`, which threads may change */
    bool world;           /* MPI_Init was called, MPI_Finalize was not */
    int sessions;         /* number of open sessions */
} life = {.lock = PTHREAD_MUTEX_INITIALIZER};

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

/* A non-negative decimal number in the environment times a power of ten, or the default. Without
 * floating point, whose exceptions the program may observe or trap, and whatever its locale. */
static uint64_t number_of(const char *name, uint64_t scale, uint64_t fallback) {
    const char *text = getenv(name);
    if (text == NULL || !(*text >= '0' && *text <= '9'))
        return fallback;
    uint64_t value = 0;
    for (; *text >= '0' && *text <= '9'; text++)
        if (value < UINT64_MAX / 10 / scale - 1)
            value = 10 * value + (uint64_t)(*text - '0');
    value *= scale;
    if (*text == '.')
        for (text++; *text >= '0' && *text <= '9'; text++)
            value += (uint64_t)(*text - '0') * (scale /= 10);
    return value;
}

/* Reads the options, and chooses and calibrates the clock accordingly. */
static wish_list read_wishes(bool world) {
    const char *clock = getenv("VEF_CAPTURE_CLOCK"), *full = getenv("VEF_CAPTURE_WHEN_FULL");
    const char *times = getenv("VEF_CAPTURE_TIMES"), *sites = getenv("VEF_CAPTURE_SITES");
    unsigned tasks = vef_tasks_by_environment(), cores = vef_usable_cores();
    if (tasks == 0)
        tasks = world ? vef_tasks_by_mpi() : 1;
    unsigned threads = vef_expected_threads();
    clock = clock != NULL ? clock : "auto";
    wish_list wishes = {.cpu = choose_cpu_clock(clock, tasks, threads, cores),
                        .tasks = tasks,
                        .cores = cores,
                        .flush_ns = number_of("VEF_CAPTURE_FLUSH", NS_PER_S, NS_PER_S),
                        .most_bytes = number_of("VEF_CAPTURE_MAX_SIZE", 1, 0),
                        .ring = full != NULL && strcmp(full, "ring") == 0};
    vef_capture.compute_only = times != NULL && strcmp(times, "compute") == 0;
    vef_capture.sites = sites != NULL && strcmp(sites, "on") == 0;
    vef_clock_moment now = vef_clock_now();
    vef_capture.clock = vef_clock_calibrate(life.started, now, wishes.cpu, VEF_CLOCK_SOURCE);
    vef_capture.drift = (vef_clock_drift){.since = life.started, .latest = now};
    int length =
        snprintf(wishes.text, sizeof wishes.text,
                 "clock: %s, %s, tasks on host: %u, cores: %u, idle tasks yield: %s", clock,
                 vef_clock_readings(&vef_capture.clock), tasks, cores, vef_yields() ? "yes" : "no");
    if (threads > 1)
        length += snprintf(wishes.text + length, sizeof wishes.text - (size_t)length,
                           ", threads a task when it began: %u", threads);
    if (wishes.most_bytes > 0)
        length +=
            snprintf(wishes.text + length, sizeof wishes.text - (size_t)length,
                     ", at most %llu bytes a log: then %s", (unsigned long long)wishes.most_bytes,
                     wishes.ring ? "the oldest are dropped" : "no more is recorded");
    vef_selection_begin(wishes.text + length, sizeof wishes.text - (size_t)length);
    return wishes;
}

/* Whether `vef capture` accepts no more logs. It creates the file first and then looks for logs in
 * use; a task creates its log first and then looks for the file. So at least one of the two notices
 * the other. */
static bool is_closed(void) {
    char path[VEF_FOLDER_BYTES + 16];
    snprintf(path, sizeof path, "%s/closed", vef_capture.folder);
    return access(path, F_OK) == 0;
}

/* The folder of the logs is left alone: not even the reason is written there. */
static vef_code refuse(const char *why) {
    vef_capture.folder[0] = '\0';
    return vef_fail(&vef_capture.error, VEF_INVALID,
                    "VEF_CAPTURE_DIR '%.256s' %s: expected a folder that only the user of the task "
                    "may write (mkdir -m 700), or one that does not exist yet",
                    getenv("VEF_CAPTURE_DIR"), why);
}

/* Whether a folder is of the user that the task's files are of (with root squashing or user
 * namespaces not the effective one), or root's: others could replace the logs. */
static bool is_own(const char *folder, const char *log) {
    struct stat above, file;
    return stat(folder, &above) == 0 && lstat(log, &file) == 0 &&
           (above.st_uid == file.st_uid || above.st_uid == 0);
}

/* Opens this task's log. */
static vef_code open_log(int rank, int size, bool world, const wish_list *wishes) {
    static char path[VEF_FOLDER_BYTES + VEF_JOB_BYTES + 32],
        library[MPI_MAX_LIBRARY_VERSION_STRING];
    char job[VEF_JOB_BYTES], host[256] = "";
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
    snprintf(path, sizeof path, "%s/task-%06d.%s.vlog", vef_capture.folder, rank, job);
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
        .sites = vef_capture.sites,
    };
    vef_code code = vef_log_open(path, &header, &vef_capture.log, &vef_capture.error);
    const bool trusted = code == VEF_OK && is_own(vef_capture.folder, path);
    if (code == VEF_OK && (!trusted || is_closed())) {
        vef_log_close(vef_capture.log, VEF_LOG_EXITED, NULL);
        vef_capture.log = NULL;
        unlink(path);
        return trusted
                   ? vef_fail(&vef_capture.error, VEF_INVALID,
                              "%s: vef capture has ended and merges the logs", vef_capture.folder)
                   : refuse("is a folder of another user");
    }
    if (code == VEF_OK && wishes->most_bytes > 0)
        code = vef_log_limit(vef_capture.log, wishes->most_bytes, wishes->ring, &vef_capture.error);
    if (code == VEF_OK)
        vef_log_survive(vef_capture.log);
    return code;
}

/* The world and self, numbers 0 and 1. */
static vef_code add_first_communicators(int rank, int size, MPI_Group world) {
    vef_comms *comms = &vef_capture.tables.comms;
    if (!vef_comms_init(comms, world) || !vef_requests_init(&vef_capture.tables.requests) ||
        !vef_messages_init())
        return vef_fail_memory(&vef_capture.error, "the recorder", sizeof(vef_recorder));
    return vef_comms_add_first(comms, vef_capture.log, rank, size, &vef_capture.error);
}

static void report_nothing(void) {
    vef_report_loss("%s: nothing was recorded; the program continued", vef_capture.error.message);
}

/* Records the first call, entered at `before`. */
static void put_first(uint16_t call, int provided, vef_clock_moment before,
                      vef_clock_moment after) {
    bool cpu = vef_capture.clock.cpu;
    vef_thread *thread = vef_thread_new();
    if (thread == NULL) {
        report_nothing();
        return;
    }
    *vef_capture.recording = true;
    vef_capture.flushed = vef_clock_wall(&vef_capture.clock);
    vef_frame frame = {.thread = thread,
                       .site = vef_capture.sites ? vef_site_here() : 0,
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
    vef_event event = {.call = call, .root = -1, .argument = vef_level_of(provided)};
    vef_put(&frame, &event);
    vef_done(&frame);
}

/* Whether the wrong launcher started the task: then nothing is recorded, and `vef capture` says
 * why, once for all tasks. */
static bool is_alone_by_mistake(int size) {
    char text[VEF_MESSAGE_BYTES + 512], why[VEF_MESSAGE_BYTES];
    if (!vef_started_otherwise(size, why, sizeof why))
        return false;
    snprintf(text, sizeof text, "%s %s", program_invocation_name, why);
    vef_leave_mark(text, O_EXCL); /* each task has the rank 0 */
    return true;
}

/* The page of vef_capture.recording. */
static void make_page(void) {
    const size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
    void *page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page != MAP_FAILED && madvise(page, bytes, MADV_WIPEONFORK) == 0)
        vef_capture.recording = page;
}

/* Makes the folder of a node, if nodes do not share one. */
static vef_code find_folder(void) {
    char host[256] = "";
    const char *folder = getenv("VEF_CAPTURE_DIR"), *owner = getenv("VEF_CAPTURE_HOST");
    gethostname(host, sizeof host - 1);
    if (owner == NULL || strcmp(owner, host) != 0)
        mkdir(folder, 0755);
    const char *why = vef_folder_refusal(folder);
    if (why != NULL)
        return refuse(why);
    if (realpath(folder, vef_capture.folder) == NULL)
        snprintf(vef_capture.folder, sizeof vef_capture.folder, "%s", folder);
    return VEF_OK;
}

/* `world`: the group of all tasks, owned by the recorder from now on. */
static void begin(uint16_t call, int provided, vef_clock_moment before, MPI_Group world) {
    vef_library_began();
    vef_code code = find_folder();
    life.process = getpid();
    bool session = !vef_call_has(call, VEF_FACT_WORLD);
    int rank = 0, size = 1;
    vef_mpi.Group_rank(world, &rank);
    vef_mpi.Group_size(world, &size);
    vef_capture.task = (uint32_t)rank;
    if (code == VEF_OK && is_alone_by_mistake(size))
        return;
    if (code == VEF_OK)
        code = vef_settings_check(environ, &vef_capture.error);
    wish_list wishes;
    if (code == VEF_OK) {
        wishes = read_wishes(!session);
        code = open_log(rank, size, !session, &wishes);
    }
    if (code == VEF_OK)
        code = add_first_communicators(rank, size, world);
    if (code != VEF_OK) {
        report_nothing();
        return;
    }
    make_page();
    vef_clock_moment after = vef_clock_now();
    vef_measuring_begins(wishes.tasks, wishes.cores);
    vef_capture.threaded =
        session || provided == MPI_THREAD_MULTIPLE; /* each session has its own */
    vef_capture.threaded_or_sites = vef_capture.threaded || vef_capture.sites;
    vef_log_threaded(vef_capture.log, vef_capture.threaded);
    vef_capture.flush_ticks = vef_clock_ticks(&vef_capture.clock, wishes.flush_ns);
    vef_capture.origin = vef_clock_wall(&vef_capture.clock);
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
        vef_event event = {.call = call, .root = -1, .argument = vef_level_of(provided)};
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
    VEF_KEEP_ERRNO;
    MPI_Group world = MPI_GROUP_NULL;
    pthread_mutex_lock(&life.lock);
    life.world = true;
    if (getenv("VEF_CAPTURE_DIR") != NULL && !goes_on(call, provided, before) &&
        vef_mpi.Comm_group(MPI_COMM_WORLD, &world) == MPI_SUCCESS)
        begin(call, provided, before, world);
    pthread_mutex_unlock(&life.lock);
}

void vef_begin_session(MPI_Session session, vef_clock_moment before) {
    VEF_KEEP_ERRNO;
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
    VEF_KEEP_ERRNO;
    bool whole = vef_is_recording(); /* else the failure has been reported already */
    if (!vef_stop_recording())
        return; /* the log ends as if the task had been killed */
    if (whole) {
        vef_put_last_polls();
        vef_store_measured();
    }
    if (vef_log_close(vef_capture.log, end, &vef_capture.error) != VEF_OK && whole) {
        vef_report_loss("%s: the log has no end", vef_capture.error.message);
    }
    vef_capture.log = NULL;
}

/* A forked child shares the file, but must not use the log. */
static void in_child(void) {
    *vef_capture.recording = false;
    if (vef_capture.log != NULL)
        vef_log_leave(vef_capture.log);
    vef_capture.log = NULL;
    vef_workers_forked();
}

static __attribute__((constructor)) void start(void) {
    life.started = vef_preload_started();
    fstat(STDERR_FILENO, &vef_capture.errors);
    vef_real_resolve();
    pthread_atfork(NULL, NULL, in_child);
    if (vef_preload_mpi_runs()) { /* a constructor of a library has started it */
        int provided = MPI_THREAD_SINGLE;
        vef_mpi.Query_thread(&provided);
        vef_begin(VEF_CALL_Init, provided, vef_clock_now());
    }
}

/* The process ends without MPI_Finalize. Not a child that inherited the memory without the handlers
 * of fork, and not if a signal handler that interrupted the recorder has called exit. */
static __attribute__((destructor)) void stop(void) {
    const vef_thread *thread = vef_thread_here;
    if (vef_capture.log != NULL && getpid() == life.process &&
        (thread == NULL || !(thread->busy || thread->holds)))
        vef_end(life.world || life.sessions > 0 ? VEF_LOG_EXITED : VEF_LOG_FINALIZED);
}
