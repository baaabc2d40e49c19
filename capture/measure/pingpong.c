/* vefpingpong: measures the point-to-point times of an MPI library between two tasks, for `vef fit
 * pingpong`. It uses nothing of MPI-2 or later but one-sided operations, where the library has
 * those of MPI-3, so that any MPI library compiles it:
 *     mpicc -std=c17 -D_GNU_SOURCE -O2 -I. -o vefpingpong capture/measure/pingpong.c
 *
 * The method is that of SimGrid's calibration (Degomme, Legrand, Markomanolis, Quinson, Stillwell
 * and Suter, "Simulating MPI Applications: The SMPI Approach", IEEE TPDS 28(8), 2017, section 5):
 * times inside single calls and round trips, at random sizes, log-uniform, in random order, so that
 * a drift of the machine does not look like an effect of the size.
 *
 * Task 0 orders each measurement by a message; task 1 obeys. Kinds of samples:
 *
 * - roundtrip: Send and Recv of task 0, answered by task 1
 * - exchange: inside Sendrecv of task 0, which both tasks call at once
 * - copy: inside Alltoallv of task 0, which both tasks call at once with data for themselves only
 * - send: inside Send, while task 1 is outside MPI: eager sizes only
 * - isend: inside Isend, likewise, all sizes
 * - receive: inside Recv of task 1, called after the message has arrived: eager sizes only
 * - blocked: inside Send, while task 1 does not call Recv before `delay_ns` have passed
 * - put, get, accumulate: one more Put, Get or Accumulate (a sum of bytes) before a flush, in an
 *   epoch of shared locks, while task 1 is in Recv
 * - flush: what a Put and its flush take besides
 * - train: one more of several messages that task 1 has posted receives for
 * - reduce: inside Reduce_local, a sum of doubles
 * - clock: between two readings of the clock
 *
 * Programs write what they send just before. So messages are written anew before each measurement;
 * those longer than the second-level cache are at changing places of a buffer that is larger than
 * caches. Buffers begin at random multiples of 8 bytes within a page: some processors copy at half
 * the speed when the destination's place in its page is just behind that of the source, which
 * happens to programs by chance only. Benchmarks that send one buffer again and again, such as
 * OSU's, are measured with -w: nothing is written, buffers stay where they are, and of several
 * round trips, exchanges or copies in a row, the first is not counted: processors also learn
 * branches. */
#include "common/rng.h"

#include <errno.h>
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef enum kind {
    ROUNDTRIP,
    EXCHANGE,
    COPY,
    SEND,
    ISEND,
    RECEIVE,
    BLOCKED,
    CLOCK,
    PUT,
    GET,
    ACCUMULATE,
    FLUSH,
    TRAIN,
    REDUCE,
    STOP
} kind;
static const char *const kind_names[] = {"roundtrip",  "exchange", "copy",  "send",  "isend",
                                         "receive",    "blocked",  "clock", "put",   "get",
                                         "accumulate", "flush",    "train", "reduce"};

enum { TAG_ORDER = 1, TAG_DATA, TAG_REPLY, ORDER_WORDS = 3, AT_A_VISIT = 4, VOTES = 5 };
enum { CLOCK_SAMPLES = 1000, WORD_BYTES = sizeof(int64_t) };
enum {
    IN_A_ROW = 32,
    FEW_IN_A_ROW = 8, /* of more than MANY_BYTES */
    MANY_BYTES = 128 << 10,
    LONG_BYTES = 4 << 20,
    LEAST_NS = 50
};
enum { BUFFER_BYTES = 64 << 20, USUAL_CACHE_BYTES = 1 << 20, PAGE_BYTES = 4096 };

typedef struct settings {
    const char *output;
    long sizes, repetitions, most_bytes, seed;
    double limit_s;
    bool quiet, warm;
} settings;

typedef struct facts {
    char host[MPI_MAX_PROCESSOR_NAME];
    int64_t wall_ns, cpu_ns, cores;
} facts;

