/* An explanation as a whole. See explain.h. */
#include "replay/explain/explain.h"

void vef_explanation_begin(vef_explanation *explanation, const vef_trace_header *trace) {
    *explanation = (vef_explanation){.trace = trace};
    vef_time_record_begin(&explanation->record);
    explanation->record.trace = trace;
}

void vef_explanation_finish(vef_explanation *explanation, const vef_netmodel *network,
                            const vef_replay_result *result) {
    vef_path_find(&explanation->record, &explanation->path);
    explanation->time_ps = result->time_ps;
    explanation->network = network;
    vef_hot_links_find(network, result->time_cycles, &explanation->links);
    vef_what_if_predict(&explanation->path, explanation->what_if);
}

vef_code vef_explanation_repeat(vef_explanation *explanation, const vef_repetition *repetition,
                                vef_error *error) {
    vef_netmodel *fresh = NULL;
    vef_code code = vef_netmodel_create(repetition->root, &fresh, error);
    if (code == VEF_OK)
        code =
            vef_hot_links_count(repetition->trace, fresh, repetition->mapping, repetition->options,
                                repetition->progress, &explanation->links, error);
    vef_netmodel_destroy(fresh);
    if (code == VEF_OK)
        code = vef_what_if_simulate(repetition->trace, repetition->network, repetition->mapping,
                                    repetition->options, repetition->progress, explanation->what_if,
                                    error);
    explanation->repeated = code == VEF_OK;
    return code;
}

void vef_explanation_release(vef_explanation *explanation) {
    vef_time_record_release(&explanation->record);
}
