/* fft3d: spectral shifts of a periodic cube by 3D Fourier transforms, in slabs transposed by
 * MPI_Alltoall.
 *
 * The pattern of NAS FT with its one-dimensional layout: transform a slab of planes along its two
 * whole dimensions, transpose by Alltoall, transform the third dimension. After one forward
 * transform each step multiplies the spectrum by a phase and transforms it back.
 *
 * Check: multiplying mode k by exp(2 pi i k.s / n) and transforming back shifts the field by s
 * (the shift theorem), so each step must return the input, a random field, shifted; s = 0, the
 * first step, is the round trip. Finally a plane wave must transform to a single peak of n^3. */
#include <complex.h>
#include <math.h>

#include "examples/example.h"

typedef double _Complex cell;

/* Real space: this task has planes z0 .. z0 + depth - 1, stored [z][y][x]. Spectrum: it has the
 * rows ky of the same numbers, stored [ky][kx][kz], so that the transform along kz is
 * contiguous. */
typedef struct cube {
    int n, tasks, rank, depth; /* depth = n / tasks */
    cell *roots;               /* exp(2 pi i j / n) */
    cell *field, *spectrum, *send, *receive;
} cube;

/* In-place transform of n values; sign +1: sum of f(x) exp(+2 pi i k x / n), -1: its conjugate. */
static void transform(const cube *c, cell *f, int sign) {
    const int n = c->n;
    for (int i = 1, j = 0; i < n; i++) {
        int bit = n >> 1;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            const cell swap = f[i];
            f[i] = f[j];
            f[j] = swap;
        }
    }
    for (int half = 1; half < n; half *= 2)
        for (int start = 0; start < n; start += 2 * half)
            for (int k = 0; k < half; k++) {
                const cell root = c->roots[k * (n / (2 * half))];
                const cell odd = f[start + k + half] * (sign > 0 ? root : conj(root));
                const cell even = f[start + k];
                f[start + k] = even + odd;
                f[start + k + half] = even - odd;
            }
}

/* Transforms every plane of a slab along x and y; `column` has room for n cells. */
static void transform_planes(const cube *c, cell *slab, cell *column, int sign) {
    const int n = c->n;
    for (int z = 0; z < c->depth; z++) {
        cell *plane = slab + (size_t)z * (size_t)n * (size_t)n;
        for (int y = 0; y < n; y++)
            transform(c, plane + (size_t)y * (size_t)n, sign);
        for (int x = 0; x < n; x++) {
            for (int y = 0; y < n; y++)
                column[y] = plane[(size_t)y * (size_t)n + (size_t)x];
            transform(c, column, sign);
            for (int y = 0; y < n; y++)
                plane[(size_t)y * (size_t)n + (size_t)x] = column[y];
        }
    }
}

static void alltoall(const cube *c) {
    const int block = c->depth * c->depth * c->n * 2;
    MPI_Alltoall(c->send, block, MPI_DOUBLE, c->receive, block, MPI_DOUBLE, MPI_COMM_WORLD);
}

/* field -> spectrum; the field is overwritten. */
static void forward(const cube *c) {
    const size_t n = (size_t)c->n, depth = (size_t)c->depth, block = depth * depth * n;
    transform_planes(c, c->field, c->spectrum, -1);
    for (size_t z = 0; z < depth; z++) /* a block for each task: [z][y][x] of its rows y */
        for (size_t y = 0; y < n; y++)
            memcpy(c->send + y / depth * block + (z * depth + y % depth) * n,
                   c->field + (z * n + y) * n, n * sizeof(cell));
    alltoall(c);
    for (size_t z = 0; z < n; z++)
        for (size_t y = 0; y < depth; y++) {
            const cell *row = c->receive + z / depth * block + (z % depth * depth + y) * n;
            for (size_t x = 0; x < n; x++)
                c->spectrum[(y * n + x) * n + z] = row[x];
        }
    for (size_t line = 0; line < depth * n; line++)
        transform(c, c->spectrum + line * n, -1);
}

/* spectrum -> field, divided by n^3; the spectrum is kept. */
static void backward(const cube *c, cell *line) {
    const size_t n = (size_t)c->n, depth = (size_t)c->depth, block = depth * depth * n;
    for (size_t y = 0; y < depth; y++)
        for (size_t x = 0; x < n; x++) {
            memcpy(line, c->spectrum + (y * n + x) * n, n * sizeof(cell));
            transform(c, line, 1);
            for (size_t z = 0; z < n; z++)
                c->send[z / depth * block + (z % depth * depth + y) * n + x] = line[z];
        }
    alltoall(c);
    const double scale = 1.0 / ((double)n * (double)n * (double)n);
    for (size_t z = 0; z < depth; z++)
        for (size_t y = 0; y < n; y++) {
            const cell *row = c->receive + y / depth * block + (z * depth + y % depth) * n;
            for (size_t x = 0; x < n; x++)
                c->field[(z * n + y) * n + x] = row[x] * scale;
        }
    transform_planes(c, c->field, line, 1);
}

