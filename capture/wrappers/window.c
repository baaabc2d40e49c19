/* Wrappers that create, free and synchronise windows; see recorder.h. Creation and freeing are
 * logged even while recording is off, since later calls may use the windows. one_sided.c has the
 * operations. */
#include "capture/windows.h"

/* Logs the window that a call on `comm` created, then the call. */
static void put_creation(vef_frame *frame, uint16_t call, int result, MPI_Comm comm,
                         const MPI_Win *made) {
    const vef_comm *known = vef_find_comm(frame, comm);
    if (result != MPI_SUCCESS || known == NULL || !vef_is_recording()) {
        vef_count(frame, call);
        return;
    }
    vef_event event = {.call = call, .root = -1, .comm = known->number, .request = VEF_NO_REQUEST};
    if (vef_comms_add_window(&vef_hold(frame)->comms, vef_capture.log, comm, known->number, call,
                             &event.new_comm, &vef_capture.error) != VEF_OK)
        vef_write_failed();
    else if (event.new_comm == VEF_NO_COMM ||
             vef_windows_add(frame, *made, event.new_comm, known->size) == NULL)
        vef_count(frame, call);
    else
        vef_put_joint(frame, &event);
}

#define CREATION(name, call, parameters, arguments)                                                \
    VEF_WRAPPER(name, parameters, arguments,                                                       \
                put_creation(&frame, VEF_CALL_##call, result, comm, made))

CREATION(Win_create, Win_create,
         (void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *made),
         (base, size, unit, info, comm, made));
CREATION(Win_create_c, Win_create,
         (void *base, MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm, MPI_Win *made),
         (base, size, unit, info, comm, made));
CREATION(Win_allocate, Win_allocate,
         (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *made),
         (size, unit, info, comm, base, made));
CREATION(Win_allocate_c, Win_allocate,
         (MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *made),
         (size, unit, info, comm, base, made));
CREATION(Win_allocate_shared, Win_allocate_shared,
         (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *made),
         (size, unit, info, comm, base, made));
CREATION(Win_allocate_shared_c, Win_allocate_shared,
         (MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *made),
         (size, unit, info, comm, base, made));
CREATION(Win_create_dynamic, Win_create_dynamic, (MPI_Info info, MPI_Comm comm, MPI_Win *made),
         (info, comm, made));

/* Removed before the call: MPI may reuse the handle after it. */
int MPI_Win_free(MPI_Win *win) {
    vef_frame frame;
    if (!vef_enter(&frame))
        return vef_mpi.Win_free(win);
    const MPI_Win handle = *win;
    vef_window *window = vef_windows_forget(&frame, handle);
    vef_release(&frame);
    int result = vef_mpi.Win_free(win);
    vef_leave(&frame);
    if (window == NULL || result != MPI_SUCCESS) {
        if (window != NULL && *win == handle) {
            vef_windows_restore(&frame, handle, window);
            window = NULL;
        }
        vef_count(&frame, VEF_CALL_Win_free);
    } else {
        vef_event event = {.call = VEF_CALL_Win_free,
                           .root = -1,
                           .comm = window->number,
                           .new_comm = VEF_NO_COMM,
                           .request = VEF_NO_REQUEST};
        vef_put_joint(&frame, &event);
    }
    vef_window_free(window);
    vef_done(&frame);
    return result;
}

/* Writes a call on a window that does not synchronise. */
static void put_local(vef_frame *frame, uint16_t call, int result, MPI_Win win) {
    vef_event event = {.call = call, .root = -1};
    if (result != MPI_SUCCESS || vef_find_window(frame, win) == NULL)
        vef_count(frame, call);
    else if (vef_is_muted(frame, call))
        vef_skip(frame, call);
    else
        vef_put(frame, &event);
}

/* Whether other calls of this task or of peers match this one: then it is logged even if muted. */
static bool is_matched(uint16_t call) {
    const vef_sync sync = vef_call_sync(call);
    return sync != VEF_SYNC_FENCE && sync != VEF_SYNC_FLUSH && sync != VEF_SYNC_MEMORY;
}

/* Writes a synchronisation; the caller has set flags and peers. */
static void put_sync(vef_frame *frame, uint16_t call, int result, const vef_window *window,
                     int assertion, vef_event *event) {
    if (result != MPI_SUCCESS || window == NULL) {
        vef_count(frame, call);
        return;
    }
    const bool muted = vef_is_muted(frame, call);
    if (muted && vef_call_sync(call) == VEF_SYNC_FENCE)
        vef_skip_joint(frame, call, window->number);
    else if (muted && !is_matched(call))
        vef_skip(frame, call);
    if (muted && !is_matched(call))
        return;
    event->call = call;
    event->root = -1;
    event->comm = window->number;
    event->request = VEF_NO_REQUEST;
    event->argument = vef_assertion_of(assertion);
    if (vef_call_sync(call) == VEF_SYNC_FENCE)
        vef_put_joint(frame, event);
    else
        vef_put(frame, event);
}

/* The same with one peer, or without peers. */
static void put_about(vef_frame *frame, uint16_t call, int result, MPI_Win win, int assertion,
                      unsigned flags, const int *rank) {
    vef_event event = {.flags = (uint16_t)flags, .peer_count = rank != NULL, .peers = rank};
    put_sync(frame, call, result, vef_find_window(frame, win), assertion, &event);
}

/* The same for the end of an epoch, with the peers of its beginning. */
static void put_end(vef_frame *frame, uint16_t call, int result, const vef_window *window,
                    const vef_epoch *epoch) {
    vef_event event = {0};
    if (epoch != NULL) {
        event.peer_count = epoch->count;
        event.peers = epoch->tasks;
    }
    put_sync(frame, call, result, window, 0, &event);
}

VEF_WRAPPER(Win_attach, (MPI_Win win, void *base, MPI_Aint size), (win, base, size),
            put_local(&frame, VEF_CALL_Win_attach, result, win));
VEF_WRAPPER(Win_detach, (MPI_Win win, const void *base), (win, base),
            put_local(&frame, VEF_CALL_Win_detach, result, win));

VEF_WRAPPER(Win_fence, (int assertion, MPI_Win win), (assertion, win),
            put_about(&frame, VEF_CALL_Win_fence, result, win, assertion, 0, NULL));
VEF_WRAPPER(Win_lock, (int type, int rank, int assertion, MPI_Win win),
            (type, rank, assertion, win),
            put_about(&frame, VEF_CALL_Win_lock, result, win, assertion,
                      type == MPI_LOCK_EXCLUSIVE ? VEF_EVENT_EXCLUSIVE : 0, &rank));
VEF_WRAPPER(Win_lock_all, (int assertion, MPI_Win win), (assertion, win),
            put_about(&frame, VEF_CALL_Win_lock_all, result, win, assertion, 0, NULL));

#define ABOUT_ONE(name)                                                                            \
    VEF_WRAPPER(name, (int rank, MPI_Win win), (rank, win),                                        \
                put_about(&frame, VEF_CALL_##name, result, win, 0, 0, &rank))
ABOUT_ONE(Win_unlock);
ABOUT_ONE(Win_flush);
ABOUT_ONE(Win_flush_local);

#define ABOUT_ALL(name)                                                                            \
    VEF_WRAPPER(name, (MPI_Win win), (win),                                                        \
                put_about(&frame, VEF_CALL_##name, result, win, 0, 0, NULL))
ABOUT_ALL(Win_unlock_all);
ABOUT_ALL(Win_flush_all);
ABOUT_ALL(Win_flush_local_all);
ABOUT_ALL(Win_sync);

/* Stores the group of the epoch, which its end does not name, even while recording is off. */
static void put_begin(vef_frame *frame, uint16_t call, int result, const vef_window *window,
                      vef_epoch *epoch, MPI_Group group, int assertion) {
    vef_event event = {0};
    if (result == MPI_SUCCESS && window != NULL) {
        if (!vef_epoch_begin(window, epoch, group))
            window = NULL;
        event.peer_count = epoch->count;
        event.peers = epoch->tasks;
    }
    put_sync(frame, call, result, window, assertion, &event);
}

#define EPOCH_BEGINS(name, which)                                                                  \
    VEF_WRAPPER(name, (MPI_Group group, int assertion, MPI_Win win), (group, assertion, win), {    \
        vef_window *window = vef_find_window(&frame, win);                                         \
        put_begin(&frame, VEF_CALL_##name, result, window, window != NULL ? &window->which : NULL, \
                  group, assertion);                                                               \
    })
EPOCH_BEGINS(Win_start, access);
EPOCH_BEGINS(Win_post, exposure);

#define EPOCH_ENDS(name, which)                                                                    \
    VEF_WRAPPER(name, (MPI_Win win), (win), {                                                      \
        const vef_window *window = vef_find_window(&frame, win);                                   \
        put_end(&frame, VEF_CALL_##name, result, window, window != NULL ? &window->which : NULL);  \
    })
EPOCH_ENDS(Win_complete, access);
EPOCH_ENDS(Win_wait, exposure);

int MPI_Win_test(MPI_Win win, int *flag) {
    vef_frame frame;
    if (!vef_enter(&frame))
        return vef_mpi.Win_test(win, flag);
    int result = vef_mpi.Win_test(win, flag);
    vef_leave(&frame);
    const vef_window *window = vef_find_window(&frame, win);
    if (result == MPI_SUCCESS && window != NULL && !*flag) {
        vef_poll(&frame, VEF_CALL_Win_test, (uintptr_t)window);
        if (!vef_is_muted(&frame, VEF_CALL_Win_test))
            frame.thread->poll.comm = window->number;
    } else {
        put_end(&frame, VEF_CALL_Win_test, result, window,
                window != NULL ? &window->exposure : NULL);
    }
    vef_done(&frame);
    return result;
}
