/* sort: bucket sort of integers, as in NAS IS.
 *
 * Each round: count the keys of each bucket, add up the counts (Allreduce), assign each task a
 * range of buckets with its share of the keys, exchange the numbers of keys (Alltoall), send the
 * keys (Alltoallv), sort them by counting. Keys are the mean of four uniform numbers, so buckets in
 * the middle are the fullest, and two keys change from round to round, as in NAS IS.
 *
 * Check, every round: each task's keys are in its buckets and in order, and no key is lost or
 * changed (number, sum and sum of squares over all tasks); after the last round, each task's
 * least key is not below the greatest of the previous tasks. */
#include "examples/example.h"

enum { BUCKET_BITS = 10, BUCKETS = 1 << BUCKET_BITS };

typedef struct keys {
    long total;   /* over all tasks */
    int key_bits; /* keys go from 0 to 2^key_bits - 1 */
    int rank, tasks;
    int count, received;
    uint32_t *own, *grouped, *sorted;
    size_t sorted_room;
    long counts[BUCKETS], sums[BUCKETS]; /* of this task, and over all */
    int first[BUCKETS + 1];              /* first bucket of each task, as many as there are tasks */
    int *send_counts, *send_starts, *receive_counts, *receive_starts;
} keys;

typedef struct digest {
    uint64_t count, sum, squares;
} digest;

static void digest_add(digest *d, const uint32_t *from, int count) {
    d->count += (uint64_t)count;
    for (int i = 0; i < count; i++) {
        d->sum += from[i];
        d->squares += (uint64_t)from[i] * from[i];
    }
}

static uint32_t bucket_of(const keys *k, uint32_t key) {
    return key >> (k->key_bits - BUCKET_BITS);
}

static void generate(keys *k) {
    const long start = example_share(k->total, k->rank, k->tasks);
    for (int i = 0; i < k->count; i++) {
        const uint64_t bits = example_random(0, (uint64_t)(start + i)), mask = 0xffff;
        const uint64_t four =
            (bits & mask) + (bits >> 16 & mask) + (bits >> 32 & mask) + (bits >> 48);
        k->own[i] = (uint32_t)(four >> (18 - k->key_bits)); /* the sum has 18 bits */
    }
}

