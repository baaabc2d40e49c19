/* Timelines of pages. See packed_timeline.h. */
#include "replay/timeline/packed_timeline.h"

#include "common/containers/grow.h"
#include "common/containers/hash.h"
#include "common/containers/index.h"
#include "common/containers/order.h"
#include "common/memory.h"
#include "common/report/packed.h"
#include "replay/timeline/call_slices.h"

#include <stdlib.h>
#include <string.h>

/* Of a document, with base64. */
enum {
    BLOCK_BYTES = 24,
    ARROW_BYTES = 48,
    LEAST_BLOCKS = 1024,
    LEAST_IN_ROW = 4,
    USUAL_BYTES = 12000000
};
#define NO_PEER UINT32_MAX
#define UNSET_NS UINT64_MAX

/* A call, or several. */
typedef struct block {
    uint64_t begin_ns, end_ns, bytes, waiting_ns;
    uint64_t idle_ns;    /* between its calls */
    uint64_t longest_ns; /* of its calls: that one gives the name */
    uint32_t calls, name, peer, text;
} block;

/* What is open on a row, from the outside to the inside. */
enum { OPEN_CALL = 1, OPEN_SPAN = 2 };

typedef struct row {
    char *name;     /* NULL: it is not in the timeline */
    uint32_t place; /* among those that are */
    block *blocks;
    size_t count, room;
    uint64_t begin_ns, until_ns; /* of what is known; begin UNSET_NS: nothing */
    block call;                  /* that is open */
    unsigned open;
    uint64_t span_ns; /* begin of the open span */
    uint32_t span;    /* its name */
} row;

typedef struct arrow {
    uint64_t begin_ns, end_ns, bytes;
    uint32_t from, to; /* tracks; 0: not known, or none */
} arrow;

struct vef_packed_timeline {
    vef_timeline_sink sink;
    row *rows;
    size_t row_count, row_room;
    vef_index index; /* of names */
    char **names;
    size_t name_count, name_room;
    size_t blocks, most_blocks;
    uint64_t resolution_ns, calls, end_ns;
    arrow *arrows; /* number i * stride has place i */
    size_t arrow_room, most_arrows;
    uint64_t stride, last_arrow;
};

void vef_packed_timeline_free(vef_packed_timeline *pack) {
    if (!pack)
        return;
    for (size_t i = 0; i < pack->row_count; i++) {
        free(pack->rows[i].name);
        free(pack->rows[i].blocks);
    }
    for (size_t i = 0; i < pack->name_count; i++)
        free(pack->names[i]);
    free(pack->names);
    vef_index_free(&pack->index);
    free(pack->rows);
    free(pack->arrows);
    free(pack);
}

static uint32_t number_of(vef_packed_timeline *pack, const char *name) {
    vef_hash key = vef_hash_begin();
    vef_hash_add(&key, name, strlen(name));
    const uint32_t hash = (uint32_t)key.low;
    vef_index_reserve(&pack->index);
    vef_index_walk walk = vef_index_begin(&pack->index, hash);
    for (uint32_t i; (i = vef_index_next(&pack->index, &walk)) != VEF_INDEX_NONE;)
        if (strcmp(pack->names[i], name) == 0)
            return i;
    vef_index_add(&pack->index, hash, (uint32_t)pack->name_count);
    char *copy = vef_strdup(name);
    *VEF_NEW_ITEM(pack->names, pack->name_count, pack->name_room) = copy;
    return (uint32_t)pack->name_count - 1;
}

/* ---- blocks ---- */

/* Whether `next` has become a part of `last`. */
static bool merge(const vef_packed_timeline *pack, block *last, const block *next) {
    if (next->end_ns - last->begin_ns > pack->resolution_ns)
        return false;
    last->idle_ns += next->idle_ns + (next->begin_ns - last->end_ns);
    last->end_ns = next->end_ns;
    last->bytes += next->bytes;
    last->waiting_ns += next->waiting_ns;
    last->calls += next->calls;
    if (next->longest_ns > last->longest_ns) {
        last->longest_ns = next->longest_ns;
        last->name = next->name;
        last->peer = next->peer;
        last->text = next->text;
    }
    return true;
}

/* Doubles the resolution until a quarter of the room is free. */
static void coarsen(vef_packed_timeline *pack) {
    if (pack->most_blocks < LEAST_IN_ROW * pack->row_count)
        pack->most_blocks = LEAST_IN_ROW * pack->row_count;
    while (pack->blocks > pack->most_blocks / 4 * 3) {
        pack->resolution_ns =
            pack->resolution_ns ? 2 * pack->resolution_ns : 1 + (pack->end_ns >> 16);
        pack->blocks = 0;
        for (row *on = pack->rows; on < pack->rows + pack->row_count; on++) {
            size_t kept = 0;
            for (size_t i = 0; i < on->count; i++)
                if (kept == 0 || !merge(pack, &on->blocks[kept - 1], &on->blocks[i]))
                    on->blocks[kept++] = on->blocks[i];
            on->count = kept;
            pack->blocks += kept;
        }
    }
}

