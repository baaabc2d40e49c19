/* The first pass over an archive's events. See survey.h. */
#include "interchange/otf2/survey.h"

#ifdef VEF_HAVE_OTF2

#include "common/containers/grow.h"
#include "common/memory.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct survey_pass {
    vef_otf2_survey *survey;
    uint32_t task;
    bool begun;
    vef_map64 active;   /* request → place of its collective in the task's facts */
    vef_map64 receives; /* request → place in `comms` */
    uint32_t *comms;    /* of the task's receives with requests */
    size_t comm_count, comm_room;
    uint32_t created; /* the communicator made last, for the completion that follows */
    uint16_t entered; /* the call that was entered last; 0: another region */
} survey_pass;

bool vef_otf2_has_vectors(uint8_t operation) {
    const int call = vef_otf2_call(operation);
    return call > 0 && vef_call_has_counts((uint16_t)call);
}

/* Sizes that are those of the arguments become those that a member sends and receives. */
static void take_arguments(const vef_otf2_run *run, uint32_t task, vef_otf2_fact *fact) {
    uint32_t rank;
    if (!run->tool->arguments || fact->comm == VEF_NO_COMM ||
        !vef_otf2_run_rank(&run->comms[fact->comm], task, &rank))
        return;
    const vef_otf2_place place = {rank, run->comms[fact->comm].size};
    fact->sizes = vef_otf2_sizes_of_arguments(fact->operation, fact->root == rank, place,
                                              fact->sizes, &fact->in_place);
}

vef_otf2_fact vef_otf2_fact_of(const vef_otf2_run *run, uint32_t task,
                               const vef_otf2_record *record) {
    vef_otf2_fact fact = {.known = true,
                          .operation = (uint8_t)record->c,
                          .root = (uint32_t)record->a,
                          .comm = vef_otf2_run_comm(run, record->b),
                          .new_comm = VEF_NO_COMM,
                          .sizes = {record->d, record->f},
                          .in_place = record->values[VEF_OTF2_IN_PLACE] != 0,
                          .elements = record->values[VEF_OTF2_ELEMENTS]};
    take_arguments(run, task, &fact);
    return fact;
}

static void add_fact(survey_pass *pass, vef_otf2_fact fact) {
    vef_otf2_facts *facts = &pass->survey->tasks[pass->task];
    *VEF_NEW_ITEM(facts->list, facts->count, facts->room) = fact;
}

/* ---- vectors ---- */

static vef_code add_vector(vef_otf2_vectors *vectors, uint32_t size, uint32_t rank, size_t call,
                           const vef_otf2_fact *fact, vef_error *error) {
    const uint64_t most = (UINT64_MAX >> 2) / size;
    if (fact->sizes.sent > most || fact->sizes.received > most)
        return vef_fail(error, VEF_CORRUPT,
                        "a collective of %" PRIu64 " and %" PRIu64
                        " bytes: expected up to %" PRIu64,
                        fact->sizes.sent, fact->sizes.received, most);
    vef_grow(&vectors->operations, &vectors->operation_room, call + 1, 1);
    vef_grow_zeroed(&vectors->sizes, &vectors->room, (call + 1) * size, sizeof *vectors->sizes);
    vectors->sizes[call * size + rank] = fact->sizes;
    vectors->operations[call] = fact->operation;
    if (vectors->calls <= call)
        vectors->calls = call + 1;
    return VEF_OK;
}

static void keep_receives(survey_pass *pass) {
    vef_otf2_facts *facts = &pass->survey->tasks[pass->task];
    for (size_t i = 0; i < pass->comm_count; i++) {
        vef_otf2_receives *last =
            facts->receive_count ? &facts->receives[facts->receive_count - 1] : NULL;
        if (last && last->comm == pass->comms[i]) {
            last->count++;
            continue;
        }
        *VEF_NEW_ITEM(facts->receives, facts->receive_count, facts->receive_room) =
            (vef_otf2_receives){pass->comms[i], 1};
    }
    pass->comm_count = 0;
    vef_map64_clear(&pass->receives);
}

