/* What workloads of transformer language models share: the sizes and operations of a layer, and the
 * groups of tasks among which it is divided. Sources and formulas: docs/generate.md.
 *
 * A task has place (tensor rank, context rank, replica, stage), of which the first varies fastest,
 * as in Megatron-LM (Narayanan et al., SC 2021). */
#ifndef VEF_WORKLOADS_TRANSFORMER_H
#define VEF_WORKLOADS_TRANSFORMER_H

#include "workloads/kind.h"

/* Keys of both kinds; the first member of the parameters of each. */
typedef struct vef_transformer {
    uint32_t tp, pp, dp, ep; /* tensor, pipeline, data and expert parallelism */
    uint32_t cp;             /* context parallelism; set by a kind that has no such key */
    uint32_t layers, hidden, experts, top_k, kv_groups;
    uint64_t bytes_per_element;
} vef_transformer;

#define VEF_TRANSFORMER_KEYS                                                                       \
    {VEF_KEY(COUNT, vef_transformer, tp), .fallback = "1", .minimum = 1, .maximum = 1 << 20,       \
     .help = "tasks that share each layer (tensor parallelism)"},                                  \
        {VEF_KEY(COUNT, vef_transformer, pp), .fallback = "1", .minimum = 1, .maximum = 1 << 20,   \
         .help = "stages of the pipeline, which divide the layers"},                               \
        {VEF_KEY(COUNT, vef_transformer, dp), .fallback = "1", .minimum = 1, .maximum = 1 << 20,   \
         .help = "replicas (data parallelism)"},                                                   \
        {VEF_KEY(COUNT, vef_transformer, ep), .fallback = "1", .minimum = 1, .maximum = 1 << 20,   \
         .help = "replicas that share the experts among them, which divide dp and experts"},       \
        {VEF_KEY(COUNT, vef_transformer, layers), .minimum = 1, .maximum = 100000,                 \
         .help = "of the transformer"},                                                            \
        {VEF_KEY(COUNT, vef_transformer, hidden), .minimum = 1, .maximum = 1 << 20,                \
         .help = "size of the hidden state"},                                                      \
        {VEF_KEY(COUNT, vef_transformer, kv_groups), .fallback = "1", .minimum = 1,                \
         .maximum = 1 << 20, .help = "heads that share a key and a value (grouped queries)"},      \
        {VEF_KEY(COUNT, vef_transformer, experts), .fallback = "0", .maximum = 1 << 20,            \
         .help = "of each layer, instead of its MLP (mixture of experts); 0: none"},               \
        {VEF_KEY(COUNT, vef_transformer, top_k), .fallback = "1", .minimum = 1,                    \
         .maximum = 1 << 20, .help = "experts of each token"},                                     \
    {                                                                                              \
        VEF_KEY(BYTES, vef_transformer, bytes_per_element),                                        \
            .fallback = "2 B", .minimum = 1, .maximum = 64,                                        \
            .help = "of activations and parameters"                                                \
    }

typedef struct vef_model_place {
    uint32_t tensor, context, replica, stage;
} vef_model_place;

vef_model_place vef_transformer_place(const vef_transformer *model, uint32_t task);
/* The distance between a task and that of the same place in the next stage. */
static inline uint32_t vef_transformer_stage_tasks(const vef_transformer *model) {
    return model->tp * model->cp * model->dp;
}

/* Tasks that share layers; that have the same parameters but those of experts; among which the
 * experts are divided; that have the same experts. */
typedef enum vef_task_group {
    VEF_GROUP_TENSOR,
    VEF_GROUP_DATA,
    VEF_GROUP_EXPERT,
    VEF_GROUP_SAME_EXPERTS
} vef_task_group;

/* Checks that the factors have the product `tasks` and divide what they share. */
vef_code vef_transformer_check(const vef_workload_step *step, const vef_transformer *model,
                               uint32_t tasks, vef_error *error);
uint32_t vef_transformer_members(const vef_transformer *model, vef_task_group which);
/* Communicators of the groups, unless these have one member. */
vef_code vef_transformer_divide(vef_workload_step *step, const vef_transformer *model,
                                vef_task_group which, vef_workload_split *split, vef_error *error);

/* Operations of a layer for some tokens, each of which attends to `context` tokens: projections,
 * scores and MLP. */
typedef struct vef_layer_operations {
    double projections, scores, mlp;
} vef_layer_operations;
vef_layer_operations vef_transformer_operations(const vef_transformer *model, double tokens,
                                                double context);
/* Parameters of attention in a layer, and of an MLP. */
uint64_t vef_transformer_attention(const vef_transformer *model);
uint64_t vef_transformer_mlp(const vef_transformer *model);
/* Bytes of the keys and values of so many tokens in a layer of a task. */
uint64_t vef_transformer_cache_bytes(const vef_transformer *model, uint64_t tokens);

#endif
