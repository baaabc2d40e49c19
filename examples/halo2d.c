/* halo2d: heat on a periodic square, by Jacobi steps with halo exchange on a Cartesian
 * communicator.
 *
 * The pattern of stencil codes (NAS BT, SP and MG at their finest level, weather, lattice codes):
 * in each step every task exchanges its four borders with its neighbours (Irecv, Isend, Waitall;
 * columns as a derived datatype), and an Allreduce adds up the residual.
 *
 * Check: the field starts as cos(2 pi p x / n) cos(2 pi q y / n), an eigenvector of the Jacobi
 * step u(x,y) <- (u(x-1,y) + u(x+1,y) + u(x,y-1) + u(x,y+1)) / 4 with eigenvalue L = (cos(2 pi p
 * / n) + cos(2 pi q / n)) / 2, so that after k steps it is L^k times itself, and the norm of the
 * change in step k is (1 - L) L^(k-1) n / 2. */
#include <math.h>

#include "examples/example.h"

typedef struct field {
    int width, height, stride; /* of the tile; the stride counts the two halo columns */
    long x0, y0;               /* the tile's place */
    double *now, *next;
} field;

enum { MODE_X = 3, MODE_Y = 5 };

static double *at(const field *f, double *u, int x, int y) {
    return u + (size_t)(y + 1) * (size_t)f->stride + (size_t)(x + 1);
}

/* cos(2 pi mode (first + i) / n) for `count` values of i. */
static double *make_wave(long n, long mode, long first, int count) {
    const double turn = 2 * acos(-1.0) / (double)n;
    double *wave = example_allocate((size_t)count, sizeof *wave);
    for (int i = 0; i < count; i++)
        wave[i] = cos(turn * (double)(mode * (first + i) % n));
    return wave;
}

static void exchange(const field *f, MPI_Comm grid, MPI_Datatype column) {
    int west, east, north, south;
    MPI_Request requests[8];
    MPI_Cart_shift(grid, 1, 1, &west, &east);
    MPI_Cart_shift(grid, 0, 1, &north, &south);
    MPI_Irecv(at(f, f->now, -1, 0), 1, column, west, 0, grid, &requests[0]);
    MPI_Irecv(at(f, f->now, f->width, 0), 1, column, east, 1, grid, &requests[1]);
    MPI_Irecv(at(f, f->now, 0, -1), f->width, MPI_DOUBLE, north, 2, grid, &requests[2]);
    MPI_Irecv(at(f, f->now, 0, f->height), f->width, MPI_DOUBLE, south, 3, grid, &requests[3]);
    MPI_Isend(at(f, f->now, f->width - 1, 0), 1, column, east, 0, grid, &requests[4]);
    MPI_Isend(at(f, f->now, 0, 0), 1, column, west, 1, grid, &requests[5]);
    MPI_Isend(at(f, f->now, 0, f->height - 1), f->width, MPI_DOUBLE, south, 2, grid, &requests[6]);
    MPI_Isend(at(f, f->now, 0, 0), f->width, MPI_DOUBLE, north, 3, grid, &requests[7]);
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
}

/* One step; the sum of the squared changes of this tile. */
static double relax(field *f) {
    double change = 0;
    for (int y = 0; y < f->height; y++) {
        const double *above = at(f, f->now, 0, y - 1), *below = at(f, f->now, 0, y + 1);
        const double *here = at(f, f->now, 0, y);
        double *out = at(f, f->next, 0, y);
        for (int x = 0; x < f->width; x++) {
            out[x] = 0.25 * ((here[x - 1] + here[x + 1]) + (above[x] + below[x]));
            change += (out[x] - here[x]) * (out[x] - here[x]);
        }
    }
    double *swap = f->now;
    f->now = f->next;
    f->next = swap;
    return change;
}

static bool solve(field *f, MPI_Comm grid, long n, long steps, double *seconds) {
    const double turn = 2 * acos(-1.0) / (double)n;
    const double eigenvalue = 0.5 * (cos(MODE_X * turn) + cos(MODE_Y * turn));
    double *wave_x = make_wave(n, MODE_X, f->x0, f->width);
    double *wave_y = make_wave(n, MODE_Y, f->y0, f->height);
    MPI_Datatype column;
    MPI_Type_vector(f->height, 1, f->stride, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    for (int y = 0; y < f->height; y++)
        for (int x = 0; x < f->width; x++)
            *at(f, f->now, x, y) = wave_x[x] * wave_y[y];

    bool right = true;
    double amplitude = 1;
    MPI_Barrier(grid);
    const double start = MPI_Wtime();
    for (long step = 0; step < steps; step++) {
        exchange(f, grid, column);
        double mine = relax(f), change;
        MPI_Allreduce(&mine, &change, 1, MPI_DOUBLE, MPI_SUM, grid);
        const double expected = (1 - eigenvalue) * amplitude * (double)n / 2;
        right = right && fabs(sqrt(change) - expected) <= 1e-9 * (double)n;
        amplitude *= eigenvalue;
    }
    *seconds = MPI_Wtime() - start;
    for (int y = 0; y < f->height; y++)
        for (int x = 0; x < f->width; x++)
            right =
                right && fabs(*at(f, f->now, x, y) - amplitude * wave_x[x] * wave_y[y]) <= 1e-12;
    free(wave_x);
    free(wave_y);
    MPI_Type_free(&column);
    return right;
}

int main(int argc, char **argv) {
    long n = 1024, steps = 100;
    const example_option options[] = {
        {'n', "side of the square", &n, 16, 32768},
        {'i', "steps", &steps, 1, 1000000},
    };
    MPI_Init(&argc, &argv);
    example_parse(argc, argv, "halo2d", "2D heat by halo exchange, any number of tasks", options,
                  2);
    int tasks, rank, shape[2] = {0, 0}, around[2] = {1, 1}, place[2];
    MPI_Comm_size(MPI_COMM_WORLD, &tasks);
    MPI_Dims_create(tasks, 2, shape);
    if (shape[0] > n)
        example_refuse("halo2d", "%d tasks need a square of side %d or more (-n)", tasks, shape[0]);
    /* MPI_Dims_create makes the first dimension the longest; here rows are the longest, so that
     * rank r is at x = r mod width, as networks number their endpoints. */
    const int longer = shape[0];
    shape[0] = shape[1];
    shape[1] = longer;
    MPI_Comm grid;
    MPI_Cart_create(MPI_COMM_WORLD, 2, shape, around, 0, &grid);
    MPI_Comm_rank(grid, &rank);
    MPI_Cart_coords(grid, rank, 2, place);

    field f = {.x0 = example_share(n, place[1], shape[1]),
               .y0 = example_share(n, place[0], shape[0])};
    f.width = (int)(example_share(n, place[1] + 1, shape[1]) - f.x0);
    f.height = (int)(example_share(n, place[0] + 1, shape[0]) - f.y0);
    f.stride = f.width + 2;
    const size_t points = (size_t)f.stride * (size_t)(f.height + 2);
    f.now = example_allocate(points, sizeof *f.now);
    f.next = example_allocate(points, sizeof *f.next);
    double seconds;
    const bool right = solve(&f, grid, n, steps, &seconds);
    free(f.now);
    free(f.next);
    MPI_Comm_free(&grid);
    char size[64];
    snprintf(size, sizeof size, "%ld x %ld, %ld steps", n, n, steps);
    return example_report("halo2d", size, seconds, right);
}