static cell input(const cube *c, int x, int y, int z) {
    const int wrap = c->n - 1;
    const uint64_t index =
        ((uint64_t)(z & wrap) * (uint64_t)c->n + (uint64_t)(y & wrap)) * (uint64_t)c->n +
        (uint64_t)(x & wrap);
    return example_random_unit(0, index) - 0.5 + (example_random_unit(1, index) - 0.5) * I;
}

/* exp(2 pi i (kx x + ky y + kz z) / n) */
static cell wave(const cube *c, int kx, int ky, int kz, int x, int y, int z) {
    return c->roots[(kx * x + ky * y + kz * z) & (c->n - 1)];
}

/* Advances the shift by (1, 2, 3). */
static void shift_spectrum(const cube *c) {
    const size_t n = (size_t)c->n;
    for (int y = 0; y < c->depth; y++)
        for (int x = 0; x < c->n; x++)
            for (int z = 0; z < c->n; z++)
                c->spectrum[((size_t)y * n + (size_t)x) * n + (size_t)z] *=
                    wave(c, 1, 2, 3, x, c->rank * c->depth + y, z);
}

static bool is_input_shifted(const cube *c, int step) {
    const size_t n = (size_t)c->n;
    bool right = true;
    for (int z = 0; z < c->depth; z++)
        for (int y = 0; y < c->n; y++)
            for (int x = 0; x < c->n; x++) {
                const cell expected =
                    input(c, x + step, y + 2 * step, c->rank * c->depth + z + 3 * step);
                const cell got = c->field[((size_t)z * n + (size_t)y) * n + (size_t)x];
                right = right && cabs(got - expected) <= 1e-12;
            }
    return right;
}

static bool plane_wave_is_a_peak(const cube *c) {
    const size_t n = (size_t)c->n;
    const int kx = 1, ky = c->n - 1, kz = c->n / 2; /* a mode that no two axes can be swapped in */
    const double peak = (double)n * (double)n * (double)n;
    for (int z = 0; z < c->depth; z++)
        for (int y = 0; y < c->n; y++)
            for (int x = 0; x < c->n; x++)
                c->field[((size_t)z * n + (size_t)y) * n + (size_t)x] =
                    wave(c, kx, ky, kz, x, y, c->rank * c->depth + z);
    forward(c);
    bool right = true;
    for (int y = 0; y < c->depth; y++)
        for (int x = 0; x < c->n; x++)
            for (int z = 0; z < c->n; z++) {
                const bool here = x == kx && c->rank * c->depth + y == ky && z == kz;
                const cell got = c->spectrum[((size_t)y * n + (size_t)x) * n + (size_t)z];
                right = right && cabs(got - (here ? peak : 0.0)) <= 1e-12 * peak;
            }
    return right;
}

static bool run(const cube *c, long steps, cell *line, double *seconds) {
    for (int z = 0; z < c->depth; z++)
        for (int y = 0; y < c->n; y++)
            for (int x = 0; x < c->n; x++)
                c->field[((size_t)z * (size_t)c->n + (size_t)y) * (size_t)c->n + (size_t)x] =
                    input(c, x, y, c->rank * c->depth + z);
    const double start = MPI_Wtime();
    bool right = true;
    forward(c);
    for (long step = 0; step < steps; step++) {
        if (step > 0)
            shift_spectrum(c);
        backward(c, line);
        right = right && is_input_shifted(c, (int)(step % c->n));
    }
    right = plane_wave_is_a_peak(c) && right;
    *seconds = MPI_Wtime() - start;
    return right;
}

int main(int argc, char **argv) {
    long n = 64, steps = 6;
    const example_option options[] = {
        {'n', "side of the cube", &n, 4, 1024},
        {'i', "steps", &steps, 1, 100000},
    };
    cube c;
    MPI_Init(&argc, &argv);
    example_parse(argc, argv, "fft3d", "3D Fourier transforms, up to n tasks, a power of two",
                  options, 2);
    MPI_Comm_rank(MPI_COMM_WORLD, &c.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &c.tasks);
    if ((n & (n - 1)) != 0)
        example_refuse("fft3d", "the side of the cube (-n) must be a power of two, not %ld", n);
    if (n % c.tasks != 0)
        example_refuse("fft3d",
                       "the number of tasks must be a power of two up to the side %ld, not %d", n,
                       c.tasks);
    c.n = (int)n;
    c.depth = c.n / c.tasks;
    const size_t cells = (size_t)c.n * (size_t)c.n * (size_t)c.depth;
    c.field = example_allocate(cells, sizeof(cell));
    c.spectrum = example_allocate(cells, sizeof(cell));
    c.send = example_allocate(cells, sizeof(cell));
    c.receive = example_allocate(cells, sizeof(cell));
    c.roots = example_allocate((size_t)n, sizeof(cell));
    cell *line = example_allocate((size_t)n, sizeof(cell));
    for (long j = 0; j < n; j++)
        c.roots[j] = cexp(2 * acos(-1.0) * I * (double)j / (double)n);
    double seconds;
    const bool right = run(&c, steps, line, &seconds);
    free(c.field);
    free(c.spectrum);
    free(c.send);
    free(c.receive);
    free(c.roots);
    free(line);
    char size[64];
    snprintf(size, sizeof size, "%ld^3, %ld steps", n, steps);
    return example_report("fft3d", size, seconds, right);
}
