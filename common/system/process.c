/* Reading /proc/N/stat: see process.h. */
#include "common/system/process.h"
#include "common/system/descriptor.h"

#include <stdio.h>
#include <string.h>

bool vef_process_look(int64_t number, vef_process_facts *process) {
    char path[64], text[1024], state;
    long long parent, threads, began;
    snprintf(path, sizeof path, "/proc/%lld/stat", (long long)number);
    vef_read_text(path, text, sizeof text);
    const char *after_name = strrchr(text, ')'); /* the name may hold spaces and parentheses */
    /* Fields 3 (state), 4 (ppid), 20 (num_threads) and 22 (starttime). */
    if (!after_name || sscanf(after_name + 1,
                              " %c %lld %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d "
                              "%*d %lld %*d %lld",
                              &state, &parent, &threads, &began) != 4)
        return false;
    *process = (vef_process_facts){
        .parent = parent, .began = began, .ended = strchr("ZX", state) != NULL && threads <= 1};
    return true;
}
