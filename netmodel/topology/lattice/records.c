/* Minimal routing records of a lattice network, tabulated once for every difference of coordinates.
 *
 * A record is a vector r of generator counts; it is minimal for a difference when the sum of r[g]
 * times generator g is that difference (modulo the lattice) and no other such vector has a smaller
 * sum of |r[g]|. Taking one unit off any count of a minimal record leaves a minimal record of a
 * difference one step nearer, so all of them (ties included) grow outwards from the zero record in
 * the order of a breadth-first search. Growing only the last non-zero count or a later one gives
 * each record exactly once. Time and memory are proportional to the number of records, which grows
 * beyond any bound with ties: the tables of counts and lists are held below MOST_BYTES. */
#include "common/memory.h"
#include "netmodel/topology/lattice/lattice.h"

#include <stdlib.h>
#include <string.h>

enum {
    LONGEST_RECORD = INT16_MAX,
    MOST_RECORDS = 1 << 27,
    NO_RECORD = -1,
};

bool vef_lattice_reduce(const vef_lattice *lattice, int32_t *coordinates) {
    for (uint32_t d = lattice->dimensions; d-- > 0;) {
        int32_t size = lattice->sizes[d];
        /* Once without a branch: a difference is negative every other time. */
        const int32_t below = coordinates[d] >> 31 & -(int32_t)lattice->wraps[d];
        coordinates[d] += size & below;
        for (uint32_t e = 0; e < d; e++)
            coordinates[e] -= lattice->shifts[d][e] & below;
        int32_t step = coordinates[d] < 0 ? 1 : -1; /* leaving upwards subtracts a size */
        while (coordinates[d] < 0 || coordinates[d] >= size) {
            if (!lattice->wraps[d])
                return false;
            coordinates[d] += step * size;
            for (uint32_t e = 0; e < d; e++)
                coordinates[e] -= step * lattice->shifts[d][e];
        }
    }
    return true;
}
static const size_t MOST_BYTES = (size_t)1 << 30;

/* Differences numbered along the dimensions that wrap, and the records found so far: those of one
 * difference form a list. */
typedef struct growth {
    const vef_lattice *lattice;
    uint32_t differences;
    uint32_t *order;    /* of the breadth-first search */
    uint32_t *distance; /* UINT32_MAX: not reached */
    int32_t *head;      /* of the list of a difference */
    int16_t *counts;    /* record * generators */
    int32_t *next;
    size_t records, room, most;
} growth;

static uint32_t step(const vef_lattice *lattice, uint32_t number, uint32_t g, int sign) {
    int32_t vector[VEF_MAX_DIMENSIONS];
    for (uint32_t d = 0; d < lattice->dimensions; d++) {
        vector[d] = 0;
        if (lattice->wraps[d]) {
            vector[d] =
                (int32_t)(number % (uint32_t)lattice->sizes[d]) + sign * lattice->generator[g][d];
            number /= (uint32_t)lattice->sizes[d];
        }
    }
    vef_lattice_reduce(lattice, vector);
    uint32_t reached = 0;
    for (uint32_t d = 0; d < lattice->dimensions; d++)
        reached += lattice->stride[d] * (uint32_t)vector[d];
    return reached;
}

/* Whether the generator moves along dimensions that wrap. */
static bool takes_part(const vef_lattice *lattice, uint32_t g) {
    return lattice->all_wrap || lattice->wraps[g];
}

static void search(growth *grown) {
    const vef_lattice *lattice = grown->lattice;
    memset(grown->distance, 0xff, grown->differences * sizeof grown->distance[0]);
    grown->distance[0] = 0;
    grown->order[0] = 0;
    uint32_t count = 1;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t g = 0; g < lattice->generators; g++) {
            if (!takes_part(lattice, g))
                continue;
            for (int sign = -1; sign <= 1; sign += 2) {
                uint32_t reached = step(lattice, grown->order[i], g, sign);
                if (grown->distance[reached] != UINT32_MAX)
                    continue;
                grown->distance[reached] = grown->distance[grown->order[i]] + 1;
                grown->order[count++] = reached;
            }
        }
}

static bool make_room(growth *grown) {
    if (grown->records < grown->room)
        return true;
    if (grown->room >= grown->most)
        return false;
    size_t room = grown->room * 2 < grown->most ? grown->room * 2 : grown->most;
    size_t row = grown->lattice->generators * sizeof grown->counts[0];
    grown->counts = vef_realloc(grown->counts, room * row);
    grown->next = vef_realloc(grown->next, room * sizeof *grown->next);
    grown->room = room;
    return true;
}

/* Adds to `difference` the record `from` with `sign` added to its count g. */
static bool add_record(growth *grown, uint32_t difference, int32_t from, uint32_t g, int sign) {
    if (!make_room(grown))
        return false;
    uint32_t generators = grown->lattice->generators;
    int16_t *counts = grown->counts + grown->records * generators;
    if (from == NO_RECORD)
        memset(counts, 0, generators * sizeof counts[0]);
    else
        memcpy(counts, grown->counts + (size_t)from * generators, generators * sizeof counts[0]);
    if (from != NO_RECORD)
        counts[g] = (int16_t)(counts[g] + sign);
    grown->next[grown->records] = grown->head[difference];
    grown->head[difference] = (int32_t)grown->records++;
    return true;
}

