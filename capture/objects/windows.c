/* The windows of a task: see windows.h. */
#include "capture/objects/windows.h"

#include "common/containers/grow.h"

#include <stdlib.h>

typedef struct vef_windows {
    vef_map places; /* handle → index in the list */
    vef_window **list;
    uint32_t count; /* entries are reused: maximum number so far */
    size_t capacity;
} vef_windows;

/* Made with the first window: few programs have one. */
static vef_windows *windows_of(vef_frame *frame) {
    vef_tables *tables = vef_hold(frame);
    if (tables->windows == NULL) {
        vef_windows *windows = calloc(1, sizeof *windows);
        if (windows == NULL || !vef_map_init(&windows->places, 4)) {
            free(windows);
            return NULL;
        }
        tables->windows = windows;
    }
    return tables->windows;
}

/* A new entry; UINT32_MAX when memory runs out. */
static uint32_t free_place(vef_windows *windows) {
    for (uint32_t i = 0; i < windows->count; i++)
        if (windows->list[i] == NULL)
            return i;
    if (!vef_grow(&windows->list, &windows->capacity, windows->count + 1, sizeof *windows->list))
        return UINT32_MAX;
    windows->list[windows->count] = NULL;
    return windows->count++;
}

vef_window *vef_windows_add(vef_frame *frame, MPI_Win handle, uint32_t number, uint32_t size) {
    vef_windows *windows = windows_of(frame);
    uint32_t place = windows != NULL ? free_place(windows) : UINT32_MAX;
    vef_window *window = place != UINT32_MAX ? calloc(1, sizeof *window) : NULL;
    if (window == NULL)
        return NULL;
    *window = (vef_window){.number = number, .size = size, .group = MPI_GROUP_NULL};
    window->ranks = malloc(3 * (size_t)size * sizeof *window->ranks);
    if (window->ranks == NULL || vef_mpi.Win_get_group(handle, &window->group) != MPI_SUCCESS ||
        !vef_map_put(&windows->places, VEF_KEY(handle), place)) {
        vef_window_free(window);
        return NULL;
    }
    for (uint32_t i = 0; i < size; i++)
        window->ranks[i] = (int)i;
    window->access.tasks = window->ranks + size;
    window->exposure.tasks = window->access.tasks + size;
    windows->list[place] = window;
    return window;
}

static uint32_t place_of(const vef_windows *windows, MPI_Win handle) {
    return windows != NULL ? vef_map_get(&windows->places, VEF_KEY(handle)) : VEF_MAP_NONE;
}

vef_window *vef_find_window(vef_frame *frame, MPI_Win handle) {
    const vef_windows *windows = vef_hold(frame)->windows;
    uint32_t place = place_of(windows, handle);
    return place != VEF_MAP_NONE ? windows->list[place] : NULL;
}

vef_window *vef_windows_forget(vef_frame *frame, MPI_Win handle) {
    vef_windows *windows = vef_hold(frame)->windows;
    uint32_t place = place_of(windows, handle);
    if (place == VEF_MAP_NONE)
        return NULL;
    vef_window *window = windows->list[place];
    windows->list[place] = NULL;
    vef_map_remove(&windows->places, VEF_KEY(handle));
    return window;
}

void vef_windows_restore(vef_frame *frame, MPI_Win handle, vef_window *window) {
    vef_windows *windows = vef_hold(frame)->windows;
    const uint32_t place = free_place(windows);
    if (place != UINT32_MAX && vef_map_put(&windows->places, VEF_KEY(handle), place))
        windows->list[place] = window;
    else
        vef_window_free(window);
}

void vef_window_free(vef_window *window) {
    if (window == NULL)
        return;
    if (window->group != MPI_GROUP_NULL)
        vef_mpi.Group_free(&window->group);
    free(window->ranks);
    free(window);
}

bool vef_epoch_begin(const vef_window *window, vef_epoch *epoch, MPI_Group group) {
    int size = 0;
    epoch->count = 0;
    if (vef_mpi.Group_size(group, &size) != MPI_SUCCESS || (uint32_t)size > window->size ||
        vef_mpi.Group_translate_ranks(group, size, window->ranks, window->group, epoch->tasks) !=
            MPI_SUCCESS)
        return false;
    for (int i = 0; i < size; i++)
        if (epoch->tasks[i] < 0) /* MPI_UNDEFINED */
            return false;
    epoch->count = (uint32_t)size;
    return true;
}
