/* Selection of what to record: see selection.h; and the program's regions of vef.h. */
#include "capture/selection.h"

#include "capture/recorder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 256 };

static struct {
    bool off;            /* MPI_Pcontrol(0) */
    const char *regions; /* regions to record, comma-separated; NULL: everything */
    int inside;          /* number of open ones, over all threads */
} selection;             /* under the lock of vef_hold from the first call on */

static bool settle(void) {
    const bool muted = selection.off || (selection.regions != NULL && selection.inside <= 0);
    vef_capture.muted = muted;
    return muted;
}

bool vef_selection_switch(vef_frame *frame, bool on) {
    vef_hold(frame);
    selection.off = !on;
    const bool muted = settle();
    vef_release(frame);
    return muted;
}

/* Calls that every trace needs, or that control recording. */
static bool always_stays(uint16_t call) {
    return vef_call_has(call, VEF_FACT_BEGINS) || vef_call_has(call, VEF_FACT_ENDS) ||
           vef_call_has(call, VEF_FACT_WORLD) || vef_call_has(call, VEF_FACT_CONTROLS) ||
           vef_call_kind(call) == VEF_KIND_REGION;
}

/* Sets `value` for the calls of a list, which vef_settings_check has accepted. */
static void set_calls(const char *list, uint8_t value) {
    char name[NAME_BYTES];
    for (;;) {
        list += strspn(list, ", ");
        size_t length = strcspn(list, ", ");
        if (length == 0)
            return;
        snprintf(name, sizeof name, "%.*s", (int)(length < NAME_BYTES ? length : 0), list);
        int call = vef_call_find(strncmp(name, "MPI_", 4) == 0 ? name + 4 : name);
        if (call >= 0) {
            uint16_t held = vef_call_base((uint16_t)call);
            vef_capture.muted_calls[vef_call_kind((uint16_t)call) == VEF_KIND_AS ? held : call] =
                value;
        }
        list += length;
    }
}

void vef_selection_begin(char *text, size_t bytes) {
    const char *skip = getenv("VEF_CAPTURE_SKIP"), *only = getenv("VEF_CAPTURE_ONLY");
    const char *regions = getenv("VEF_CAPTURE_REGIONS");
    size_t count = vef_call_count();
    selection.regions = regions != NULL && *regions != '\0' ? regions : NULL;
    if (only != NULL && *only != '\0') {
        memset(vef_capture.muted_calls, 1, count);
        set_calls(only, 0);
    } else if (skip != NULL && *skip != '\0') {
        set_calls(skip, 1);
    }
    for (size_t call = 0; call < count; call++)
        if (always_stays((uint16_t)call))
            vef_capture.muted_calls[call] = 0;
    settle();
    snprintf(text, bytes, "%s%s%s%s%s%s", regions != NULL ? ", regions: " : "",
             regions != NULL ? regions : "", only != NULL ? ", only: " : "",
             only != NULL ? only : "", skip != NULL ? ", without: " : "", skip != NULL ? skip : "");
}

/* ---- regions ---- */

static bool is_wanted(const char *name) {
    size_t length = strlen(name);
    for (const char *list = selection.regions; list != NULL && *list != '\0';) {
        size_t one = strcspn(list, ",");
        if (one == length && strncmp(list, name, length) == 0)
            return true;
        list += one + (list[one] == ',');
    }
    return false;
}

/* Publishes the open regions in the slot of their thread, as far as there is room. */
static void show_region(vef_slot *slot, int what, const char *name) {
    vef_slot_begin(slot);
    if (what == 0) {
        if (slot->region_count < VEF_REGIONS_SHOWN)
            snprintf(slot->region[slot->region_count], VEF_REGION_NAME_BYTES, "%s", name);
        slot->region_count++;
    } else if (what == 1 && slot->region_count > 0) {
        slot->region_count--;
    }
    vef_slot_end(slot);
}

/* Changes the number of open regions to record; returns whether recording is off now. */
static bool opens(vef_frame *frame, int count) {
    vef_hold(frame);
    if (selection.inside + count >= 0)
        selection.inside += count;
    const bool muted = settle();
    vef_release(frame);
    return muted;
}

/* The implementation of vef.h; `what` from there: 0 begins, 1 ends, 2 marks. */
__attribute__((visibility("default"))) void vef_capture_region(int what, const char *name);
void vef_capture_region(int what, const char *name) {
    static const uint16_t calls[] = {VEF_CALL_Region_begin, VEF_CALL_Region_end, VEF_CALL_Mark};
    static const char names[][24] = {"vef_region_begin", "vef_region_end", "vef_mark"};
    vef_frame frame;
    if (!vef_is_recording() || what < 0 || what > 2 ||
        !vef_enter_as(&frame, names[what], sizeof names[what]))
        return;
    vef_leave(&frame);
    name = name != NULL ? name : "";
    show_region(frame.thread->slot, what, name);
    bool wanted = selection.regions != NULL && what != 2 && is_wanted(name);
    if (wanted && what == 0 && !opens(&frame, 1) && frame.muted) {
        frame.muted = false; /* computation before it is not part of the region */
        frame.thread->carry_ns = frame.thread->outside_ns = 0;
    }
    if (!frame.muted) {
        vef_event event = {.call = calls[what], .root = -1, .name = name};
        vef_put(&frame, &event);
    }
    if (wanted && what == 1)
        opens(&frame, -1);
    vef_done(&frame);
}
