/* Threads in every form, made before and after MPI_Init: pthreads, C11, OpenMP, timers. argv[1]:
 * the case. */
#include "harmless.h"
#include "state.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <threads.h>
#include <time.h>
#ifdef _OPENMP
#include <omp.h>
#endif

enum { THREADS = 4 };

static void *square(void *number) {
    intptr_t value = (intptr_t)number;
    return (void *)(value * value);
}

static void created(void) {
    pthread_t threads[THREADS];
    bool right = true;
    for (intptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, square, (void *)i);
    for (intptr_t i = 0; i < THREADS; i++) {
        void *result;
        right &= pthread_join(threads[i], &result) == 0 && (intptr_t)result == i * i;
    }
    check(right, "results of threads");
    check(pthread_join(pthread_self(), NULL) == EDEADLK, "a thread that joins itself");
}

static sem_t done;
static void *post(void *none) {
    (void)none;
    sem_post(&done);
    return NULL;
}
static void detached(void) {
    pthread_attr_t attributes;
    pthread_t thread;
    sem_init(&done, 0, 0);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    for (int i = 0; i < 50; i++) {
        check(pthread_create(&thread, i % 2 ? &attributes : NULL, post, NULL) == 0, "thread %d", i);
        if (i % 2 == 0)
            pthread_detach(thread);
        sem_wait(&done);
    }
}

static char order[128];
static void clean(void *text) {
    strcat(order, text);
}
static pthread_key_t key;
static void *waits_for_cancel(void *none) {
    (void)none;
    pthread_setspecific(key, "key ");
    pthread_cleanup_push(clean, "first ");
    pthread_cleanup_push(clean, "second ");
    sem_post(&done);
    for (;;)
        pause();
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return NULL;
}
static void cancelled(void) {
    pthread_t thread;
    void *result = NULL;
    sem_init(&done, 0, 0);
    pthread_key_create(&key, clean);
    pthread_create(&thread, NULL, waits_for_cancel, NULL);
    sem_wait(&done);
    pthread_cancel(thread);
    check(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED, "a cancelled thread");
    check(strcmp(order, "second first key ") == 0, "its cleanup: %s", order);
}

static void *exits_early(void *none) {
    (void)none;
    pthread_exit((void *)5);
}
static void exited(void) {
    pthread_t thread;
    void *result = NULL;
    pthread_create(&thread, NULL, exits_early, NULL);
    check(pthread_join(thread, &result) == 0 && (intptr_t)result == 5, "pthread_exit");
    pthread_create(&thread, NULL, exits_early, NULL);
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 50;
    check(pthread_timedjoin_np(thread, &result, &limit) == 0 && (intptr_t)result == 5,
          "pthread_timedjoin_np");
    pthread_create(&thread, NULL, exits_early, NULL);
    while (pthread_tryjoin_np(thread, &result) == EBUSY)
        sched_yield();
    check((intptr_t)result == 5, "pthread_tryjoin_np");
}

static void *look_around(void *expected) {
    pthread_attr_t attributes;
    void *stack;
    size_t size, guard;
    char name[32] = "";
    sigset_t mask;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &stack, &size);
    pthread_attr_getguardsize(&attributes, &guard);
    pthread_getname_np(pthread_self(), name, sizeof name);
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    check(size == *(size_t *)expected && (char *)&attributes > (char *)stack &&
              (char *)&attributes < (char *)stack + size,
          "the stack of a thread");
    printf("name %s, guard %zu, USR2 blocked %d, object of the start %s\n", name, guard,
           sigismember(&mask, SIGUSR2), object_of((void *)look_around));
    return NULL;
}
static void attributes_kept(void) {
    static char own[1 << 18] __attribute__((aligned(4096)));
    size_t size = 1 << 19, own_size = sizeof own;
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t set, former;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, &former);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, size);
    pthread_attr_setguardsize(&attributes, 8192);
    check(pthread_create(&thread, &attributes, look_around, &size) == 0 &&
              pthread_join(thread, NULL) == 0,
          "a size");
    pthread_attr_setstack(&attributes, own, sizeof own);
    check(pthread_create(&thread, &attributes, look_around, &own_size) == 0 &&
              pthread_join(thread, NULL) == 0,
          "an own stack");
    pthread_sigmask(SIG_SETMASK, &former, NULL);
}

static void impossible(void) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, (size_t)1 << 46);
    errno = 0;
    check(pthread_create(&thread, &attributes, square, NULL) == EAGAIN,
          "a thread that cannot be made");
    printf("errno %d\n", errno);
    check(pthread_attr_setstacksize(&attributes, 1) == EINVAL, "an impossible size");
}

