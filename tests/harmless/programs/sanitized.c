/* Programs under sanitizers: messages, threads, signals, and with argv[1] a mistake that the
 * sanitizer has to find. Compiled with MPI (WITH_MPI) and without. */
#ifdef WITH_MPI
#include "harmless.h"
#else
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#endif
#include <limits.h>
#include <pthread.h>
#include <signal.h>

static volatile int shared, wide = INT_MAX;
static void *increment(void *lock) {
    for (int i = 0; i < 1000; i++) {
        if (lock != NULL)
            pthread_mutex_lock(lock);
        shared++;
        if (lock != NULL)
            pthread_mutex_unlock(lock);
    }
    return NULL;
}
static void count(pthread_mutex_t *lock) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, increment, lock);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}
static void handler(int number) {
    (void)number;
}

int main(int argc, char **argv) {
    const char *mistake = argc > 1 ? argv[1] : "";
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    char *block = malloc(64);
    int wrong = 0;
    memset(block, 1, 64);
    signal(SIGUSR2, handler);
    raise(SIGUSR2);
#ifdef WITH_MPI
    begin(&argc, &argv);
    talk(50);
#endif
    count(&lock);
    wrong += shared != 2000;
    printf("threads: %s\n", wrong == 0 ? "right" : "WRONG");
    fflush(stdout);
    if (strcmp(mistake, "overflow") == 0)
        block[(volatile int){64}] = 1;
    if (strcmp(mistake, "freed") == 0) {
        free(block);
        wrong += block[(volatile int){5}] == 77;
        block = NULL;
    }
    if (strcmp(mistake, "integer") == 0)
        wide += 1;
    if (strcmp(mistake, "race") == 0)
        count(NULL);
    if (strcmp(mistake, "leak") == 0)
        block = NULL;
    free(block);
#ifdef WITH_MPI
    wrong += finish();
#endif
    return wrong != 0;
}
