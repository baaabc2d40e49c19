/* The other threads of a task, and their computation: see workers.h. */
#include "capture/clock/workers.h"

#include "common/system/descriptor.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef struct slot {
    pid_t thread;       /* 0: none now */
    bool openmp;        /* for threads that libgomp made */
    uint64_t before_ns; /* CPU time of earlier threads of this slot */
} slot;

static struct {
    pthread_mutex_t lock;
    slot *slots;       /* vef_worker_slots are in use */
    unsigned room;     /* capacity of `slots` */
    unsigned now;      /* threads in slots */
    unsigned made;     /* live threads that were made */
    unsigned most;     /* maximum of `made` so far */
    pthread_key_t key; /* set in threads that were made */
    bool has_key;      /* false: the process has no key left */
    pthread_once_t once;
} workers = {.lock = PTHREAD_MUTEX_INITIALIZER, .once = PTHREAD_ONCE_INIT};

atomic_uint vef_worker_slots;

/* The CPU clock of any thread of this process, by its kernel id: the result of
 * pthread_getcpuclockid, but safe for a thread that has ended. */
static clockid_t cpu_clock_of(pid_t thread) {
    enum { SCHEDULED = 2, OF_THREAD = 4 };
    return (clockid_t)((~(unsigned)thread << 3) | SCHEDULED | OF_THREAD);
}

static uint64_t cpu_ns(const slot *worker) {
    VEF_KEEP_ERRNO;
    struct timespec now = {0};
    if (worker->thread != 0 && clock_gettime(cpu_clock_of(worker->thread), &now) != 0)
        now = (struct timespec){0};
    return worker->before_ns + (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static pid_t own_number(void) {
    return (pid_t)syscall(SYS_gettid);
}

/* Locked. */
static void leave_slot(void) {
    pid_t caller = own_number();
    for (unsigned i = 0; i < vef_worker_slots; i++)
        if (workers.slots[i].thread == caller) {
            workers.slots[i].before_ns = cpu_ns(&workers.slots[i]);
            workers.slots[i].thread = 0;
            workers.now--;
        }
}

static void end_thread(void *ignored) {
    (void)ignored;
    pthread_mutex_lock(&workers.lock);
    leave_slot();
    workers.made--;
    pthread_mutex_unlock(&workers.lock);
}

static void make_key(void) {
    workers.has_key = pthread_key_create(&workers.key, end_thread) == 0;
}

/* The first empty slot, or a new one; -1 when memory runs out. Locked. */
static int find_slot(bool openmp) {
    unsigned count = vef_worker_slots;
    for (unsigned i = 0; i < count; i++)
        if (workers.slots[i].thread == 0 && workers.slots[i].openmp == openmp)
            return (int)i;
    if (count == workers.room) {
        unsigned room = 2 * workers.room + 16;
        slot *grown = realloc(workers.slots, room * sizeof *grown);
        if (grown == NULL)
            return -1;
        workers.slots = grown;
        workers.room = room;
    }
    workers.slots[count] = (slot){.openmp = openmp};
    return (int)count;
}

/* Earlier computation of the thread does not count. Locked. */
static void take_slot(pid_t thread, bool openmp) {
    int number = find_slot(openmp);
    if (number < 0)
        return;
    slot *taken = &workers.slots[number];
    uint64_t before_ns = taken->before_ns;
    taken->thread = thread;
    taken->before_ns = 0;
    taken->before_ns = before_ns - cpu_ns(taken);
    if ((unsigned)number == vef_worker_slots)
        vef_worker_slots++;
    workers.now++;
}

void vef_workers_add(bool openmp) {
    pthread_once(&workers.once, make_key);
    if (workers.has_key)
        pthread_setspecific(workers.key, &workers);
    pthread_mutex_lock(&workers.lock);
    take_slot(own_number(), openmp);
    workers.most += ++workers.made > workers.most;
    pthread_mutex_unlock(&workers.lock);
}

void vef_workers_leave(void) {
    pthread_mutex_lock(&workers.lock);
    leave_slot();
    pthread_mutex_unlock(&workers.lock);
}

void vef_workers_add_main(void) {
    pthread_mutex_lock(&workers.lock);
    if (own_number() != getpid())
        take_slot(getpid(), false);
    pthread_mutex_unlock(&workers.lock);
}

unsigned vef_workers_now(void) {
    pthread_mutex_lock(&workers.lock);
    unsigned now = workers.now;
    pthread_mutex_unlock(&workers.lock);
    return now;
}

unsigned vef_workers_most_threads(void) {
    pthread_mutex_lock(&workers.lock);
    unsigned most = workers.most + 1;
    pthread_mutex_unlock(&workers.lock);
    return most;
}

void vef_workers_begin(vef_stretch *stretch) {
    pthread_mutex_lock(&workers.lock);
    unsigned count = vef_worker_slots;
    if (count > stretch->room) {
        uint64_t *grown = realloc(stretch->cpu_ns, workers.room * sizeof *grown);
        if (grown != NULL) {
            stretch->cpu_ns = grown;
            stretch->room = workers.room;
        }
    }
    stretch->count = count < stretch->room ? count : stretch->room;
    for (unsigned i = 0; i < stretch->count; i++)
        stretch->cpu_ns[i] = cpu_ns(&workers.slots[i]);
    pthread_mutex_unlock(&workers.lock);
}

/* A newer slot began with 0. */
uint64_t vef_workers_longest(const vef_stretch *stretch, bool inside) {
    uint64_t longest = 0;
    pthread_mutex_lock(&workers.lock);
    unsigned count = vef_worker_slots;
    for (unsigned i = 0; i < count; i++) {
        if (workers.slots[i].openmp && !inside)
            continue;
        uint64_t now = cpu_ns(&workers.slots[i]);
        uint64_t before = i < stretch->count ? stretch->cpu_ns[i] : 0;
        if (now > before && now - before > longest)
            longest = now - before;
    }
    pthread_mutex_unlock(&workers.lock);
    return longest;
}

void vef_workers_forked(void) {
    pthread_mutex_init(&workers.lock, NULL);
    vef_worker_slots = workers.now = workers.made = workers.most = 0;
}
