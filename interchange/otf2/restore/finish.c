/* The restoration as a whole: in several ways, until one fits. See restore.h. */
#include "interchange/otf2/restore/finish.h"

#include "common/memory.h"
#include "interchange/otf2/restore/run.h"

#include <stdlib.h>

/* The messages that stated receives are known to receive: no others can take such. */
static size_t find_receipts(vef_otf2_walk *walk, vef_otf2_receipt *receipts) {
    size_t count = 0;
    for (size_t i = 0; i < walk->task->step_count; i++) {
        const vef_otf2_step *step = &walk->task->steps[i];
        vef_otf2_channel *found = vef_otf2_walk_channel(walk, step);
        if (!found || (walk->wanted > 0 && found->stated < found->count) ||
            found->stated_seen == found->count)
            continue;
        const size_t place = walk->sorted[found->first + found->stated_seen++];
        receipts[count++] =
            (vef_otf2_receipt){.sender = step->sender,
                               .receiver = walk->number,
                               .sent_ns = walk->self->messages[walk->mine[place]].sent_ns,
                               .received_ns = step->at_ns};
    }
    for (size_t i = 0; i < walk->channel_count; i++)
        walk->channels[i].stated_seen = 0;
    return count;
}

static void begin_all(vef_otf2_restore *self, vef_otf2_walk *walks, const size_t *mine,
                      const size_t *first, vef_otf2_clock *clocks) {
    vef_otf2_receipt *receipts = vef_calloc(self->message_count + 1, sizeof *receipts);
    size_t count = 0;
    for (uint32_t task = 0; task < self->task_count; task++) {
        vef_otf2_walk_begin(&walks[task], self, task, mine + first[task],
                            first[task + 1] - first[task]);
        count += find_receipts(&walks[task], receipts + count);
    }
    vef_otf2_restore_clocks(self, receipts, count, clocks);
    for (uint32_t task = 0; task < self->task_count; task++)
        vef_otf2_walk_limit(&walks[task], clocks);
    free(receipts);
}

/* Forgets an earlier attempt. */
static void start_over(vef_otf2_restore *self) {
    self->receives = self->nowhere = self->choices = self->early = self->open = self->stuck = 0;
    for (size_t i = 0; i < self->gate_count; i++) {
        self->gates[i].arrived = 0;
        self->gates[i].open = false;
        self->gates[i].waiting = UINT32_MAX;
    }
    for (uint32_t task = 0; task < self->task_count; task++) {
        vef_otf2_restored *of = &self->tasks[task];
        of->count = of->call_count = 0;
        free(of->ends);
        free(of->messages);
        free(of->nowhere);
        of->ends = NULL;
        of->messages = NULL;
        of->nowhere = NULL;
    }
}

/* Whether all tasks end, by vef_otf2_restore_order. */
static bool attempt(vef_otf2_restore *self, const size_t *mine, const size_t *first, unsigned way) {
    vef_otf2_clock *clocks = vef_calloc(self->task_count + 1ull, sizeof *clocks);
    vef_otf2_walk *walks = vef_calloc(self->task_count + 1ull, sizeof *walks);
    start_over(self);
    begin_all(self, walks, mine, first, clocks);
    for (uint32_t task = 0; task < self->task_count; task++)
        walks[task].ways = way;
    vef_otf2_restore_run(self, walks);
    const bool ends = vef_otf2_restore_order(self, walks);
    for (uint32_t task = 0; task < self->task_count; task++)
        vef_otf2_walk_release(&walks[task]);
    free(walks);
    free(clocks);
    return ends;
}

/* What a complete archive of a program without faults should not have, and what one that relies on
 * eager sends may have. */
static uint64_t badness(const vef_otf2_restore *self) {
    return 2 * (self->stuck + self->early + self->open) + self->eager_only;
}

vef_code vef_otf2_restore_finish(vef_otf2_restore *self, vef_error *error) {
    size_t *first = vef_calloc(self->task_count + 2ull, sizeof *first);
    size_t *mine = vef_malloc((self->message_count + 1) * sizeof *mine);
    unsigned best = 0;
    uint64_t least = UINT64_MAX;
    bool ends = false;
    /* by receiver; `first` is one place ahead while they are filled in */
    for (size_t i = 0; i < self->message_count; i++)
        first[self->messages[i].receiver + 2]++;
    for (uint32_t task = 0; task < self->task_count; task++)
        first[task + 2] += first[task + 1];
    for (size_t i = 0; i < self->message_count; i++)
        mine[first[self->messages[i].receiver + 1]++] = i;

    for (unsigned way = 0; way < VEF_OTF2_WAYS && least > 0; way++) {
        ends = attempt(self, mine, first, way);
        if (ends && badness(self) < least) {
            least = badness(self);
            best = way;
        }
    }
    if (least > 0)
        ends = attempt(self, mine, first, best);
    free(first);
    free(mine);
    if (ends)
        return VEF_OK;
    return vef_fail(error, VEF_CORRUPT,
                    "the receives whose messages the archive does not state could not be "
                    "matched so that all tasks end");
}
