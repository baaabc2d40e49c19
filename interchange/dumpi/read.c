/* Reading DUMPI: the last pass states the calls of each task to import.h. Gaps are processor time
 * where the file states it and the task is of one thread, else wall time; durations are wall times.
 * Calls that traces do not store are counted if vef knows them, and are part of the computation
 * otherwise (Comm_rank, Wtime), as after a capture. */
#include "common/containers/grow.h"
#include "common/memory.h"
#include "interchange/dumpi/reading.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- collectives and communicators ---- */

static vef_code read_collective(vef_dumpi_reading *reader, const vef_dumpi_call *call,
                                vef_error *error) {
    uint32_t number = 0;
    const vef_dumpi_comm *comm = NULL;
    if (!vef_dumpi_comm_of(reader, vef_dumpi_collective_comm(call), &number, &comm))
        return VEF_OK;
    vef_event event = {.call = (uint16_t)reader->calls[call->id],
                       .comm = number,
                       .new_comm = VEF_NO_COMM,
                       .request = VEF_NO_REQUEST};
    vef_code code = vef_dumpi_collective(call, vef_dumpi_rank(comm, reader->task), comm->size,
                                         &reader->types, &reader->vectors, &event, error);
    if (!code && vef_call_has(event.call, VEF_FACT_ROOTED) &&
        (event.root < 0 || (uint32_t)event.root >= comm->size))
        code = vef_fail(error, VEF_CORRUPT, "root %" PRId32 ": expected a rank below %" PRIu32,
                        event.root, comm->size);
    const bool exchange = event.call == VEF_CALL_Alltoallv || event.call == VEF_CALL_Alltoallw;
    if (!code && exchange && !reader->surveying && vef_dumpi_joint_in_place(reader->joint, comm)) {
        event.send_bytes = event.receive_bytes;
        event.flags |= VEF_EVENT_IN_PLACE;
    }
    return code ? code : vef_dumpi_put(reader, call, event, error);
}

/* States the communicator of a creation to the import. */
static vef_code state_comm(vef_dumpi_reading *reader, const vef_dumpi_comm *made, uint32_t parent,
                           uint32_t *number, vef_error *error) {
    vef_neighbours neighbours = {0};
    vef_communicator communicator = {.parent = parent,
                                     .made_by = made->made_by,
                                     .size = made->size,
                                     .members = made->members,
                                     .dimensions = made->dimensions,
                                     .extents = made->extents,
                                     .periodic = made->periodic};
    if (made->index) {
        const uint32_t rank = vef_dumpi_rank(made, reader->task);
        const int32_t from = rank ? made->index[rank - 1] : 0, to = made->index[rank];
        if (from < 0 || to < from || (uint32_t)to > made->edge_count)
            return vef_fail(error, VEF_CORRUPT,
                            "index %" PRId32 ": expected %" PRId32 " to %" PRIu32, to, from,
                            made->edge_count);
        neighbours.in = neighbours.out = (const uint32_t *)(made->edges + from);
        neighbours.in_count = neighbours.out_count = (uint32_t)(to - from);
        for (int32_t i = from; i < to; i++)
            if (made->edges[i] < 0 || (uint32_t)made->edges[i] >= made->size)
                return vef_fail(error, VEF_CORRUPT, "neighbour %" PRId32, made->edges[i]);
        communicator.neighbours = &neighbours;
    }
    return vef_import_communicator(reader->import, &communicator, number, error);
}

static vef_code put_comm(vef_dumpi_reading *reader, const vef_dumpi_call *call, uint32_t number,
                         uint32_t made, vef_error *error) {
    return vef_dumpi_put(
        reader, call,
        (vef_event){.root = -1, .comm = number, .new_comm = made, .request = VEF_NO_REQUEST},
        error);
}

static vef_code read_comm(vef_dumpi_reading *reader, const vef_dumpi_call *call, vef_error *error) {
    const uint16_t handle = vef_dumpi_made(call);
    uint32_t parent = 0, number = VEF_NO_COMM;
    const vef_dumpi_comm *comm = NULL;
    const bool known = vef_dumpi_comm_of(reader, call->handles[0], &parent, &comm);
    vef_code code = VEF_OK;
    if (handle != VEF_DUMPI_NULL) {
        const uint32_t creation = reader->current[handle] = reader->creations++;
        const uint32_t global = reader->comms->task[reader->task].made[creation];
        vef_grow(&reader->numbers, &reader->number_room, creation + 1ull, sizeof *reader->numbers);
        if (!known || global == VEF_DUMPI_UNKNOWN)
            return VEF_OK;
        if (reader->surveying)
            number = global;
        else
            code = state_comm(reader, &reader->comms->list[global], parent, &number, error);
        reader->numbers[creation] = number;
    }
    return code || !known ? code : put_comm(reader, call, parent, number, error);
}

static vef_code read_comm_free(vef_dumpi_reading *reader, const vef_dumpi_call *call,
                               vef_error *error) {
    uint32_t number = 0;
    const vef_dumpi_comm *comm = NULL;
    if (!vef_dumpi_comm_of(reader, call->handles[0], &number, &comm))
        return VEF_OK;
    return put_comm(reader, call, number, VEF_NO_COMM, error);
}

