/* Wrappers that create, free and synchronise windows; see recorder.h. Creation and freeing are
 * logged even while recording is off, since later calls may use the windows. one_sided.c has the
 * operations. */
#include "capture/objects/windows.h"

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

#define CREATION(declarator, name, call, arguments)                                                \
    VEF_WRAPPER(declarator, name, arguments,                                                       \
                put_creation(&frame, VEF_CALL_##call, result, comm, made))

CREATION(MPI_Win_create(void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm,
                        MPI_Win *made),
         Win_create, Win_create, (base, size, unit, info, comm, made));
CREATION(MPI_Win_create_c(void *base, MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm,
                          MPI_Win *made),
         Win_create_c, Win_create, (base, size, unit, info, comm, made));
CREATION(MPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base,
                          MPI_Win *made),
         Win_allocate, Win_allocate, (size, unit, info, comm, base, made));
CREATION(MPI_Win_allocate_c(MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm, void *base,
                            MPI_Win *made),
         Win_allocate_c, Win_allocate, (size, unit, info, comm, base, made));
CREATION(MPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base,
                                 MPI_Win *made),
         Win_allocate_shared, Win_allocate_shared, (size, unit, info, comm, base, made));
CREATION(MPI_Win_allocate_shared_c(MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm,
                                   void *base, MPI_Win *made),
         Win_allocate_shared_c, Win_allocate_shared, (size, unit, info, comm, base, made));
CREATION(MPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win *made), Win_create_dynamic,
         Win_create_dynamic, (info, comm, made));

static void put_freeing(vef_frame *frame, int result, MPI_Win former, MPI_Win now,
                        vef_window *window) {
    vef_event event = {.call = VEF_CALL_Win_free,
                       .root = -1,
                       .comm = window != NULL ? window->number : VEF_NO_COMM,
                       .new_comm = VEF_NO_COMM,
                       .request = VEF_NO_REQUEST};
    if (window != NULL && result == MPI_SUCCESS) {
        vef_put_joint(frame, &event);
        vef_window_free(window);
        return;
    }
    if (window != NULL && now == former)
        vef_windows_restore(frame, former, window);
    else
        vef_window_free(window);
    vef_count(frame, VEF_CALL_Win_free);
}

/* Removed before the call: MPI may reuse the handle after it. */
int MPI_Win_free(MPI_Win *win) {
    VEF_WRAP(Win_free, (win), const MPI_Win handle = *win;
             vef_window *window = vef_windows_forget(&frame, handle);
             vef_release(&frame), put_freeing(&frame, result, handle, *win, window));
}

/* Writes a call on a window that does not synchronise. */
static void put_local(vef_frame *frame, uint16_t call, int result, MPI_Win win) {
    vef_event event = {.call = call, .root = -1};
    if (result != MPI_SUCCESS || vef_find_window(frame, win) == NULL)
        vef_count(frame, call);
    else
        vef_put_unmatched(frame, &event);
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

VEF_WRAPPER(MPI_Win_attach(MPI_Win win, void *base, MPI_Aint size), Win_attach, (win, base, size),
            put_local(&frame, VEF_CALL_Win_attach, result, win));
VEF_WRAPPER(MPI_Win_detach(MPI_Win win, const void *base), Win_detach, (win, base),
            put_local(&frame, VEF_CALL_Win_detach, result, win));

#define ABOUT(declarator, name, arguments, assertion, flags, rank)                                 \
    VEF_WRAPPER(declarator, name, arguments,                                                       \
                put_about(&frame, VEF_CALL_##name, result, win, assertion, flags, rank))

ABOUT(MPI_Win_fence(int assertion, MPI_Win win), Win_fence, (assertion, win), assertion, 0, NULL);
ABOUT(MPI_Win_lock(int type, int rank, int assertion, MPI_Win win), Win_lock,
      (type, rank, assertion, win), assertion, type == MPI_LOCK_EXCLUSIVE ? VEF_EVENT_EXCLUSIVE : 0,
      &rank);
ABOUT(MPI_Win_lock_all(int assertion, MPI_Win win), Win_lock_all, (assertion, win), assertion, 0,
      NULL);
ABOUT(MPI_Win_unlock(int rank, MPI_Win win), Win_unlock, (rank, win), 0, 0, &rank);
ABOUT(MPI_Win_flush(int rank, MPI_Win win), Win_flush, (rank, win), 0, 0, &rank);
ABOUT(MPI_Win_flush_local(int rank, MPI_Win win), Win_flush_local, (rank, win), 0, 0, &rank);
ABOUT(MPI_Win_unlock_all(MPI_Win win), Win_unlock_all, (win), 0, 0, NULL);
ABOUT(MPI_Win_flush_all(MPI_Win win), Win_flush_all, (win), 0, 0, NULL);
ABOUT(MPI_Win_flush_local_all(MPI_Win win), Win_flush_local_all, (win), 0, 0, NULL);
ABOUT(MPI_Win_sync(MPI_Win win), Win_sync, (win), 0, 0, NULL);

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

#define BEGIN(declarator, name, epoch)                                                             \
    VEF_WRAPPER(declarator, name, (group, assertion, win), {                                       \
        vef_window *window = vef_find_window(&frame, win);                                         \
        put_begin(&frame, VEF_CALL_##name, result, window, window != NULL ? &window->epoch : NULL, \
                  group, assertion);                                                               \
    })
#define END(declarator, name, epoch)                                                               \
    VEF_WRAPPER(declarator, name, (win), {                                                         \
        const vef_window *window = vef_find_window(&frame, win);                                   \
        put_end(&frame, VEF_CALL_##name, result, window, window != NULL ? &window->epoch : NULL);  \
    })

BEGIN(MPI_Win_start(MPI_Group group, int assertion, MPI_Win win), Win_start, access);
END(MPI_Win_complete(MPI_Win win), Win_complete, access);
BEGIN(MPI_Win_post(MPI_Group group, int assertion, MPI_Win win), Win_post, exposure);
END(MPI_Win_wait(MPI_Win win), Win_wait, exposure);

int MPI_Win_test(MPI_Win win, int *flag) {
    VEF_WRAP(Win_test, (win, flag), , {
        const vef_window *window = vef_find_window(&frame, win);
        if (result == MPI_SUCCESS && window != NULL && !*flag) {
            vef_poll(&frame, VEF_CALL_Win_test, (uintptr_t)window);
            if (!vef_is_muted(&frame, VEF_CALL_Win_test))
                frame.thread->poll.comm = window->number;
        } else {
            put_end(&frame, VEF_CALL_Win_test, result, window,
                    window != NULL ? &window->exposure : NULL);
        }
    });
}
