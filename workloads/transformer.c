/* Transformers: see transformer.h. */
#include "workloads/transformer.h"

vef_model_place vef_transformer_place(const vef_transformer *model, uint32_t task) {
    const uint32_t context = task / model->tp, replica = context / model->cp;
    return (vef_model_place){task % model->tp, context % model->cp, replica % model->dp,
                             replica / model->dp % model->pp};
}

vef_code vef_transformer_check(const vef_workload_step *step, const vef_transformer *model,
                               uint32_t tasks, vef_error *error) {
    const uint64_t factors[] = {model->tp, model->cp, model->pp, model->dp};
    uint64_t product;
    if (!vef_workload_product(factors, 4, &product) || product != tasks)
        return vef_workload_fail(step, error, NULL,
                                 "tp %u x cp %u x pp %u x dp %u is not the number of tasks, %u",
                                 model->tp, model->cp, model->pp, model->dp, tasks);
    if (model->layers % model->pp != 0)
        return vef_workload_fail(step, error, "layers",
                                 "%u layers are not divisible by the %u stages (pp)", model->layers,
                                 model->pp);
    if (model->hidden % model->tp != 0)
        return vef_workload_fail(step, error, "hidden",
                                 "hidden %u is not divisible by the %u tasks that share a layer "
                                 "(tp)",
                                 model->hidden, model->tp);
    if (model->hidden / model->tp % model->kv_groups != 0)
        return vef_workload_fail(step, error, "kv_groups",
                                 "kv_groups %u: expected a divisor of hidden / tp, %u",
                                 model->kv_groups, model->hidden / model->tp);
    if (model->ep > 1 && model->experts == 0)
        return vef_workload_fail(step, error, "ep", "missing key experts, which ep divides");
    if (model->dp % model->ep != 0)
        return vef_workload_fail(step, error, "ep", "dp %u is not divisible by ep %u", model->dp,
                                 model->ep);
    if (model->experts % model->ep != 0)
        return vef_workload_fail(step, error, "experts", "%u experts are not divisible by ep %u",
                                 model->experts, model->ep);
    if (model->experts > 0 && model->top_k > model->experts)
        return vef_workload_fail(step, error, "top_k", "top_k %u: expected at most %u, the experts",
                                 model->top_k, model->experts);
    return VEF_OK;
}

/* ---- groups ---- */

uint32_t vef_transformer_members(const vef_transformer *model, vef_task_group which) {
    switch (which) {
    case VEF_GROUP_TENSOR:
        return model->tp;
    case VEF_GROUP_DATA:
        return model->cp * model->dp;
    case VEF_GROUP_EXPERT:
        return model->ep;
    case VEF_GROUP_SAME_EXPERTS:
        break;
    }
    return model->experts > 0 ? model->cp * (model->dp / model->ep) : 1;
}

/* The number of a task's group. */
static uint32_t color_of(const vef_transformer *model, vef_task_group which, uint32_t task) {
    const vef_model_place place = vef_transformer_place(model, task);
    const uint32_t stage = task / vef_transformer_stage_tasks(model); /* of whichever pipeline */
    switch (which) {
    case VEF_GROUP_TENSOR:
        return task / model->tp;
    case VEF_GROUP_DATA:
        return place.tensor + model->tp * stage;
    case VEF_GROUP_EXPERT:
        return place.tensor +
               model->tp * (place.context + model->cp * (place.replica / model->ep +
                                                         model->dp / model->ep * stage));
    case VEF_GROUP_SAME_EXPERTS:
        break;
    }
    return place.tensor + model->tp * (place.replica % model->ep + model->ep * stage);
}

vef_code vef_transformer_divide(vef_workload_step *step, const vef_transformer *model,
                                vef_task_group which, vef_workload_split *split, vef_error *error) {
    const uint32_t members = vef_transformer_members(model, which);
    if (members == 1)
        return VEF_OK;
    uint32_t *color = vef_arena_alloc(step->arena, step->tasks, sizeof *color);
    for (uint32_t t = 0; t < step->tasks; t++)
        color[t] = color_of(model, which, t);
    return vef_workload_divide(step, color, step->tasks / members, split, error);
}

/* ---- sizes ---- */

uint64_t vef_transformer_attention(const vef_transformer *model) {
    const uint64_t hidden = model->hidden;
    return 2 * hidden * hidden + 2 * hidden * (hidden / model->kv_groups);
}

uint64_t vef_transformer_mlp(const vef_transformer *model) {
    return 8 * (uint64_t)model->hidden * model->hidden;
}

vef_layer_operations vef_transformer_operations(const vef_transformer *model, double tokens,
                                                double context) {
    return (vef_layer_operations){.projections =
                                      2 * tokens * (double)vef_transformer_attention(model),
                                  .scores = 4 * tokens * context * model->hidden,
                                  .mlp = 2 * tokens * (double)vef_transformer_mlp(model) *
                                         (model->experts > 0 ? model->top_k : 1)};
}

uint64_t vef_transformer_cache_bytes(const vef_transformer *model, uint64_t tokens) {
    return 2 * tokens * (model->hidden / model->tp / model->kv_groups) * model->bytes_per_element;
}
