/* Sets as runs. See interval_set.h. */
#include "common/containers/interval_set.h"

#include "common/containers/grow.h"
#include "common/containers/order.h"

#include <stdlib.h>

void vef_runs_free(vef_runs *runs) {
    free(runs->run);
    *runs = (vef_runs){0};
}

VEF_ORDER_BY(by_first, vef_run, first)

void vef_runs_settle(vef_runs *runs) {
    bool sorted = true;
    for (size_t i = 1; i < runs->count; i++)
        sorted &= runs->run[i - 1].first <= runs->run[i].first;
    if (!sorted)
        qsort(runs->run, runs->count, sizeof *runs->run, by_first);
    size_t kept = 0;
    for (size_t i = 0; i < runs->count; i++) {
        vef_run run = runs->run[i];
        if (kept > 0 && run.first <= runs->run[kept - 1].end) {
            if (runs->run[kept - 1].end < run.end)
                runs->run[kept - 1].end = run.end;
        } else {
            runs->run[kept++] = run;
        }
    }
    runs->count = kept;
    uint64_t before = 0;
    for (size_t i = 0; i < kept; i++) {
        runs->run[i].before = before;
        before += runs->run[i].end - runs->run[i].first;
    }
}

void vef_runs_add_run(vef_runs *runs, uint64_t first, uint64_t end) {
    if (runs->count > 0 && runs->run[runs->count - 1].end == first) {
        runs->run[runs->count - 1].end = end;
        return;
    }
    if (runs->count == runs->capacity) { /* merging frees room; at least half must be free */
        vef_runs_settle(runs);
        if (2 * runs->count >= runs->capacity) {
            const size_t wanted = 2 * runs->capacity + 2;
            vef_grow(&runs->run, &runs->capacity, wanted, sizeof *runs->run);
        }
    }
    runs->run[runs->count++] = (vef_run){.first = first, .end = end};
}

bool vef_runs_has(const vef_runs *runs, uint64_t number, uint64_t *rank) {
    size_t low = 0, high = runs->count; /* the runs before `low` begin at or before the number */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (runs->run[middle].first <= number)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0) {
        if (rank)
            *rank = 0;
        return false;
    }
    const vef_run *run = &runs->run[low - 1];
    bool inside = number < run->end;
    if (rank)
        *rank = run->before + (inside ? number : run->end) - run->first;
    return inside;
}

void vef_runs_intersect(vef_runs *runs, const vef_runs *with) {
    vef_runs both = {0};
    for (size_t i = 0, j = 0; i < runs->count && j < with->count;) {
        const vef_run *one = &runs->run[i], *other = &with->run[j];
        uint64_t first = one->first > other->first ? one->first : other->first;
        uint64_t end = one->end < other->end ? one->end : other->end;
        if (first < end)
            vef_runs_add_run(&both, first, end);
        if (one->end < other->end)
            i++;
        else
            j++;
    }
    vef_runs_settle(&both);
    vef_runs_free(runs);
    *runs = both;
}

void vef_runs_unite(vef_runs *runs, const vef_runs *with, uint64_t limit) {
    for (size_t i = 0; i < with->count && with->run[i].first < limit; i++)
        vef_runs_add_run(runs, with->run[i].first,
                         with->run[i].end < limit ? with->run[i].end : limit);
    vef_runs_settle(runs);
}
