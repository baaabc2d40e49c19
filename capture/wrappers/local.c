/* Wrappers of initialisation, finalisation, Pcontrol and Cancel; see recorder.h. (The _init
 * calls of persistent operations are in transfer.c.) */
#include "capture/recorder.h"
#include "capture/selection.h"

/* Threads that MPI creates meanwhile are its own. */
#define INIT(call)                                                                                 \
    const vef_clock_moment before = vef_clock_now();                                               \
    vef_init_begins();                                                                             \
    const int result = vef_mpi.call;                                                               \
    vef_init_ends()

int MPI_Init(int *argc, char ***argv) {
    INIT(Init(argc, argv));
    if (result == MPI_SUCCESS) {
        int provided = MPI_THREAD_SINGLE; /* the environment can make MPI provide more */
        vef_mpi.Query_thread(&provided);
        vef_begin(VEF_CALL_Init, provided, before);
    }
    return result;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
    INIT(Init_thread(argc, argv, required, provided));
    if (result == MPI_SUCCESS)
        vef_begin(VEF_CALL_Init_thread, *provided, before);
    return result;
}

/* Writes the log before MPI shuts down, which may fail. */
int MPI_Finalize(void) {
    vef_frame frame;
    if (!vef_enter(&frame))
        return vef_mpi.Finalize();
    vef_leave(&frame);
    if (vef_log_flush(vef_capture.log, &vef_capture.error) != VEF_OK)
        vef_write_failed();
    bool ends = vef_ends(false);
    vef_done(&frame);
    int result = vef_mpi.Finalize();
    vef_leave(&frame);
    vef_event event = {.call = VEF_CALL_Finalize, .root = -1};
    if (frame.muted)
        frame.thread->carry_ns = frame.thread->outside_ns = 0;
    frame.muted = false; /* the trace has the end even if recording was off */
    vef_put(&frame, &event);
    if (ends)
        vef_end(VEF_LOG_FINALIZED);
    vef_done(&frame);
    return result;
}

int MPI_Session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session *session) {
    INIT(Session_init(info, handler, session));
    if (result == MPI_SUCCESS)
        vef_begin_session(*session, before);
    return result;
}

/* Writes the log first: the process may end without another recorded call. */
int MPI_Session_finalize(MPI_Session *session) {
    vef_frame frame;
    if (!vef_enter(&frame))
        return vef_mpi.Session_finalize(session);
    vef_leave(&frame);
    vef_ends(true);
    vef_done(&frame);
    int result = vef_mpi.Session_finalize(session);
    vef_leave(&frame);
    vef_event event = {.call = VEF_CALL_Session_finalize, .root = -1};
    vef_put(&frame, &event);
    vef_flush(vef_clock_wall(&vef_capture.clock));
    vef_done(&frame);
    return result;
}

int MPI_Abort(MPI_Comm comm, int code) {
    vef_frame frame;
    if (vef_enter(&frame)) {
        vef_leave(&frame);
        vef_event event = {
            .call = VEF_CALL_Abort, .flags = VEF_EVENT_OPEN, .root = -1, .argument = code};
        frame.muted = false;
        vef_put(&frame, &event);
        vef_end(VEF_LOG_ABORTED);
        vef_done(&frame);
    }
    return vef_mpi.Abort(comm, code);
}

/* 0 switches recording off, 1 on. The call is recorded if it changes this or recording is on.
 * Other levels have no effect. */
int MPI_Pcontrol(const int level, ...) {
    vef_frame frame;
    if (!vef_enter(&frame))
        return MPI_SUCCESS; /* MPI's does nothing */
    vef_leave(&frame);
    const bool was_muted = frame.muted;
    if (level == 1)
        frame.muted = vef_selection_switch(&frame, true);
    if (!frame.muted) {
        if (was_muted) /* time while recording was off is not recorded */
            frame.thread->carry_ns = frame.thread->outside_ns = 0;
        vef_event event = {.call = VEF_CALL_Pcontrol, .root = -1, .argument = level};
        vef_put(&frame, &event);
    }
    if (level == 0)
        vef_selection_switch(&frame, false);
    vef_done(&frame);
    return MPI_SUCCESS;
}

int MPI_Cancel(MPI_Request *request) {
    VEF_WRAP(Cancel, (request), const MPI_Request handle = *request, {
        vef_request *cancelled = NULL;
        if (result == MPI_SUCCESS)
            cancelled = vef_requests_find(&vef_hold(&frame)->requests, handle, request);
        if (cancelled == NULL || !cancelled->active) {
            vef_count(&frame, VEF_CALL_Cancel);
        } else {
            cancelled->cancelled = true;
            vef_event event = {
                .call = VEF_CALL_Cancel, .root = -1, .argument = (int64_t)cancelled->number};
            vef_put_unmatched(&frame, &event);
        }
    });
}