static vef_code end_task(survey_pass *pass, vef_error *error) {
    vef_otf2_survey *survey = pass->survey;
    const vef_otf2_facts *facts = &survey->tasks[pass->task];
    vef_map64 calls = {0}; /* communicator → its calls with counts so far */
    keep_receives(pass);
    vef_map64_clear(&pass->active);
    vef_code code = VEF_OK;
    for (size_t i = 0; i < facts->count && !code; i++) {
        const vef_otf2_fact *fact = &facts->list[i];
        uint32_t rank;
        if (!fact->known || fact->persistent || !vef_otf2_has_vectors(fact->operation) ||
            fact->comm == VEF_NO_COMM ||
            !vef_otf2_run_rank(&survey->run->comms[fact->comm], pass->task, &rank))
            continue;
        const vef_otf2_comm *comm = &survey->run->comms[fact->comm];
        const uint64_t *known = vef_map64_get(&calls, fact->comm);
        const uint64_t call = known ? *known : 0;
        if (comm->kind != VEF_OTF2_COMM_SELF)
            code = add_vector(&survey->vectors[fact->comm], comm->size, rank, call, fact, error);
        vef_map64_set(&calls, fact->comm, call + 1);
    }
    vef_map64_free(&calls);
    return code;
}

static bool is_exchange(uint8_t operation) {
    const int call = vef_otf2_call(operation);
    return call == VEF_CALL_Alltoallv || call == VEF_CALL_Alltoallw;
}

static void swap(vef_exchange_sums *sizes, uint32_t size) {
    for (uint32_t i = 0; i < size; i++)
        sizes[i] = (vef_exchange_sums){sizes[i].received, sizes[i].sent};
}

vef_exchange_place vef_otf2_without_place(const vef_otf2_run *run, uint8_t operation,
                                          vef_exchange_sums *sizes, uint32_t size) {
    const bool arguments = run->tool->arguments;
    vef_exchange_place place = VEF_EXCHANGE_WHOLE;
    if (run->tool->without_place && !arguments)
        return VEF_EXCHANGE_WHOLE;
    if (is_exchange(operation))
        return vef_exchange_pairs(sizes, size, arguments);
    if (vef_otf2_call(operation) == VEF_CALL_Allgatherv)
        return vef_exchange_parts(sizes, size, arguments);
    if (vef_otf2_call(operation) == VEF_CALL_Reduce_scatter) {
        swap(sizes, size);
        place = vef_exchange_parts(sizes, size, arguments);
        swap(sizes, size);
    }
    return place;
}

/* Where the sums of both sides differ, what is sent counts, and as much is received. */
static bool settle(vef_exchange_sums *sizes, vef_exchange_sums *rest, uint32_t size) {
    if (vef_exchange_settle(sizes, rest, size))
        return true;
    for (uint32_t i = 0; i < size; i++)
        sizes[i].received = sizes[i].sent;
    vef_exchange_settle(sizes, rest, size);
    return false;
}

static void settle_all(vef_otf2_survey *survey) {
    for (size_t i = 0; i < survey->run->comm_count; i++) {
        vef_otf2_vectors *vectors = &survey->vectors[i];
        const uint32_t size = survey->run->comms[i].size;
        if (vectors->calls == 0)
            continue;
        vectors->rest = vef_calloc(vectors->calls * size, sizeof *vectors->rest);
        vectors->places = vef_malloc(vectors->calls);
        for (size_t call = 0; call < vectors->calls; call++) {
            vef_exchange_sums *sizes = vectors->sizes + call * size;
            vectors->places[call] = (uint8_t)vef_otf2_without_place(
                survey->run, vectors->operations[call], sizes, size);
            if (is_exchange(vectors->operations[call]))
                survey->odd += !settle(sizes, vectors->rest + call * size, size);
        }
    }
}

