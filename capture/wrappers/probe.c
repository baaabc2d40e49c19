/* Wrappers of probes; see recorder.h. */
#include "capture/objects/messages.h"
#include "capture/recorder.h"

/* Hash of a probe's arguments, to recognise repeated probes. */
static uintptr_t question(int source, int tag, MPI_Comm comm) {
    return ((uintptr_t)(uint32_t)source * 31 + (uint32_t)tag) * 31 + (uintptr_t)VEF_KEY(comm);
}

/* Writes a probe. `flag`: of one that does not wait, else NULL; `message`: of a matched probe, else
 * NULL. Matched probes are kept even while recording is off, since their receive may be recorded.
 */
static void put_probe(vef_frame *frame, uint16_t call, int result, int source, int tag,
                      MPI_Comm comm, const int *flag, const MPI_Status *status,
                      const MPI_Message *message) {
    const vef_comm *known = vef_find_comm(frame, comm);
    if (result == MPI_SUCCESS && known != NULL && flag != NULL && !*flag) {
        vef_poll(frame, call, question(source, tag, comm));
        return;
    }
    if (result != MPI_SUCCESS || known == NULL ||
        !vef_comm_has_peer(known, vef_peer_of(status->MPI_SOURCE))) {
        vef_count(frame, call);
        return;
    }
    vef_operation found = {.flags = (uint16_t)((source == MPI_ANY_SOURCE ? VEF_OP_ANY_SOURCE : 0) |
                                               (tag == MPI_ANY_TAG ? VEF_OP_ANY_TAG : 0)),
                           .peer = vef_peer_of(status->MPI_SOURCE),
                           .tag = status->MPI_TAG,
                           .comm = known->number,
                           .bytes = vef_status_bytes(status),
                           .ordinal = VEF_NO_ORDINAL,
                           .request = VEF_NO_REQUEST};
    bool matched =
        message != NULL && *message != MPI_MESSAGE_NULL && *message != MPI_MESSAGE_NO_PROC;
    if (matched)
        found.ordinal = vef_hold(frame)->matched_messages++;
    if (matched && !vef_messages_keep(frame, *message, &found)) {
        vef_count(frame, call);
        return;
    }
    vef_event event = {.call = call, .root = -1, .operation_count = 1, .operations = &found};
    if (matched)
        vef_put(frame, &event);
    else
        vef_put_unmatched(frame, &event);
}

#define PROBE(declarator, name, arguments, before, flag, message)                                  \
    int declarator {                                                                               \
        VEF_WRAP(name, arguments, before;                                                          \
                 VEF_NEED_STATUS(status), put_probe(&frame, VEF_CALL_##name, result, source, tag,  \
                                                    comm, flag, status, message));                 \
    }
#define WAITS vef_waits_for(&frame, comm, 0, source, tag)

PROBE(MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status), Probe,
      (source, tag, comm, status), WAITS, NULL, NULL)
PROBE(MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status), Iprobe,
      (source, tag, comm, flag, status), , flag, NULL)
PROBE(MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status),
      Mprobe, (source, tag, comm, message, status), WAITS, NULL, message)
PROBE(MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                  MPI_Status *status),
      Improbe, (source, tag, comm, flag, message, status), , flag, message)
