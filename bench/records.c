/* Measures how long one minimal routing record takes, from two routers' numbers to a record drawn
 * evenly among ties: the table of netmodel/topology/lattice/lattice.h, and on RTT the formula that
 * routings use. Pairs are random; the best of several rounds counts. */
#include "common/rng.h"
#include "netmodel/topology/lattice/lattice.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PAIRS = 1 << 16, ROUNDS = 20 };

/* What a generator is asked: records from `source` to `destination` on a network of `width`. */
typedef struct question {
    vef_topology *topology;
    vef_lattice lattice; /* a copy of the topology's */
    uint32_t source[PAIRS], destination[PAIRS];
    vef_rng rng;
} question;

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static uint32_t draw(question *q, uint32_t count) {
    return count > 1 ? vef_rng_below(&q->rng, count) : 0;
}

/* Each returns a sum of its records, so that none is optimised away. */

static int64_t by_lattice(question *q) {
    int64_t sum = 0;
    const vef_lattice *lattice = &q->lattice;
    for (uint32_t i = 0; i < PAIRS; i++) {
        vef_minimal minimal;
        vef_lattice_minimal(lattice, q->source[i], q->destination[i], &minimal);
        const int16_t *record =
            minimal.records + (size_t)draw(q, minimal.count) * lattice->generators;
        for (uint32_t g = 0; g < lattice->generators; g++)
            sum += record[g] + minimal.straight[g];
    }
    return sum;
}

/* The table even where the lattice is an RTT. */
static int64_t by_table(question *q) {
    const int32_t rtt = q->lattice.rtt;
    q->lattice.rtt = 0;
    const int64_t sum = by_lattice(q);
    q->lattice.rtt = rtt;
    return sum;
}

static volatile int64_t result;

static void measure(const char *name, question *q, int64_t (*generate)(question *)) {
    double best = 0;
    for (int round = 0; round < ROUNDS; round++) {
        const double start = seconds();
        result = generate(q);
        const double took = seconds() - start;
        best = round == 0 || took < best ? took : best;
    }
    printf("    %-36s %6.1f ns/record\n", name, best * 1e9 / PAIRS);
}

static question *question_of(const char *yaml) {
    static question q;
    vef_arena arena = {0};
    vef_node *node = NULL;
    vef_topology *topology = NULL;
    vef_error error = {0};
    if (vef_config_parse(yaml, "bench", &arena, &node, &error) ||
        vef_topology_create(node, 1, &topology, &error)) {
        fprintf(stderr, "records: %s\n", error.message);
        exit(2);
    }
    vef_arena_release(&arena);
    q.topology = topology;
    q.lattice = *topology->lattice;
    q.rng = vef_rng_make(1, VEF_RNG_TEST, 0);
    for (uint32_t i = 0; i < PAIRS; i++) {
        q.source[i] = vef_rng_below(&q.rng, topology->routers);
        q.destination[i] = vef_rng_below(&q.rng, topology->routers);
    }
    printf("%s: %zu bytes in all\n", yaml, topology->arena.held_bytes);
    return &q;
}

int main(void) {
    static const int32_t sizes[] = {16, 64, 256};
    for (int i = 0; i < 3; i++) {
        char yaml[64];
        snprintf(yaml, sizeof yaml, "{family: rt, a: %d}", sizes[i]);
        question *q = question_of(yaml);
        measure("table, ties drawn", q, by_table);
        vef_topology_destroy(q->topology);
        snprintf(yaml, sizeof yaml, "{family: rtt, a: %d}", sizes[i]);
        q = question_of(yaml);
        measure("table, ties drawn", q, by_table);
        measure("by formula, ties drawn", q, by_lattice);
        vef_topology_destroy(q->topology);
        snprintf(yaml, sizeof yaml, "{family: diagonal-torus, sizes: [%d, %d]}", sizes[i],
                 sizes[i]);
        q = question_of(yaml);
        measure("table, ties drawn", q, by_table);
        vef_topology_destroy(q->topology);
    }
    return 0;
}