vef_exchange_place vef_otf2_fill_vectors(const vef_otf2_survey *survey, uint32_t comm, size_t call,
                                         uint32_t rank, vef_event *event, uint64_t *sends,
                                         uint64_t *receives) {
    const vef_otf2_vectors *vectors = &survey->vectors[comm];
    const uint32_t size = survey->run->comms[comm].size;
    const bool at_root =
        !vef_call_has(event->call, VEF_FACT_ROOTED) || event->root == (int32_t)rank;
    if (call >= vectors->calls || rank >= size)
        return VEF_EXCHANGE_WHOLE;
    const vef_exchange_place place = vectors->places[call];
    if (place == VEF_EXCHANGE_IN_PLACE)
        event->flags |= VEF_EVENT_IN_PLACE;
    const vef_exchange_sums *sizes = vectors->sizes + call * size;
    if (vef_call_has(event->call, VEF_FACT_SENDS_EACH) && at_root) {
        event->send_count = size;
        event->send_bytes = sends;
    }
    if (vef_call_has(event->call, VEF_FACT_RECEIVES_EACH) && at_root) {
        event->receive_count = size;
        event->receive_bytes = receives;
    }
    if (is_exchange(vectors->operations[call])) {
        vef_exchange_fill(sizes, vectors->rest + call * size, size, rank, sends, receives);
        return place;
    }
    /* The part that each member states for itself. */
    for (uint32_t i = 0; i < size && at_root; i++) {
        vef_event member = {.call = event->call, .root = event->root};
        vef_otf2_bytes_of(&member, (vef_otf2_place){i, size}, sizes[i], true);
        receives[i] = member.bytes;
    }
    if (at_root && vef_call_has(event->call, VEF_FACT_ROOTED)) {
        const uint64_t stated = receives[rank];
        vef_exchange_rest(receives, size, rank,
                          event->send_count ? sizes[rank].sent : sizes[rank].received);
        if (receives[rank] != stated)
            event->flags |= VEF_EVENT_IN_PLACE;
    }
    for (uint32_t i = 0; i < event->send_count; i++)
        sends[i] = receives[i];
    if (at_root)
        event->bytes = receives[rank];
    return place;
}

/* ---- the pass ---- */

/* A request of a message. Tools that record only how requests start record both ends of those of
 * MPI_Start. */
static void start(survey_pass *pass) {
    pass->survey->started++;
    pass->survey->unstated += pass->survey->run->tool->starts_only &&
                              pass->entered != VEF_CALL_Start && pass->entered != VEF_CALL_Startall;
}

static void post(survey_pass *pass, const vef_otf2_record *record) {
    vef_map64_set(&pass->receives, record->e, pass->comm_count);
    *VEF_NEW_ITEM(pass->comms, pass->comm_count, pass->comm_room) = VEF_NO_COMM;
}