/* Intercommunicators are not supported; their handles must not mean earlier communicators. */
static void skip_intercomm(vef_dumpi_reading *reader, const vef_dumpi_call *call) {
    const uint16_t handle = vef_dumpi_made(call);
    if (handle != VEF_DUMPI_NULL)
        reader->creations++;
    reader->current[handle] = VEF_DUMPI_UNKNOWN;
    reader->count.left_out++;
}

static void count_call(vef_dumpi_reading *reader, const vef_dumpi_call *call) {
    const int known = reader->calls[call->id];
    if (reader->surveying || known < 0 || vef_call_kind((uint16_t)known) != VEF_KIND_COUNTED)
        return;
    vef_dumpi_enter(reader, call)->outside_ns += vef_dumpi_inside(call);
    vef_import_count(reader->import, (uint16_t)known, 1, vef_dumpi_inside(call));
}

static vef_code read_call(vef_dumpi_reading *reader, const vef_dumpi_call *call, vef_error *error) {
    vef_dumpi_slot *slot = NULL;
    switch (call->kind) {
    case VEF_DUMPI_BOUNDARY:
        reader->finalized = call->id == VEF_DUMPI_Finalize;
        return vef_dumpi_put(
            reader, call, (vef_event){.argument = call->id == VEF_DUMPI_Abort ? call->ints[0] : 0},
            error);
    case VEF_DUMPI_TRANSFER:
        return vef_dumpi_read_transfer(reader, call, error);
    case VEF_DUMPI_START:
        return vef_dumpi_read_start(reader, call, error);
    case VEF_DUMPI_COMPLETION:
        return vef_dumpi_read_completion(reader, call, error);
    case VEF_DUMPI_CANCEL:
        slot = vef_dumpi_slot_of(reader, call->ints[0]);
        return slot && slot->active
                   ? vef_dumpi_put(reader, call,
                                   (vef_event){.argument = (int64_t)slot->operation.request}, error)
                   : VEF_OK;
    case VEF_DUMPI_PROBE:
        return vef_dumpi_read_probe(reader, call, error);
    case VEF_DUMPI_COLLECTIVE:
        return read_collective(reader, call, error);
    case VEF_DUMPI_COMM:
        return read_comm(reader, call, error);
    case VEF_DUMPI_COMM_FREE:
        return read_comm_free(reader, call, error);
    case VEF_DUMPI_INTERCOMM:
        skip_intercomm(reader, call);
        return VEF_OK;
    case VEF_DUMPI_ONE_SIDED:
        reader->count.one_sided++;
        return VEF_OK;
    case VEF_DUMPI_TYPE:
        vef_dumpi_types_make(&reader->types, call);
        count_call(reader, call);
        return VEF_OK;
    default:
        count_call(reader, call);
        return VEF_OK;
    }
}

/* ---- tasks ---- */

static void begin_task(vef_dumpi_reading *reader, uint32_t task) {
    reader->task = task;
    reader->creations = 2;
    reader->numbers[0] = VEF_IMPORT_WORLD;
    reader->numbers[1] = reader->surveying ? task + 1 : VEF_IMPORT_SELF;
    vef_dumpi_handles_begin(reader->current);
    vef_dumpi_forget_requests(reader);
    reader->thread_count = 0;
    reader->base_ns = UINT64_MAX;
    reader->finalized = false;
    if (reader->threads)
        memset(reader->threads, 0, reader->thread_room * sizeof *reader->threads);
}

/* The footer's counts of calls that are not in the stream: MPI_Pcontrol(0), or the configuration.
 * A task that finalized so is not cut short. */
static vef_code end_task(vef_dumpi_reading *reader, vef_error *error) {
    const vef_dumpi_list counts = reader->stream.counts;
    bool finalized = false;
    for (uint32_t id = 0; id < VEF_DUMPI_CALLS && counts.count > 0; id++) {
        const int32_t ignored = vef_dumpi_int(counts, VEF_DUMPI_CALLS + 1 + id);
        if (id == VEF_DUMPI_Finalize)
            finalized = ignored > 0;
        else if (ignored > 0)
            reader->count.ignored += (uint32_t)ignored;
    }
    reader->count.cut += reader->stream.cut;
    if (reader->finalized || !finalized || reader->stream.cut)
        return VEF_OK;
    vef_event event = {.call = VEF_CALL_Finalize, .repeats = 1};
    if (reader->comms->task[reader->task].threaded) {
        for (uint32_t i = 0; i < reader->thread_room; i++)
            if (reader->threads[i].last_tick > event.entered)
                event.entered = reader->threads[i].last_tick;
        event.left = ++event.entered + 1;
    }
    return vef_import_event(reader->import, &event, error);
}

