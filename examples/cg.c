/* cg: conjugate gradient on a random sparse matrix, distributed over a process grid as in NAS CG.
 *
 * The tasks form a grid of R rows and C columns, C = R or C = 2R, both powers of two; task (r, c)
 * is rank r C + c and holds the block of the matrix in row part r of R and column part c of C, and
 * column part c of every vector. A matrix-vector product gives partial sums, which each row of
 * tasks adds up in log2 C exchanges of whole parts; then each task swaps parts with a transposed
 * partner, so that it again holds column part c. Scalar products are added up by the same
 * exchanges, of 8 bytes. Communication is Irecv, Send, Wait only, as in NAS CG (NPB 3.2,
 * conj_grad).
 *
 * Check: the right-hand side is computed, row by row and without communication, from a known
 * solution. The matrix is symmetric and diagonally dominant, with a condition number of at most
 * 5, so 25 iterations must come within 1e-8 of that solution. */
#include <math.h>

#include "examples/example.h"

enum { ITERATIONS = 25, MATRIX = 1, OFFSETS = 2, SOLUTION = 3, TAG_SUM = 1, TAG_TRANSPOSE = 2 };

typedef struct grid {
    int rank, rows, columns, row, column, partner; /* partner: whom the transpose swaps with */
    int column_bits;                               /* log2 columns */
} grid;

typedef struct matrix {
    long n, half_degree;   /* 2 half_degree entries a row beside the diagonal */
    long *offsets;         /* row i has entries at i + o and i - o, for each o */
    int height, width;     /* of this task's block */
    int *starts, *columns; /* compressed rows, columns counted from the block's first */
    double *values;
    double *sums, *received; /* room for one row part each */
} matrix;

/* The entry in row i and column j, from -1 to 1, the same as that in row j and column i. */
static double entry(const matrix *m, long i, long j) {
    const long low = i < j ? i : j, high = i < j ? j : i;
    return 2 * example_random_unit(MATRIX, (uint64_t)(low * m->n + high)) - 1;
}

/* With off-diagonal rows of absolute sum at most 2 h, eigenvalues lie from h to 5 h. */
static double diagonal(const matrix *m) {
    return 3 * (double)m->half_degree;
}

static double solution(long i, long solve) {
    return 0.5 + example_random_unit(SOLUTION + (uint64_t)solve, (uint64_t)i);
}

static long wrap(long n, long i) {
    return i < 0 ? i + n : i >= n ? i - n : i;
}

static bool choose_offsets(matrix *m) {
    m->offsets = example_allocate((size_t)m->half_degree, sizeof *m->offsets);
    bool *taken = example_allocate((size_t)m->n, sizeof *taken);
    const long choices =
        (m->n - 1) / 2; /* offsets 1 to choices have distinct positive and negative ends */
    long found = 0;
    for (uint64_t draw = 0; found < m->half_degree && choices >= m->half_degree; draw++) {
        const long offset = 1 + (long)(example_random(OFFSETS, draw) % (uint64_t)choices);
        if (!taken[offset])
            m->offsets[found++] = offset;
        taken[offset] = true;
    }
    free(taken);
    return found == m->half_degree;
}

static void build(matrix *m, const grid *g) {
    m->height = (int)(m->n / g->rows);
    m->width = (int)(m->n / g->columns);
    const long row0 = (long)g->row * m->height, column0 = (long)g->column * m->width;
    const size_t most = (size_t)m->height * (size_t)(2 * m->half_degree + 1);
    m->starts = example_allocate((size_t)m->height + 1, sizeof *m->starts);
    m->columns = example_allocate(most, sizeof *m->columns);
    m->values = example_allocate(most, sizeof *m->values);
    m->sums = example_allocate((size_t)m->height, sizeof *m->sums);
    m->received = example_allocate((size_t)m->height, sizeof *m->received);
    int used = 0;
    for (int i = 0; i < m->height; i++) {
        const long row = row0 + i;
        m->starts[i] = used;
        for (long k = -m->half_degree; k <= m->half_degree; k++) {
            const long step = k == 0 ? 0 : k < 0 ? -m->offsets[-k - 1] : m->offsets[k - 1];
            const long column = wrap(m->n, row + step);
            if (column < column0 || column >= column0 + m->width)
                continue;
            m->columns[used] = (int)(column - column0);
            m->values[used++] = k == 0 ? diagonal(m) : entry(m, row, column);
        }
    }
    m->starts[m->height] = used;
}

static void destroy(matrix *m) {
    free(m->offsets);
    free(m->starts);
    free(m->columns);
    free(m->values);
    free(m->sums);
    free(m->received);
}

/* Adds `sums` up over the row of tasks: after exchange k, groups of 2^k columns agree. */
static void sum_over_row(const grid *g, double *sums, double *received, int count) {
    for (int bit = g->column_bits - 1; bit >= 0; bit--) {
        const int partner = g->row * g->columns + (g->column ^ (1 << bit));
        MPI_Request request;
        MPI_Irecv(received, count, MPI_DOUBLE, partner, TAG_SUM, MPI_COMM_WORLD, &request);
        MPI_Send(sums, count, MPI_DOUBLE, partner, TAG_SUM, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int i = 0; i < count; i++)
            sums[i] += received[i];
    }
}