static void add_block(vef_packed_timeline *pack, row *on, const block *made) {
    if (pack->resolution_ns > 0 && on->count > 0 && merge(pack, &on->blocks[on->count - 1], made))
        return;
    *VEF_NEW_ITEM(on->blocks, on->count, on->room) = *made;
    if (++pack->blocks > pack->most_blocks)
        coarsen(pack);
}

static void add_span(vef_packed_timeline *pack, row *on, uint32_t name, uint64_t begin_ns,
                     uint64_t end_ns) {
    if (end_ns > begin_ns)
        add_block(pack, on,
                  &(block){.begin_ns = begin_ns,
                           .end_ns = end_ns,
                           .longest_ns = end_ns - begin_ns,
                           .name = name,
                           .peer = NO_PEER,
                           .text = VEF_INDEX_NONE});
}

/* ---- rows ---- */

static row *row_of(const vef_packed_timeline *pack, uint64_t track) {
    return track > 0 && track <= pack->row_count ? &pack->rows[track - 1] : NULL;
}

static void add_track(void *context, uint64_t track, const char *name) {
    vef_packed_timeline *pack = context;
    vef_grow_zeroed(&pack->rows, &pack->row_room, track, sizeof *pack->rows);
    for (; pack->row_count < track; pack->row_count++)
        pack->rows[pack->row_count].begin_ns = UNSET_NS;
    pack->rows[track - 1].name = vef_strdup(name);
}

static void describe(vef_packed_timeline *pack, block *call, const vef_timeline_argument *arguments,
                     size_t count) {
    static const char *const peers[] = {"to", "from", "target", "root"};
    for (size_t i = 0; i < count; i++) {
        const vef_timeline_argument *given = &arguments[i];
        if (given->text)
            call->text = number_of(pack, given->text);
        else if (strcmp(given->key, "bytes") == 0)
            call->bytes = given->number;
        for (size_t p = 0; !given->text && p < sizeof peers / sizeof *peers; p++)
            if (strcmp(given->key, peers[p]) == 0 && call->peer == NO_PEER)
                call->peer = (uint32_t)given->number;
    }
}

/* A call, a region of the program, or a span in or between calls, whose name is its category. */
static void begin(void *context, uint64_t track, uint64_t time_ns, const char *category,
                  const char *name, const vef_timeline_argument *arguments, size_t count) {
    vef_packed_timeline *pack = context;
    row *on = row_of(pack, track);
    const bool call = strcmp(category, "MPI") == 0;
    if (!on || (!call && strcmp(category, name) != 0) || strcmp(category, "region") == 0)
        return;
    if (on->begin_ns == UNSET_NS)
        on->begin_ns = on->until_ns = time_ns;
    else if (time_ns > on->until_ns && !on->open) /* between the parts of a timeline */
        add_span(pack, on, number_of(pack, "left out"), on->until_ns, time_ns);
    on->until_ns = time_ns;
    on->open |= call ? OPEN_CALL : OPEN_SPAN;
    if (!call) {
        on->span_ns = time_ns;
        on->span = number_of(pack, name);
        return;
    }
    on->call = (block){.begin_ns = time_ns,
                       .calls = 1,
                       .peer = NO_PEER,
                       .text = VEF_INDEX_NONE,
                       .name = number_of(pack, name)};
    describe(pack, &on->call, arguments, count);
}

static void end(void *context, uint64_t track, uint64_t time_ns) {
    vef_packed_timeline *pack = context;
    row *on = row_of(pack, track);
    if (!on || !on->open)
        return;
    if (time_ns > on->until_ns)
        on->until_ns = time_ns;
    if (time_ns > pack->end_ns)
        pack->end_ns = time_ns;
    if (on->open & OPEN_SPAN) {
        const char *name = pack->names[on->span];
        if (!(on->open & OPEN_CALL) && strcmp(name, "computation") != 0)
            add_span(pack, on, on->span, on->span_ns, time_ns);
        else if (strcmp(name, "waiting") == 0)
            on->call.waiting_ns += time_ns - on->span_ns;
        on->open &= ~(unsigned)OPEN_SPAN;
        return;
    }
    on->open = 0;
    on->call.end_ns = time_ns;
    on->call.longest_ns = time_ns - on->call.begin_ns;
    pack->calls++;
    add_block(pack, on, &on->call);
}

/* ---- arrows ---- */

/* The arrow of a number; NULL: it is left out. */
static arrow *arrow_of(vef_packed_timeline *pack, uint64_t number) {
    if (number > pack->last_arrow)
        pack->last_arrow = number;
    for (; number / pack->stride > pack->most_arrows; pack->stride *= 2)
        for (size_t i = 0; i < pack->arrow_room; i++)
            pack->arrows[i] = 2 * i < pack->arrow_room ? pack->arrows[2 * i] : (arrow){0};
    if (number % pack->stride != 0)
        return NULL;
    const size_t place = number / pack->stride;
    vef_grow_zeroed(&pack->arrows, &pack->arrow_room, place + 1, sizeof *pack->arrows);
    return &pack->arrows[place];
}