static int c11_body(void *number) {
    return *(int *)number + 1;
}
static once_flag once = ONCE_FLAG_INIT;
static int times;
static void count_once(void) {
    times++;
}
static void c11(void) {
    thrd_t threads[THREADS];
    bool right = true;
    int numbers[THREADS], result;
    mtx_t lock;
    mtx_init(&lock, mtx_plain);
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        right &= thrd_create(&threads[i], c11_body, &numbers[i]) == thrd_success;
        call_once(&once, count_once);
    }
    for (int i = 0; i < THREADS; i++)
        right &= thrd_join(threads[i], &result) == thrd_success && result == i + 1;
    check(right && times == 1, "C11 threads");
}

static atomic_long total;
static void *exchanges(void *number) {
    int tag = (int)(intptr_t)number, in;
    for (int i = 0; i < 50; i++) {
        MPI_Sendrecv(&i, 1, MPI_INT, (me + 1) % tasks, tag, &in, 1, MPI_INT,
                     (me + tasks - 1) % tasks, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        atomic_fetch_add(&total, in);
    }
    return NULL;
}
static void multiple(void) {
    pthread_t threads[THREADS];
    for (intptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, exchanges, (void *)(10 + i));
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    check(total == THREADS * 50 * 49 / 2, "messages of threads");
}

static void on_timer(union sigval value) {
    if (value.sival_int == 4)
        sem_post(&done);
}
static void timers(void) {
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD,
                             .sigev_notify_function = on_timer,
                             .sigev_value.sival_int = 4};
    struct itimerspec soon = {.it_value.tv_nsec = 1000000};
    sem_init(&done, 0, 0);
    check(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 &&
              timer_settime(timer, 0, &soon, NULL) == 0,
          "a timer");
    sem_wait(&done);
    if (tasks > 0)
        talk(5);
    check(timer_delete(timer) == 0, "a timer in a thread");
}

static pthread_barrier_t barrier;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static int arrived;
static void *meets(void *none) {
    (void)none;
    for (int i = 0; i < 100; i++) {
        pthread_barrier_wait(&barrier);
        pthread_mutex_lock(&lock);
        arrived++;
        pthread_cond_broadcast(&ready);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}
static void pools(void) {
    pthread_t threads[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, meets, NULL);
    for (int i = 1; i <= 100; i++) {
        pthread_mutex_lock(&lock);
        while (arrived < i * THREADS)
            pthread_cond_wait(&ready, &lock);
        pthread_mutex_unlock(&lock);
        if (i % 25 == 0)
            talk(3);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    check(arrived == 100 * THREADS, "a pool of threads");
}

static void openmp(void) {
#ifdef _OPENMP
    long sum = 0, ordered = 0;
    int most = 0, sections = 0, inner = 0;
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 7)
    for (int i = 1; i <= 10000; i++)
        sum += i;
    check(sum == 50005000, "a dynamic loop");
    sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(guided)
    for (int i = 1; i <= 10000; i++)
        sum += i;
    check(sum == 50005000, "a guided loop");
    sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(runtime)
    for (int i = 1; i <= 10000; i++)
        sum += i;
    check(sum == 50005000, "a loop whose schedule is chosen at run time");
#pragma omp parallel for ordered reduction(+ : sum)
    for (int i = 0; i < 100; i++)
#pragma omp ordered
        ordered = ordered * 3 % 1000 + i;
    printf("ordered %ld\n", ordered);
#pragma omp parallel sections reduction(+ : sections)
    {
#pragma omp section
        sections += 1;
#pragma omp section
        sections += 10;
#pragma omp section
        sections += 100;
    }
    check(sections == 111, "sections");
#pragma omp parallel num_threads(3) reduction(max : most)
    most = omp_get_num_threads();
    printf("threads %d, most %d, level %d\n", most, omp_get_max_threads(), omp_get_level());
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) reduction(+ : inner)
    {
        int mine = 0;
#pragma omp parallel num_threads(2) reduction(+ : mine)
        mine += omp_get_level();
        inner += mine;
    }
    check(inner >= 4, "nested regions: %d", inner);
    sum = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 100; i++)
#pragma omp task shared(sum) firstprivate(i)
    {
#pragma omp atomic
        sum += i;
    }
    check(sum == 4950, "tasks");
    for (int i = 0; i < 10; i++) {
#pragma omp parallel
#pragma omp master
        MPI_Barrier(MPI_COMM_WORLD);
    }
    check(true, "barriers inside regions");
#endif
}

static const test_case cases[] = {
    {"created", created},
    {"detached", detached},
    {"cancelled", cancelled},
    {"exited", exited},
    {"attributes", attributes_kept},
    {"impossible", impossible},
    {"c11", c11},
    {"multiple", multiple},
    {"timers", timers},
    {"pools", pools},
    {"openmp", openmp},
    {NULL, NULL},
};

/* argv[2]: "early": the case runs before MPI_Init too. */
int main(int argc, char **argv) {
    const test_case *chosen = find_case(cases, argv[1]);
    int provided;
    if (argc > 2 && strcmp(argv[2], "early") == 0)
        chosen->run();
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &tasks);
    times = 0, arrived = 0, order[0] = '\0', once = (once_flag)ONCE_FLAG_INIT;
    talk(10);
    chosen->run();
    return finish();
}