/* What a task sends and receives. */
typedef struct buffers {
    char *sent;     /* data of this message in `sends` */
    char *received; /* place of this message in `receives` */
    char *sends;    /* `room` bytes */
    char *receives; /* `room` bytes */
    int64_t room;   /* size of a buffer */
    int64_t next;   /* place of the next long message */
#if MPI_VERSION >= 3
    char *shown; /* `room` bytes of task 1, for `window` */
    MPI_Win window;
#endif
    int64_t cache_bytes; /* longer messages are at changing places */
    bool warm;           /* all messages are at the same place, written once */
    vef_rng rng;
} buffers;

typedef struct session {
    const settings *chosen;
    FILE *out;
    buffers *data;
    int64_t began_ns, cpu_began_ns, said_ns;
    int64_t eager_bytes; /* the largest size that Send does not block for */
    bool one_node;       /* else what depends on the memory of a node is not measured */
} session;

static int64_t now_of(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int64_t now_ns(void) {
    return now_of(CLOCK_MONOTONIC);
}

/* Outside MPI, so that the library makes no progress. */
static void spin(int64_t ns) {
    const int64_t until = now_ns() + ns;
    while (now_ns() < until)
        ;
}

static void send_bytes(const void *data, int64_t bytes, int to, int tag) {
    MPI_Send((void *)(uintptr_t)data, (int)bytes, MPI_BYTE, to, tag, MPI_COMM_WORLD);
}

static void receive_bytes(void *data, int64_t bytes, int from, int tag) {
    MPI_Recv(data, (int)bytes, MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* ---- buffers ---- */

static char *make_buffer(int64_t room, int value) {
    char *buffer = aligned_alloc(PAGE_BYTES, (size_t)(room + PAGE_BYTES));
    if (buffer)
        memset(buffer, value, (size_t)(room + PAGE_BYTES)); /* so that it has pages */
    return buffer;
}

static bool make_buffers(buffers *data, const settings *chosen, int rank) {
    const long cache_bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
    const int64_t least = chosen->most_bytes > BUFFER_BYTES ? chosen->most_bytes : BUFFER_BYTES;
    *data = (buffers){
        .room = (least + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES,
        .cache_bytes = cache_bytes > 0 ? cache_bytes : USUAL_CACHE_BYTES,
        .warm = chosen->warm,
        .rng = vef_rng_make((uint64_t)chosen->seed, VEF_RNG_MEASUREMENT, 1 + (uint64_t)rank)};
    data->sent = data->sends = make_buffer(data->room, 1);
    data->received = data->receives = make_buffer(data->room, 2);
    return data->sends && data->receives;
}

/* Opens and closes the epoch of one-sided operations. Task 1 shows as much as task 0 has. */
static void open_window(buffers *data, int rank) {
#if MPI_VERSION >= 3
    MPI_Win_allocate(rank == 1 ? (MPI_Aint)(data->room + PAGE_BYTES) : 0, 1, MPI_INFO_NULL,
                     MPI_COMM_WORLD, &data->shown, &data->window);
    if (rank == 1)
        memset(data->shown, 3, (size_t)(data->room + PAGE_BYTES)); /* so that it has pages */
    MPI_Win_lock_all(0, data->window);
    MPI_Barrier(MPI_COMM_WORLD);
#else
    (void)data, (void)rank;
#endif
}

static void close_window(buffers *data) {
#if MPI_VERSION >= 3
    MPI_Win_unlock_all(data->window);
    MPI_Win_free(&data->window);
#else
    (void)data;
#endif
}

static void free_buffers(buffers *data) {
    free(data->sends);
    free(data->receives);
}

static int64_t draw_offset(vef_rng *rng) {
    return WORD_BYTES * vef_rng_below(rng, PAGE_BYTES / WORD_BYTES);
}

/* Before each message: its places and its data. */
static void prepare(buffers *data, int64_t bytes) {
    const bool cached = bytes <= data->cache_bytes;
    if (data->warm)
        return;
    if (cached || data->next + bytes > data->room)
        data->next = 0;
    data->sent = data->sends + data->next + draw_offset(&data->rng);
    data->received = data->receives + data->next + draw_offset(&data->rng);
    memset(data->sent, (int)bytes, (size_t)bytes);
    if (!cached)
        data->next += (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

/* ---- both tasks ---- */

static void exchange(const buffers *data, int64_t bytes, int with) {
    MPI_Sendrecv(data->sent, (int)bytes, MPI_BYTE, with, TAG_DATA, data->received, (int)bytes,
                 MPI_BYTE, with, TAG_DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static int in_a_row(int64_t bytes) {
    return bytes <= MANY_BYTES ? IN_A_ROW : FEW_IN_A_ROW;
}

/* How often a round trip, an exchange or a copy is done. */
static int64_t times_of(const buffers *data, int64_t bytes) {
    return data->warm ? in_a_row(bytes) : 1;
}

/* Of the time of all but the first of several, or of one. */
static int64_t mean_of(int64_t ns, int64_t times) {
    return times > 1 ? ns / (times - 1) : ns;
}

/* Libraries copy to the own task like this, whether by a message or not. */
static void copy_own(const buffers *data, int64_t bytes, int with) {
    const int sizes[2] = {with == 0 ? 0 : (int)bytes, with == 1 ? 0 : (int)bytes};
    const int places[2] = {0, 0};
    MPI_Alltoallv(data->sent, (int *)(uintptr_t)sizes, (int *)(uintptr_t)places, MPI_BYTE,
                  data->received, (int *)(uintptr_t)sizes, (int *)(uintptr_t)places, MPI_BYTE,
                  MPI_COMM_WORLD);
}

/* EXCHANGE, COPY: begins when both tasks do, within the time of a short message. */
static int64_t do_at_once(kind what, const buffers *data, int64_t bytes, int64_t times, int with) {
    if (with == 1) {
        receive_bytes(NULL, 0, with, TAG_REPLY); /* task 1 is ready */
        send_bytes(NULL, 0, with, TAG_REPLY);
    } else {
        send_bytes(NULL, 0, with, TAG_REPLY);
        receive_bytes(NULL, 0, with, TAG_REPLY);
    }
    int64_t began_ns = now_ns();
    for (int64_t i = 0; i < times; i++) {
        if (i == 1)
            began_ns = now_ns();
        if (what == EXCHANGE)
            exchange(data, bytes, with);
        else
            copy_own(data, bytes, with);
    }
    return mean_of(now_ns() - began_ns, times);
}

/* ---- task 1 ---- */

static void receive_train(const buffers *data, int64_t bytes, int count) {
    MPI_Request requests[IN_A_ROW];
    MPI_Status statuses[IN_A_ROW];
    for (int i = 0; i < count; i++)
        MPI_Irecv(data->received, (int)bytes, MPI_BYTE, 0, TAG_DATA, MPI_COMM_WORLD, &requests[i]);
    send_bytes(NULL, 0, 0, TAG_REPLY);
    MPI_Waitall(count, requests, statuses);
    send_bytes(NULL, 0, 0, TAG_REPLY);
}

static void obey(buffers *data) {
    int64_t order[ORDER_WORDS], took_ns;
    for (;;) {
        receive_bytes(order, sizeof order, 0, TAG_ORDER);
        if (order[0] == STOP)
            return;
        prepare(data, order[1]);
        if (order[0] == ROUNDTRIP) {
            for (int64_t i = 0; i < order[2]; i++) {
                receive_bytes(data->received, order[1], 0, TAG_DATA);
                send_bytes(data->sent, order[1], 0, TAG_DATA);
            }
            continue;
        }
        if (order[0] == EXCHANGE || order[0] == COPY) {
            do_at_once((kind)order[0], data, order[1], order[2], 0);
            continue;
        }
        if (order[0] == TRAIN) {
            receive_train(data, order[1], (int)order[2]);
            continue;
        }
        spin(order[2]);
        took_ns = now_ns();
        receive_bytes(data->received, order[1], 0, TAG_DATA);
        took_ns = now_ns() - took_ns;
        send_bytes(&took_ns, WORD_BYTES, 0, TAG_REPLY);
    }
}

/* ---- task 0 ---- */

static void order(kind what, int64_t bytes, int64_t delay_ns) {
    const int64_t words[ORDER_WORDS] = {what, bytes, delay_ns};
    send_bytes(words, sizeof words, 1, TAG_ORDER);
}

/* A difference of two times, which noise may make negative. */
static int64_t positive(int64_t ns) {
    return ns > LEAST_NS ? ns : LEAST_NS;
}

static void record(const session *run, kind what, int64_t bytes, int64_t ns, int64_t delay_ns) {
    fprintf(run->out, "%s,%lld,%lld,%lld\n", kind_names[what], (long long)bytes, (long long)ns,
            (long long)delay_ns);
}

static int64_t measure_roundtrip(const session *run, int64_t bytes) {
    const int64_t times = times_of(run->data, bytes);
    order(ROUNDTRIP, bytes, times);
    prepare(run->data, bytes);
    spin(2000); /* task 1 has received the order and waits for the data */
    int64_t began_ns = now_ns();
    for (int64_t i = 0; i < times; i++) {
        if (i == 1)
            began_ns = now_ns();
        send_bytes(run->data->sent, bytes, 1, TAG_DATA);
        receive_bytes(run->data->received, bytes, 1, TAG_DATA);
    }
    return mean_of(now_ns() - began_ns, times);
}

#if MPI_VERSION >= 3
static int64_t measure_operations(const session *run, kind what, int64_t bytes, int count) {
    const buffers *data = run->data;
    prepare(run->data, bytes);
    const MPI_Aint place = data->received - data->receives;
    const int64_t began_ns = now_ns();
    for (int i = 0; i < count; i++)
        if (what == PUT)
            MPI_Put(data->sent, (int)bytes, MPI_BYTE, 1, place, (int)bytes, MPI_BYTE, data->window);
        else if (what == GET)
            MPI_Get(data->sent, (int)bytes, MPI_BYTE, 1, place, (int)bytes, MPI_BYTE, data->window);
        else
            MPI_Accumulate(data->sent, (int)bytes, MPI_SIGNED_CHAR, 1, place, (int)bytes,
                           MPI_SIGNED_CHAR, MPI_SUM, data->window);
    MPI_Win_flush(1, data->window);
    return now_ns() - began_ns;
}

static void visit_operations(const session *run, int64_t bytes) {
    for (kind what = PUT; what <= ACCUMULATE; what++) {
        const int64_t alone_ns = measure_operations(run, what, bytes, 1);
        const int count = in_a_row(bytes);
        const int64_t more_ns =
            (measure_operations(run, what, bytes, count) - alone_ns) / (count - 1);
        record(run, what, bytes, positive(more_ns), 0);
        if (what == PUT)
            record(run, FLUSH, bytes, positive(alone_ns - more_ns), 0);
    }
}
#endif

/* Several messages whose receives task 1 has posted, until it has them all. */
static int64_t measure_train(const session *run, int64_t bytes, int count) {
    MPI_Request requests[IN_A_ROW];
    MPI_Status statuses[IN_A_ROW];
    order(TRAIN, bytes, count);
    prepare(run->data, bytes);
    receive_bytes(NULL, 0, 1, TAG_REPLY);
    const int64_t began_ns = now_ns();
    for (int i = 0; i < count; i++)
        MPI_Isend(run->data->sent, (int)bytes, MPI_BYTE, 1, TAG_DATA, MPI_COMM_WORLD, &requests[i]);
    MPI_Waitall(count, requests, statuses);
    receive_bytes(NULL, 0, 1, TAG_REPLY);
    return now_ns() - began_ns;
}

static int64_t measure_reduce(const session *run, int64_t bytes) {
    prepare(run->data, bytes);
    const int64_t began_ns = now_ns();
    MPI_Reduce_local(run->data->sent, run->data->received, (int)(bytes / WORD_BYTES), MPI_DOUBLE,
                     MPI_SUM);
    return now_ns() - began_ns;
}

static int64_t measure_both(const session *run, kind what, int64_t bytes) {
    const int64_t times = times_of(run->data, bytes);
    order(what, bytes, times);
    prepare(run->data, bytes);
    return do_at_once(what, run->data, bytes, times, 1);
}

/* Send (SEND, BLOCKED) or Isend; `*receive_ns`: the time inside task 1's Recv. */
static int64_t measure_send(const session *run, kind what, int64_t bytes, int64_t delay_ns,
                            int64_t *receive_ns) {
    MPI_Request request = MPI_REQUEST_NULL;
    prepare(run->data, bytes);
    order(what, bytes, delay_ns);
    int64_t took_ns = now_ns();
    if (what == ISEND)
        MPI_Isend(run->data->sent, (int)bytes, MPI_BYTE, 1, TAG_DATA, MPI_COMM_WORLD, &request);
    else
        send_bytes(run->data->sent, bytes, 1, TAG_DATA);
    took_ns = now_ns() - took_ns;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    receive_bytes(receive_ns, WORD_BYTES, 1, TAG_REPLY);
    return took_ns;
}

/* Whether Send waits for the receiver: most of a few sends take half of the receiver's delay or
 * more. The fit decides by itself from the samples (replay/fit/threshold.c). */
static bool blocks(const session *run, int64_t bytes) {
    int64_t ignored, longest = 0;
    int votes = 0;
    for (int i = 0; i < 2; i++) {
        const int64_t took = measure_roundtrip(run, bytes);
        longest = took > longest ? took : longest;
    }
    const int64_t delay_ns = 2000000 + 2 * (longest < 10000000 ? longest : 10000000);
    for (int i = 0; i < VOTES; i++) {
        const int64_t took_ns = measure_send(run, BLOCKED, bytes, delay_ns, &ignored);
        record(run, BLOCKED, bytes, took_ns, delay_ns);
        votes += took_ns > delay_ns / 2;
    }
    return votes > VOTES / 2;
}

/* The eager threshold by bisection. */
static int64_t find_eager_bytes(const session *run) {
    int64_t eager = 0, blocked = run->chosen->most_bytes;
    if (!blocks(run, blocked))
        return blocked;
    while (blocked - eager > 1) {
        const int64_t middle = eager + (blocked - eager) / 2;
        if (blocks(run, middle))
            blocked = middle;
        else
            eager = middle;
    }
    return eager;
}

static void visit(const session *run, int64_t bytes, long count) {
    int64_t receive_ns;
    const int64_t first_ns = measure_roundtrip(run, bytes); /* warms the caches up */
    const int64_t delay_ns = 5000 + 2 * first_ns;
    for (long i = 0; i < count; i++)
        record(run, ROUNDTRIP, bytes, measure_roundtrip(run, bytes), 0);
    for (long i = 0; i < count && run->one_node; i++)
        record(run, EXCHANGE, bytes, measure_both(run, EXCHANGE, bytes), 0);
    for (long i = 0; i < count; i++)
        record(run, COPY, bytes, measure_both(run, COPY, bytes), 0);
    for (long i = 0; i < count && run->one_node && bytes <= LONG_BYTES; i++) {
#if MPI_VERSION >= 3
        visit_operations(run, bytes);
#endif
        const int64_t alone_ns = measure_train(run, bytes, 1);
        const int more = in_a_row(bytes);
        const int64_t row_ns = measure_train(run, bytes, more);
        record(run, TRAIN, bytes, positive((row_ns - alone_ns) / (more - 1)), 0);
    }
    for (long i = 0; i < count && bytes >= WORD_BYTES && bytes <= LONG_BYTES; i++)
        record(run, REDUCE, bytes, measure_reduce(run, bytes), 0);
    for (long i = 0; i < count; i++)
        record(run, ISEND, bytes, measure_send(run, ISEND, bytes, delay_ns, &receive_ns), delay_ns);
    for (long i = 0; i < count && bytes <= run->eager_bytes; i++) {
        const int64_t took_ns = measure_send(run, SEND, bytes, delay_ns, &receive_ns);
        record(run, SEND, bytes, took_ns, delay_ns);
        record(run, RECEIVE, bytes, receive_ns, delay_ns);
    }
}

static void shuffle(int64_t *sizes, long count, vef_rng *rng) {
    for (long i = count - 1; i > 0; i--) {
        const uint32_t other = vef_rng_below(rng, (uint32_t)i + 1);
        const int64_t size = sizes[i];
        sizes[i] = sizes[other];
        sizes[other] = size;
    }
}

static void say(session *run, long done, long total) {
    const int64_t now = now_ns();
    if (run->chosen->quiet || now - run->said_ns < 5000000000)
        return;
    run->said_ns = now;
    fprintf(stderr, "vefpingpong: %ld %%, %.0f s\n", done * 100 / total,
            (double)(now - run->began_ns) * 1e-9);
}

/* Log-uniform sizes in rounds, each in another random order, until the time is over. */
static void measure_all(session *run, int64_t *sizes) {
    const settings *chosen = run->chosen;
    vef_rng rng = vef_rng_make((uint64_t)chosen->seed, VEF_RNG_MEASUREMENT, 0);
    for (long i = 0; i < chosen->sizes; i++)
        sizes[i] = (int64_t)exp(vef_rng_unit(&rng) * log((double)chosen->most_bytes + 0.5));
    const long rounds = (chosen->repetitions + AT_A_VISIT - 1) / AT_A_VISIT;
    for (long i = 0; i < CLOCK_SAMPLES; i++) {
        const int64_t began = now_ns();
        record(run, CLOCK, 0, now_ns() - began, 0);
    }
    run->eager_bytes = find_eager_bytes(run);
    for (long round = 0; round < rounds; round++) {
        const long left = chosen->repetitions - round * AT_A_VISIT;
        shuffle(sizes, chosen->sizes, &rng);
        for (long i = 0; i < chosen->sizes; i++) {
            if ((double)(now_ns() - run->began_ns) * 1e-9 > chosen->limit_s)
                return;
            visit(run, sizes[i], left < AT_A_VISIT ? left : AT_A_VISIT);
            say(run, round * chosen->sizes + i, rounds * chosen->sizes);
        }
    }
}

/* The name of the MPI library. */
static const char *library_of(char library[MPI_MAX_LIBRARY_VERSION_STRING]) {
    int length;
    *library = '\0';
    MPI_Get_library_version(library, &length);
    library[strcspn(library, "\r\n")] = '\0';
    for (char *c = library; *c; c++)
        *c = *c < ' ' ? ' ' : *c;
    return library;
}

/* Whether this task is the launcher's first one, also if each is alone for its MPI library, which
 * is not the launcher's. */
static bool is_first(void) {
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]) != NULL && strcmp(getenv(names[i]), "0") != 0)
            return false;
    return true;
}

static void write_facts(const session *run, const facts *tasks) {
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    fprintf(run->out, "# library 0 %s\n", library_of(library));
    for (int task = 0; task < 2; task++)
        fprintf(run->out, "# host %d %s\n# cores %d %lld\n# wall_ns %d %lld\n# cpu_ns %d %lld\n",
                task, tasks[task].host, task, (long long)tasks[task].cores, task,
                (long long)tasks[task].wall_ns, task, (long long)tasks[task].cpu_ns);
    fprintf(run->out, "# seed 0 %ld\n# warm 0 %d\n", run->chosen->seed, run->chosen->warm);
}

/* ---- both ---- */

static bool read_settings(int argc, char **argv, settings *chosen) {
    *chosen = (settings){
        .sizes = 150, .repetitions = 40, .most_bytes = 16 << 20, .seed = 1, .limit_s = 45};
    long *const numbers[] = {['n'] = &chosen->sizes,
                             ['r'] = &chosen->repetitions,
                             ['m'] = &chosen->most_bytes,
                             ['s'] = &chosen->seed};
    for (int option; (option = getopt(argc, argv, "o:n:r:m:s:t:qw")) != -1;) {
        char *end = "";
        if (option == '?')
            return false;
        if (option == 'o')
            chosen->output = optarg;
        else if (option == 't')
            chosen->limit_s = strtod(optarg, &end);
        else if (option == 'q')
            chosen->quiet = true;
        else if (option == 'w')
            chosen->warm = true;
        else
            *numbers[option] = strtol(optarg, &end, 10);
        if (*end != '\0')
            return false;
    }
    return chosen->output && optind == argc && chosen->sizes > 0 && chosen->sizes <= 100000 &&
           chosen->repetitions > 0 && chosen->most_bytes > 0 && chosen->most_bytes <= 1 << 30 &&
           chosen->limit_s >= 0;
}

static void times_begin(session *run, int rank) {
    char names[2][MPI_MAX_PROCESSOR_NAME] = {{0}};
    int length;
    MPI_Get_processor_name(names[0], &length);
    MPI_Sendrecv(names[0], MPI_MAX_PROCESSOR_NAME, MPI_CHAR, 1 - rank, TAG_DATA, names[1],
                 MPI_MAX_PROCESSOR_NAME, MPI_CHAR, 1 - rank, TAG_DATA, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    run->one_node = strcmp(names[0], names[1]) == 0;
    MPI_Barrier(MPI_COMM_WORLD);
    run->began_ns = run->said_ns = now_ns();
    run->cpu_began_ns = now_of(CLOCK_PROCESS_CPUTIME_ID);
}

/* The facts of both tasks, in task 0. */
static void exchange_facts(const session *run, int rank, facts *tasks) {
    int length;
    facts mine = {.wall_ns = now_ns() - run->began_ns,
                  .cpu_ns = now_of(CLOCK_PROCESS_CPUTIME_ID) - run->cpu_began_ns,
                  .cores = sysconf(_SC_NPROCESSORS_ONLN)};
    MPI_Get_processor_name(mine.host, &length);
    if (rank == 1) {
        send_bytes(&mine, sizeof mine, 0, TAG_REPLY);
        return;
    }
    tasks[0] = mine;
    receive_bytes(&tasks[1], sizeof tasks[1], 1, TAG_REPLY);
}

/* What task 0 does; returns the exit status. */
static int lead(session *run, int64_t *sizes) {
    facts tasks[2];
    fputs("# vefpingpong 1\nkind,bytes,ns,delay_ns\n", run->out);
    measure_all(run, sizes);
    order(STOP, 0, 0);
    exchange_facts(run, 0, tasks);
    write_facts(run, tasks);
    const bool failed = ferror(run->out) != 0 || fflush(run->out) != 0 ||
                        (fsync(fileno(run->out)) != 0 && errno != EINVAL && errno != ENOTSUP);
    if (fclose(run->out) != 0 || failed) {
        fprintf(stderr, "vefpingpong: %s: %s\n", run->chosen->output, strerror(errno));
        return 1;
    }
    return 0;
}

int main(int argc, char **argv) {
    settings chosen;
    buffers data = {0};
    session run = {.chosen = &chosen, .data = &data};
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int rank, tasks, status = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &tasks);
    if (!read_settings(argc, argv, &chosen)) {
        if (rank == 0)
            fputs(
                "usage: mpiexec -n 2 vefpingpong -o FILE [-n SIZES] [-r REPETITIONS] [-m BYTES]\n"
                "       [-s SEED] [-t SECONDS] [-q] [-w]\n",
                stderr);
        MPI_Finalize();
        return 2;
    }
    if (tasks != 2) {
        if (rank == 0 && is_first())
            fprintf(stderr,
                    "vefpingpong: expected 2 tasks, not %d: start it with the launcher of "
                    "%s\n",
                    tasks, library_of(library));
        MPI_Finalize();
        return 2;
    }
    int64_t *sizes = calloc((size_t)chosen.sizes, sizeof *sizes);
    const bool made = make_buffers(&data, &chosen, rank);
    run.out = rank == 0 ? fopen(chosen.output, "w") : NULL;
    if (!sizes || !made || (rank == 0 && !run.out)) {
        fprintf(stderr, "vefpingpong: %s: %s\n",
                sizes && made ? chosen.output : "the message buffers", strerror(errno));
        MPI_Abort(MPI_COMM_WORLD, 1);
        return 1;
    }
    open_window(&data, rank);
    times_begin(&run, rank);
    if (rank == 0) {
        status = lead(&run, sizes);
    } else {
        obey(&data);
        exchange_facts(&run, rank, NULL);
    }
    close_window(&data);
    free(sizes);
    free_buffers(&data);
    MPI_Finalize();
    return status;
}
