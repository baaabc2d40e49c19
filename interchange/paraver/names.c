/* The files beside a Paraver trace: labels of numbers (`.pcf`), names of threads (`.row`). See
 * writing.h. */
#include "interchange/paraver/writing.h"

#include <inttypes.h>

/* By the number of the state. */
static const char *const states[] = {
    "Idle",
    "Running",
    "Not created",
    "Waiting a message",
    "Blocking Send",
    "Synchronization",
    "Test/Probe",
    "Scheduling and Fork/Join",
    "Wait/WaitAll",
    "Blocked",
    "Immediate Send",
    "Immediate Receive",
    "I/O",
    "Group Communication",
    "Tracing Disabled",
    "Others",
    "Send Receive",
    "Memory transfer",
};

static const struct {
    uint32_t type;
    const char *label;
} kinds[] = {
    {VEF_PARAVER_PTOP, "MPI Point-to-point"},
    {VEF_PARAVER_COLLECTIVE, "MPI Collective Comm"},
    {VEF_PARAVER_OTHER, "MPI Other"},
    {VEF_PARAVER_RMA, "MPI One-sided"},
    {VEF_PARAVER_IO, "MPI I/O"},
};

/* The first number of a line is a gradient of colours. */
static void put_calls(const vef_paraver_writing *writer, FILE *out, size_t kind) {
    bool any = false;
    for (uint16_t call = 0; call < VEF_CALL_COUNT; call++) {
        uint32_t type, value;
        if (!writer->called[call] || vef_call_kind(call) == VEF_KIND_REGION)
            continue;
        vef_paraver_value(call, &type, &value);
        if (type != kinds[kind].type)
            continue;
        if (!any)
            fprintf(out, "EVENT_TYPE\n9   %" PRIu32 "    %s\nVALUES\n0   Outside MPI\n", type,
                    kinds[kind].label);
        any = true;
        fprintf(out, "%" PRIu32 "   MPI_%s\n", value, vef_call_name(call));
    }
    if (any)
        fprintf(out, "\n\n");
}

/* A name takes one line. */
static void put_names(const vef_names *names, int type, const char *label, FILE *out) {
    if (names->count == 0)
        return;
    fprintf(out, "EVENT_TYPE\n0   %d    %s\nVALUES\n0   End\n", type, label);
    for (size_t i = 0; i < names->count; i++) {
        fprintf(out, "%zu   ", i + 1);
        for (const char *c = names->list[i].text; *c; c++)
            fputc(*c == '\n' || *c == '\r' ? ' ' : *c, out);
        fputc('\n', out);
    }
    fprintf(out, "\n\n");
}

void vef_paraver_put_labels(const vef_paraver_writing *writer, FILE *out) {
    fprintf(out,
            "DEFAULT_OPTIONS\n\nLEVEL               THREAD\nUNITS               NANOSEC\n"
            "LOOK_BACK           100\nSPEED               1\nFLAG_ICONS          ENABLED\n"
            "NUM_OF_STATE_COLORS 1000\nYMAX_SCALE          37\n\n\nDEFAULT_SEMANTIC\n\n"
            "THREAD_FUNC          State As Is\n\n\nSTATES\n");
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        fprintf(out, "%zu    %s\n", i, states[i]);
    fprintf(out, "\n\n");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        put_calls(writer, out, i);
    fprintf(out,
            "EVENT_TYPE\n1    %d    Send Size in MPI Global OP\n1    %d    Recv Size in MPI Global "
            "OP\n1    %d    Root in MPI Global OP\n1    %d    Communicator in MPI Global OP\n\n\n",
            VEF_PARAVER_SENT, VEF_PARAVER_RECEIVED, VEF_PARAVER_ROOT, VEF_PARAVER_COMM);
    put_names(&writer->regions, VEF_PARAVER_FUNCTION, "User function", out);
    put_names(&writer->marks, VEF_PARAVER_MARK, "Mark", out);
}

void vef_paraver_put_rows(const vef_paraver_writing *writer, FILE *out) {
    const uint32_t tasks = writer->header->tasks, strands = writer->first_strand[tasks];
    fprintf(out, "LEVEL CPU SIZE %" PRIu32 "\n", strands);
    for (uint32_t i = 1; i <= strands; i++)
        fprintf(out, "%" PRIu32 ".unknown\n", i);
    fprintf(out, "\nLEVEL NODE SIZE 1\nunknown\n\nLEVEL THREAD SIZE %" PRIu32 "\n", strands);
    for (uint32_t task = 0; task < tasks; task++)
        for (uint32_t i = writer->first_strand[task]; i < writer->first_strand[task + 1]; i++)
            fprintf(out, "THREAD 1.%" PRIu32 ".%" PRIu32 "\n", task + 1,
                    i - writer->first_strand[task] + 1);
}