/* Groups the keys by bucket; counts them here and over all tasks. */
static void group(keys *k) {
    int next[BUCKETS];
    memset(k->counts, 0, sizeof k->counts);
    for (int i = 0; i < k->count; i++)
        k->counts[bucket_of(k, k->own[i])]++;
    MPI_Allreduce(k->counts, k->sums, BUCKETS, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    for (int bucket = 0, start = 0; bucket < BUCKETS; bucket++) {
        next[bucket] = start;
        start += (int)k->counts[bucket];
    }
    for (int i = 0; i < k->count; i++)
        k->grouped[next[bucket_of(k, k->own[i])]++] = k->own[i];
}

/* Gives the tasks runs of buckets: a task takes buckets until all up to it hold their share. */
static void assign_buckets(keys *k) {
    int bucket = 0, start = 0;
    long given = 0;
    for (int task = 0; task < k->tasks; task++) {
        k->first[task] = bucket;
        k->send_starts[task] = start;
        k->send_counts[task] = 0;
        const long share = example_share(k->total, task + 1, k->tasks);
        for (; bucket < BUCKETS && (given < share || task == k->tasks - 1); bucket++) {
            given += k->sums[bucket];
            k->send_counts[task] += (int)k->counts[bucket];
        }
        start += k->send_counts[task];
    }
    k->first[k->tasks] = BUCKETS;
}

static void redistribute(keys *k) {
    MPI_Alltoall(k->send_counts, 1, MPI_INT, k->receive_counts, 1, MPI_INT, MPI_COMM_WORLD);
    k->received = 0;
    for (int task = 0; task < k->tasks; task++) {
        k->receive_starts[task] = k->received;
        k->received += k->receive_counts[task];
    }
    if ((size_t)k->received > k->sorted_room) {
        free(k->sorted);
        k->sorted_room = (size_t)k->received + (size_t)k->received / 8;
        k->sorted = example_allocate(2 * k->sorted_room, sizeof *k->sorted);
    }
    MPI_Alltoallv(k->grouped, k->send_counts, k->send_starts, MPI_UINT32_T,
                  k->sorted + k->sorted_room, k->receive_counts, k->receive_starts, MPI_UINT32_T,
                  MPI_COMM_WORLD);
}

/* Sorts what came, from the second half of `sorted` into the first, by counting keys. */
static void sort_received(keys *k, int *histogram) {
    const uint32_t *from = k->sorted + k->sorted_room;
    const int shift = k->key_bits - BUCKET_BITS;
    const uint32_t low = (uint32_t)k->first[k->rank] << shift;
    const uint32_t high = (uint32_t)k->first[k->rank + 1] << shift;
    memset(histogram, 0, (size_t)(high - low) * sizeof *histogram);
    for (int i = 0; i < k->received; i++)
        if (from[i] >= low && from[i] < high)
            histogram[from[i] - low]++;
    int at = 0;
    for (uint32_t key = low; key < high; key++)
        for (int i = 0; i < histogram[key - low]; i++)
            k->sorted[at++] = key;
    k->received = at; /* a key of another task's bucket is lost here, and the check detects it */
}

static bool digests_agree(digest before, digest after) {
    const uint64_t mine[3] = {before.count - after.count, before.sum - after.sum,
                              before.squares - after.squares};
    uint64_t all[3];
    MPI_Allreduce(mine, all, 3, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return all[0] == 0 && all[1] == 0 && all[2] == 0;
}

/* Each task hands on the greatest key so far. */
static bool ends_in_order(const keys *k) {
    uint32_t greatest = 0;
    bool right = true;
    if (k->rank > 0)
        MPI_Recv(&greatest, 1, MPI_UINT32_T, k->rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < k->received; i++) {
        right = right && k->sorted[i] >= greatest;
        greatest = k->sorted[i];
    }
    if (k->rank < k->tasks - 1)
        MPI_Send(&greatest, 1, MPI_UINT32_T, k->rank + 1, 0, MPI_COMM_WORLD);
    return right;
}

int main(int argc, char **argv) {
    long rounds = 10, key_bits = 16;
    static keys k = {.total = 1 << 20};
    const example_option options[] = {
        {'n', "keys", &k.total, 1, 1L << 30},
        {'b', "bits of a key", &key_bits, BUCKET_BITS, 18},
        {'i', "rounds", &rounds, 1, 100000},
    };
    MPI_Init(&argc, &argv);
    example_parse(argc, argv, "sort", "bucket sort, any number of tasks up to 1024", options, 3);
    MPI_Comm_rank(MPI_COMM_WORLD, &k.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &k.tasks);
    if (k.tasks > BUCKETS)
        example_refuse("sort", "there are %d buckets, fewer than %d tasks", BUCKETS, k.tasks);
    k.key_bits = (int)key_bits;
    k.count = (int)(example_share(k.total, k.rank + 1, k.tasks) -
                    example_share(k.total, k.rank, k.tasks));
    k.own = example_allocate((size_t)k.count, sizeof *k.own);
    k.grouped = example_allocate((size_t)k.count, sizeof *k.grouped);
    k.send_counts = example_allocate(4 * (size_t)k.tasks, sizeof *k.send_counts);
    k.send_starts = k.send_counts + k.tasks;
    k.receive_counts = k.send_starts + k.tasks;
    k.receive_starts = k.receive_counts + k.tasks;
    int *histogram = example_allocate((size_t)1 << key_bits, sizeof *histogram);
    generate(&k);
    digest before = {0, 0, 0}, after = {0, 0, 0};
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (long round = 0; round < rounds; round++) {
        if (k.rank == 0 && k.count > 1) { /* as NAS IS, so that no round can reuse the last */
            k.own[0] = (uint32_t)(round % (1L << key_bits));
            k.own[k.count - 1] = (uint32_t)((1L << key_bits) - 1 - round % (1L << key_bits));
        }
        group(&k);
        assign_buckets(&k);
        redistribute(&k);
        sort_received(&k, histogram);
        digest_add(&before, k.own, k.count);
        digest_add(&after, k.sorted, k.received);
    }
    const double seconds = MPI_Wtime() - start;
    bool right = digests_agree(before, after);
    right = ends_in_order(&k) && right;
    free(k.own);
    free(k.grouped);
    free(k.sorted);
    free(k.send_counts);
    free(histogram);
    char size[64];
    snprintf(size, sizeof size, "%ld keys, %ld rounds", k.total, rounds);
    return example_report("sort", size, seconds, right);
}