/* out = A in, both column part c. */
static void multiply(const grid *g, const matrix *m, const double *in, double *out) {
    for (int i = 0; i < m->height; i++) {
        double sum = 0;
        for (int k = m->starts[i]; k < m->starts[i + 1]; k++)
            sum += m->values[k] * in[m->columns[k]];
        m->sums[i] = sum;
    }
    sum_over_row(g, m->sums, m->received, m->height);
    /* Of row part r the partner wants one half (C = 2R) or all (C = R). */
    const double *part = m->sums + (g->columns == g->rows ? 0 : g->column % 2 * m->width);
    if (g->partner == g->rank) {
        memcpy(out, part, (size_t)m->width * sizeof *out);
        return;
    }
    MPI_Request request;
    MPI_Irecv(out, m->width, MPI_DOUBLE, g->partner, TAG_TRANSPOSE, MPI_COMM_WORLD, &request);
    MPI_Send(part, m->width, MPI_DOUBLE, g->partner, TAG_TRANSPOSE, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static double dot(const grid *g, int count, const double *a, const double *b) {
    double sum = 0, received;
    for (int i = 0; i < count; i++)
        sum += a[i] * b[i];
    sum_over_row(g, &sum, &received, 1);
    return sum;
}

/* Solves A x = b, with x and b column part c; `work` has room for three such parts. */
static void conjugate_gradient(const grid *g, const matrix *m, const double *b, double *x,
                               double *work) {
    const int n = m->width;
    double *r = work, *p = work + n, *q = work + 2 * n;
    for (int i = 0; i < n; i++) {
        x[i] = 0;
        r[i] = p[i] = b[i];
    }
    double rho = dot(g, n, r, r);
    for (int iteration = 0; iteration < ITERATIONS && rho > 0; iteration++) {
        multiply(g, m, p, q);
        const double alpha = rho / dot(g, n, p, q);
        for (int i = 0; i < n; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        const double before = rho;
        rho = dot(g, n, r, r);
        for (int i = 0; i < n; i++)
            p[i] = r[i] + rho / before * p[i];
    }
}

static void right_hand_side(const grid *g, const matrix *m, long solve, double *b) {
    for (int i = 0; i < m->width; i++) {
        const long row = (long)g->column * m->width + i;
        b[i] = diagonal(m) * solution(row, solve);
        for (long k = 0; k < m->half_degree; k++) {
            const long up = wrap(m->n, row + m->offsets[k]), down = wrap(m->n, row - m->offsets[k]);
            b[i] += entry(m, row, up) * solution(up, solve) +
                    entry(m, row, down) * solution(down, solve);
        }
    }
}

static grid make_grid(int rank, int tasks) {
    grid g = {.rank = rank, .rows = 1, .columns = 1};
    while (g.rows * g.columns < tasks) {
        if (g.rows == g.columns) {
            g.columns *= 2;
            g.column_bits++;
        } else {
            g.rows *= 2;
        }
    }
    g.row = rank / g.columns;
    g.column = rank % g.columns;
    if (g.columns == g.rows)
        g.partner = g.column * g.columns + g.row;
    else
        g.partner = g.column / 2 * g.columns + 2 * g.row + g.column % 2;
    return g;
}

int main(int argc, char **argv) {
    long solves = 2;
    matrix m = {.n = 4096, .half_degree = 64};
    const example_option options[] = {
        {'n', "rows", &m.n, 16, 1 << 24},
        {'d', "pairs of entries a row", &m.half_degree, 1, 1024},
        {'i', "systems to solve", &solves, 1, 100000},
    };
    int rank, tasks;
    MPI_Init(&argc, &argv);
    example_parse(argc, argv, "cg", "conjugate gradient, a power of two of tasks", options, 3);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &tasks);
    if ((tasks & (tasks - 1)) != 0)
        example_refuse("cg", "the number of tasks must be a power of two, not %d", tasks);
    const grid g = make_grid(rank, tasks);
    if (m.n % g.columns != 0)
        example_refuse("cg", "%ld rows (-n) do not divide among %d columns of tasks", m.n,
                       g.columns);
    if (!choose_offsets(&m))
        example_refuse("cg", "%ld rows (-n) have no room for %ld pairs of entries a row (-d)", m.n,
                       m.half_degree);
    build(&m, &g);
    double *vectors = example_allocate(5 * (size_t)m.width, sizeof *vectors);
    double *b = vectors + 3 * m.width, *x = vectors + 4 * m.width;
    double seconds = 0;
    bool right = true;
    for (long solve = 0; solve < solves; solve++) {
        right_hand_side(&g, &m, solve, b);
        const double start = MPI_Wtime();
        conjugate_gradient(&g, &m, b, x, vectors);
        seconds += MPI_Wtime() - start;
        for (int i = 0; i < m.width; i++)
            right = right && fabs(x[i] - solution((long)g.column * m.width + i, solve)) <= 1e-8;
    }
    free(vectors);
    destroy(&m);
    char size[64];
    snprintf(size, sizeof size, "%ld rows, %ld solves", m.n, solves);
    return example_report("cg", size, seconds, right);
}