static bool grow_from(growth *grown, uint32_t difference, int32_t record) {
    const vef_lattice *lattice = grown->lattice;
    uint32_t last = 0;
    int last_sign = 0;
    for (uint32_t g = 0; g < lattice->generators; g++) {
        int16_t count = grown->counts[(size_t)record * lattice->generators + g];
        if (count != 0) {
            last = g;
            last_sign = count > 0 ? 1 : -1;
        }
    }
    for (uint32_t g = last; g < lattice->generators; g++) {
        if (!takes_part(lattice, g))
            continue;
        for (int sign = -1; sign <= 1; sign += 2) {
            if (g == last && last_sign == -sign)
                continue;
            uint32_t reached = step(lattice, difference, g, sign);
            if (grown->distance[reached] == grown->distance[difference] + 1 &&
                !add_record(grown, reached, record, g, sign))
                return false;
        }
    }
    return true;
}

static bool grow(growth *grown) {
    if (!add_record(grown, 0, NO_RECORD, 0, 0))
        return false;
    for (uint32_t i = 0; i < grown->differences; i++) {
        uint32_t difference = grown->order[i];
        for (int32_t r = grown->head[difference]; r != NO_RECORD; r = grown->next[r])
            if (!grow_from(grown, difference, r))
                return false;
    }
    return true;
}

/* Copies the lists into the lattice's tables. */
static void settle(const growth *grown, vef_lattice *lattice, vef_arena *arena) {
    size_t row = lattice->generators * sizeof(int16_t);
    uint32_t *first = vef_arena_alloc(arena, grown->differences + 1u, sizeof *first);
    int16_t *records = vef_arena_alloc(arena, grown->records, row);
    uint32_t count = 0;
    for (uint32_t k = 0; k < grown->differences; k++) {
        first[k] = count;
        for (int32_t r = grown->head[k]; r != NO_RECORD; r = grown->next[r])
            memcpy(records + (size_t)lattice->generators * count++,
                   grown->counts + (size_t)lattice->generators * (size_t)r, row);
    }
    first[grown->differences] = count;
    lattice->first = first;
    lattice->records = records;
}

/* The number of records, if a product over the dimensions gives it: unit generators and no shifts.
 * Half way round a dimension of even size there are two paths. Others: 0. */
static double count_records(const vef_lattice *lattice) {
    double records = lattice->unit_generators ? 1 : 0;
    for (uint32_t d = 0; d < lattice->dimensions; d++) {
        for (uint32_t e = 0; e < d; e++)
            if (lattice->shifts[d][e] != 0)
                return 0;
        if (lattice->wraps[d])
            records *= lattice->sizes[d] + (lattice->sizes[d] % 2 == 0);
    }
    return records;
}

static size_t record_bytes(const vef_lattice *lattice) {
    return lattice->generators * sizeof(int16_t) + sizeof(int32_t);
}

static size_t most_records(const vef_lattice *lattice) {
    const size_t most = MOST_BYTES / record_bytes(lattice);
    return most < MOST_RECORDS ? most : MOST_RECORDS;
}

static vef_code fail_many(const vef_lattice *lattice, const char *more, double records,
                          vef_error *error) {
    const double bytes = (double)record_bytes(lattice);
    return vef_fail(error, VEF_INVALID,
                    "the table of minimal routes needs %s%.0f MiB (%.3g routes): out of range: at "
                    "most %.0f MiB: expected fewer or smaller dimensions",
                    more, records * bytes / 0x1p20, records,
                    (double)most_records(lattice) * bytes / 0x1p20);
}

vef_code vef_lattice_check_records(const vef_lattice *lattice, vef_error *error) {
    const double records = count_records(lattice);
    return records > (double)most_records(lattice) ? fail_many(lattice, "", records, error)
                                                   : VEF_OK;
}

vef_code vef_lattice_tabulate(vef_lattice *lattice, vef_arena *arena, vef_error *error) {
    growth grown = {.lattice = lattice, .differences = 1};
    for (uint32_t d = 0; d < lattice->dimensions; d++) {
        lattice->stride[d] = lattice->wraps[d] ? grown.differences : 0;
        if (lattice->wraps[d])
            grown.differences *= (uint32_t)lattice->sizes[d];
        else if (lattice->sizes[d] > LONGEST_RECORD)
            return vef_fail(error, VEF_INVALID,
                            "sizes: dimension %u has size %d: out of range: expected at most %d", d,
                            lattice->sizes[d], LONGEST_RECORD);
    }
    grown.room = grown.differences + 16u;
    grown.most = most_records(lattice);
    if (grown.differences > grown.most)
        return fail_many(lattice, "more than ", grown.differences, error);
    vef_arena scratch = {0};
    grown.order = vef_arena_alloc(&scratch, grown.differences, sizeof *grown.order);
    grown.distance = vef_arena_alloc(&scratch, grown.differences, sizeof *grown.distance);
    grown.head = vef_arena_alloc(&scratch, grown.differences, sizeof *grown.head);
    grown.counts = vef_malloc(grown.room * lattice->generators * sizeof *grown.counts);
    grown.next = vef_malloc(grown.room * sizeof *grown.next);
    vef_code code = VEF_OK;
    memset(grown.head, 0xff, grown.differences * sizeof *grown.head);
    search(&grown);
    uint32_t diameter = grown.distance[grown.order[grown.differences - 1]];
    if (diameter > LONGEST_RECORD)
        code = vef_fail(error, VEF_INVALID,
                        "sizes: the diameter is %u: out of range: expected at most %d", diameter,
                        LONGEST_RECORD);
    else if (!grow(&grown))
        code = fail_many(lattice, "more than ", (double)grown.records, error);
    else
        settle(&grown, lattice, arena);

    vef_arena_release(&scratch);
    free(grown.counts);
    free(grown.next);
    return code;
}