static void end_arrow(void *context, const vef_timeline_arrow *given) {
    vef_packed_timeline *pack = context;
    arrow *known = arrow_of(pack, given->number);
    if (!known || given->row > pack->row_count)
        return;
    if (given->name) {
        known->end_ns = given->time_ns;
        known->to = (uint32_t)given->row;
    } else {
        known->begin_ns = given->time_ns;
        known->from = (uint32_t)given->row;
        known->bytes = given->bytes;
    }
}

VEF_ORDER_BY(compare_begins, arrow, begin_ns)

static void put_arrows(vef_packed_timeline *pack, vef_result *into) {
    size_t shown = 0;
    uint64_t last_ns = 0;
    vef_packed packed = {0};
    for (size_t i = 0; i < pack->arrow_room; i++)
        if (pack->arrows[i].from && pack->arrows[i].to)
            pack->arrows[shown++] = pack->arrows[i];
    pack->arrow_room = shown;
    if (shown > 0)
        qsort(pack->arrows, shown, sizeof *pack->arrows, compare_begins);
    for (size_t i = 0; i < shown; i++) {
        const arrow *one = &pack->arrows[i];
        vef_pack(&packed, one->begin_ns - last_ns);
        vef_pack(&packed, pack->rows[one->from - 1].place);
        vef_pack(&packed, pack->rows[one->to - 1].place);
        vef_pack_signed(&packed, (int64_t)(one->end_ns - one->begin_ns));
        vef_pack(&packed, one->bytes);
        last_ns = one->begin_ns;
    }
    VEF_PUT(into, "messages", pack->last_arrow);
    VEF_PUT(into, "messages_shown", (uint64_t)shown);
    vef_pack_put(&packed, into, "arrows");
}

/* ---- the whole ---- */

vef_packed_timeline *vef_packed_timeline_new(uint64_t bytes) {
    vef_packed_timeline *pack = vef_calloc(1, sizeof *pack);
    bytes = bytes ? bytes : USUAL_BYTES;
    pack->most_blocks = bytes / BLOCK_BYTES + LEAST_BLOCKS;
    pack->most_arrows = bytes / ARROW_BYTES + LEAST_BLOCKS;
    pack->stride = 1;
    pack->sink = (vef_timeline_sink){pack, add_track, begin, end, end_arrow};
    return pack;
}

const vef_timeline_sink *vef_packed_timeline_sink(vef_packed_timeline *pack) {
    return &pack->sink;
}

/* ---- the document ---- */

static void pack_row(const vef_packed_timeline *pack, const row *on, vef_packed *packed) {
    uint64_t last_ns = on->begin_ns == UNSET_NS ? 0 : on->begin_ns;
    vef_pack(packed, on->count);
    vef_pack(packed, last_ns);
    for (size_t i = 0; i < on->count; i++) {
        const block *one = &on->blocks[i];
        vef_pack(packed, one->begin_ns - last_ns);
        vef_pack(packed, one->end_ns - one->begin_ns);
        vef_pack(packed, one->name);
        vef_pack(packed, one->peer == NO_PEER ? 0 : (uint64_t)one->peer + 1);
        vef_pack(packed, one->bytes);
        vef_pack(packed, one->waiting_ns);
        vef_pack(packed, one->text == VEF_INDEX_NONE ? 0 : (uint64_t)one->text + 1);
        if (pack->resolution_ns > 0) {
            vef_pack(packed, one->calls);
            vef_pack(packed, one->idle_ns);
        }
        last_ns = one->end_ns;
    }
    vef_pack(packed, on->until_ns - last_ns);
}

vef_result *vef_packed_timeline_put(vef_packed_timeline *pack, vef_result *into) {
    vef_result *timeline = vef_put_group(into, "timeline");
    vef_packed packed = {0};
    VEF_PUT(timeline, "end_ns", pack->end_ns);
    VEF_PUT(timeline, "calls", pack->calls);
    VEF_PUT(timeline, "blocks", (uint64_t)pack->blocks);
    VEF_PUT(timeline, "resolution_ns", pack->resolution_ns);
    vef_result *rows = vef_put_list(timeline, "rows");
    uint32_t place = 0;
    for (size_t i = 0; i < pack->row_count; i++) {
        row *on = &pack->rows[i];
        if (!on->name)
            continue;
        on->place = place++;
        VEF_PUT(rows, NULL, on->name);
        pack_row(pack, on, &packed);
    }
    vef_pack_put(&packed, timeline, "packed");
    static const vef_column columns[] =
        VEF_COLUMNS(VEF_COLUMN("name", NULL), VEF_COLUMN("group", NULL));
    vef_result *names = vef_put_table(timeline, "names", VEF_DOCUMENTS, columns);
    for (size_t i = 0; i < pack->name_count; i++) {
        const char *name = pack->names[i], *group = vef_call_group(name);
        VEF_CELLS(names, name, group ? group : name);
    }
    put_arrows(pack, timeline);
    return timeline;
}

uint32_t vef_packed_timeline_place(const vef_packed_timeline *pack, uint64_t track) {
    const row *on = row_of(pack, track);
    return on && on->name ? on->place : VEF_NO_PACKED_ROW;
}