static void take(survey_pass *pass, const vef_otf2_record *record) {
    vef_otf2_survey *survey = pass->survey;
    vef_otf2_facts *facts = &survey->tasks[pass->task];
    uint64_t place;
    switch (record->type) {
    case VEF_OTF2_ISEND:
        start(pass);
        return;
    case VEF_OTF2_IRECV_REQUEST:
        start(pass);
        post(pass, record);
        return;
    case VEF_OTF2_IRECV:
        survey->completed++;
        if (vef_map64_take(&pass->receives, record->e, &place))
            pass->comms[place] = vef_otf2_run_comm(survey->run, record->b);
        return;
    case VEF_OTF2_ISEND_COMPLETE:
    case VEF_OTF2_CANCELLED:
        survey->completed++;
        return;
    case VEF_OTF2_COMM_CREATE:
        pass->created = vef_otf2_run_comm(survey->run, record->b);
        if (pass->created != VEF_NO_COMM)
            survey->made[pass->created] = true;
        return;
    case VEF_OTF2_ENTER:
        pass->entered = vef_otf2_run_region(survey->run, record->a)->call;
        survey->waits += vef_call_kind(pass->entered) == VEF_KIND_COMPLETE;
        facts->initializes |= vef_call_has(pass->entered, VEF_FACT_BEGINS) &&
                              vef_call_has(pass->entered, VEF_FACT_WORLD);
        return;
    case VEF_OTF2_COLLECTIVE_REQUEST:
        vef_map64_set(&pass->active, record->e, facts->count);
        add_fact(pass, (vef_otf2_fact){.comm = VEF_NO_COMM,
                                       .new_comm = VEF_NO_COMM,
                                       .persistent = vef_call_kind(pass->entered) ==
                                                     VEF_KIND_TRANSFER}); /* MPI_Start, … */
        return;
    case VEF_OTF2_COLLECTIVE_COMPLETE:
        if (vef_map64_take(&pass->active, record->e, &place)) {
            const bool persistent = facts->list[place].persistent;
            facts->list[place] = vef_otf2_fact_of(survey->run, pass->task, record);
            facts->list[place].persistent = persistent;
            if (record->c == VEF_OTF2_OP_CREATE)
                facts->list[place].new_comm = pass->created;
        }
        pass->created = VEF_NO_COMM;
        return;
    case VEF_OTF2_COLLECTIVE_END:
        pass->created = VEF_NO_COMM;
        if (vef_otf2_has_vectors((uint8_t)record->c))
            add_fact(pass, vef_otf2_fact_of(survey->run, pass->task, record));
        return;
    default:
        return;
    }
}

static vef_code take_record(void *context, const vef_otf2_record *record, vef_error *error) {
    survey_pass *pass = context;
    if (record->type != VEF_OTF2_TASK) {
        take(pass, record);
        return VEF_OK;
    }
    vef_code code = pass->begun ? end_task(pass, error) : VEF_OK;
    pass->begun = true;
    pass->task = (uint32_t)record->a;
    pass->created = VEF_NO_COMM;
    pass->entered = 0;
    return code;
}

vef_code vef_otf2_pass(const vef_otf2_run *run, vef_otf2_taker *taker, void *context,
                       vef_error *error) {
    const vef_otf2_wanted wanted = {.path = run->path,
                                    .tasks = run->tasks,
                                    .count = run->task_count,
                                    .attributes = run->attributes,
                                    .take = taker,
                                    .context = context};
    return vef_otf2_archive_read(&wanted, error);
}

vef_code vef_otf2_survey_read(const vef_otf2_run *run, vef_otf2_survey *survey, vef_error *error) {
    survey_pass pass = {.survey = survey};
    *survey =
        (vef_otf2_survey){.run = run,
                          .tasks = vef_calloc(run->task_count, sizeof *survey->tasks),
                          .made = vef_calloc(run->comm_count + 1, sizeof *survey->made),
                          .vectors = vef_calloc(run->comm_count + 1, sizeof *survey->vectors)};
    vef_code code = vef_otf2_pass(run, take_record, &pass, error);
    if (!code && pass.begun)
        code = end_task(&pass, error);
    vef_map64_free(&pass.active);
    vef_map64_free(&pass.receives);
    free(pass.comms);
    if (code == VEF_OK)
        settle_all(survey);
    return code;
}

void vef_otf2_survey_release(vef_otf2_survey *survey) {
    for (uint32_t i = 0; survey->tasks && i < survey->run->task_count; i++)
        free(survey->tasks[i].list);
    for (uint32_t i = 0; survey->tasks && i < survey->run->task_count; i++)
        free(survey->tasks[i].receives);
    for (size_t i = 0; survey->vectors && i < survey->run->comm_count; i++) {
        free(survey->vectors[i].sizes);
        free(survey->vectors[i].rest);
        free(survey->vectors[i].operations);
        free(survey->vectors[i].places);
    }
    free(survey->tasks);
    free(survey->vectors);
    free(survey->made);
}

#endif