static vef_code read_task(vef_dumpi_reading *reader, uint32_t task, const char *path,
                          vef_error *error) {
    vef_dumpi_call call;
    bool more = true;
    vef_code code = vef_dumpi_open(path, &reader->stream, error);
    if (code)
        return code;
    if (!reader->surveying)
        code = vef_import_task(reader->import, task,
                               reader->stream.host[0] ? reader->stream.host : NULL, error);
    if (reader->joint)
        vef_dumpi_joint_begin(reader->joint, task, reader->stream.host);
    vef_dumpi_types_begin(&reader->types, &reader->stream);
    begin_task(reader, task);
    while (!code && (code = vef_dumpi_next(&reader->stream, &call, &more, error)) == VEF_OK &&
           more) {
        code = read_call(reader, &call, error);
        if (code)
            vef_fail_within(error, "%s: offset %" PRIu64 ": %s", path, reader->stream.offset,
                            vef_dumpi_name(call.id));
    }
    if (!code && !reader->surveying)
        code = end_task(reader, error);
    vef_dumpi_close(&reader->stream);
    return code;
}

static void note_all(const vef_dumpi_reading *reader, const vef_dumpi_run *run,
                     vef_format_report *report) {
    const vef_note_count notes[] = {
        {run->tasks - run->found, "tasks have no file"},
        {reader->count.cut, "files are cut short: their calls are read as far as they go"},
        {reader->count.ignored, "calls are counted in the files but not recorded"},
        {reader->comms->unsettled,
         "communicators are left out: intercommunicators, and those that not all members made"},
        {reader->count.left_out, "calls on such communicators are left out"},
        {reader->count.one_sided, "calls of one-sided communication are left out"},
        {reader->types.unknown, "counts of datatypes whose size is not known are taken as 0 bytes"},
        {reader->count.found,
         "receives from any source or with any tag do not state their message: they get those that "
         "others leave over, in the order of time"},
        {reader->count.unknown_sources,
         "receives or probes from any source or with any tag do not state their message, and none "
         "is left over: they complete at once, as from MPI_PROC_NULL"},
        {reader->count.backwards,
         "calls begin before the last one of their thread returned: no time between them"},
    };
    vef_note_counts(&report->notes, notes, sizeof notes / sizeof *notes);
}

static vef_code read_tasks(vef_dumpi_reading *reader, const vef_dumpi_run *run, vef_error *error) {
    vef_code code = VEF_OK;
    for (uint32_t task = 0; !code && task < run->tasks; task++)
        if (run->paths[task])
            code = read_task(reader, task, run->paths[task], error);
    return code;
}

/* The pass before, if need be; what it counts is counted again. */
static vef_code survey(vef_dumpi_reading *reader, const vef_dumpi_run *run, vef_error *error) {
    if (!reader->comms->joint)
        return VEF_OK;
    reader->joint = vef_dumpi_joint_open(reader->comms, run->tasks);
    reader->surveying = true;
    const vef_code code = read_tasks(reader, run, error);
    reader->surveying = false;
    reader->count = (vef_dumpi_numbers){0};
    reader->types.unknown = 0;
    if (!code)
        vef_dumpi_joint_settle(reader->joint);
    return code;
}

static vef_code read_run(vef_dumpi_reading *reader, const vef_dumpi_run *run,
                         const char *trace_path, vef_format_report *report, vef_error *error) {
    const vef_import_facts facts = {.format = "dumpi",
                                    .clock = reader->comms->processor_time ? "cpu" : "wall",
                                    .library = "not known (DUMPI)",
                                    .tasks = run->tasks,
                                    .started_ns = run->started_ns};
    reader->current = vef_malloc((UINT16_MAX + 1ull) * sizeof *reader->current);
    vef_grow(&reader->numbers, &reader->number_room, 2, sizeof *reader->numbers);
    vef_code code = survey(reader, run, error);
    code = code ? code : vef_import_begin(trace_path, &facts, &reader->import, error);
    code = code ? code : read_tasks(reader, run, error);
    code = code ? code : vef_import_finish(reader->import, report, error);
    if (!code)
        note_all(reader, run, report);
    return code;
}

vef_code vef_dumpi_read(const char *path, const char *trace_path, vef_format_report *report,
                        vef_error *error) {
    vef_dumpi_run run;
    vef_dumpi_comms comms = {0};
    vef_dumpi_reading reader = {.comms = &comms};
    *report = (vef_format_report){0};
    for (uint16_t id = 0; id < VEF_DUMPI_CALLS; id++)
        reader.calls[id] = vef_call_find(vef_dumpi_name(id));
    vef_code code = vef_dumpi_run_read(path, &run, error);
    code = code ? code : vef_dumpi_comms_find(&run, &comms, error);
    code = code ? code : read_run(&reader, &run, trace_path, report, error);
    vef_import_free(reader.import);
    vef_dumpi_types_release(&reader.types);
    vef_map64_free(&reader.handles);
    free(reader.vectors.sends);
    free(reader.vectors.receives);
    free(reader.current);
    free(reader.numbers);
    for (size_t i = 0; i < reader.slot_room; i++)
        free(reader.slots[i].later);
    free(reader.slots);
    free(reader.threads);
    free(reader.completions);
    free(reader.operations);
    if (reader.joint)
        vef_dumpi_joint_close(reader.joint);
    vef_dumpi_comms_release(&comms, run.tasks);
    vef_dumpi_run_release(&run);
    return code;
}
