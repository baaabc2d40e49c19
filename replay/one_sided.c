/* One-sided operations and the synchronisation of windows: left out of the replay, and counted. */
#include "replay/engine.h"

vef_code vef_one_sided_enter(vef_engine *engine, uint32_t strand) {
    (void)strand;
    engine->approximations.one_sided++;
    return VEF_OK;
}

vef_code vef_sync_go_on(vef_engine *engine, uint32_t strand, bool *finished) {
    (void)strand;
    engine->approximations.one_sided++;
    *finished = true;
    return VEF_OK;
}

vef_code vef_one_sided_delivered(vef_engine *engine, uint64_t number) {
    return vef_fail(engine->error, VEF_CORRUPT, "message %llu of a window was never sent",
                    (unsigned long long)number);
}

void vef_one_sided_release(vef_engine *engine) {
    (void)engine;
}
