/* The table of policies, and the section `congestion` of a network file. See congestion.h. */
#include "netmodel/router/congestion/congestion.h"

#include <string.h>

#define POLICY(name) extern const vef_congestion_policy vef_congestion_##name;
#include "netmodel/router/congestion/policies.def"
#undef POLICY

const vef_congestion_policy *const vef_congestion_policies[] = {
#define POLICY(name) &vef_congestion_##name,
#include "netmodel/router/congestion/policies.def"
#undef POLICY
    NULL,
};

static const vef_congestion_policy *find(const char *name) {
    for (size_t i = 0; vef_congestion_policies[i]; i++)
        if (strcmp(vef_congestion_policies[i]->name, name) == 0)
            return vef_congestion_policies[i];
    return NULL;
}

vef_code vef_congestion_read(const vef_node *node, vef_congestion *congestion, vef_arena *arena,
                             vef_error *error) {
    static const char *const extra[] = {"policy", NULL};
    *congestion = (vef_congestion){.is.ack_delay.ns = VEF_NOT_GIVEN_NS};
    if (!node || vef_node_is_null(node))
        return VEF_OK;
    const vef_node *policy = vef_node_get(node, "policy");
    if (!policy || policy->kind != VEF_NODE_SCALAR)
        return vef_node_fail(policy ? policy : node, error,
                             "congestion: missing policy: expected a section such as congestion: "
                             "{policy: %s}",
                             vef_congestion_policies[0]->name);
    congestion->policy = find(policy->scalar);
    if (!congestion->policy) {
        VEF_FAIL_UNKNOWN_ROW(error, "congestion.policy", policy->scalar, vef_congestion_policies);
        return vef_node_within(policy, error);
    }
    char what[64];
    snprintf(what, sizeof what, "congestion policy %s", congestion->policy->name);
    return vef_config_read(node, what, congestion->policy->schema, extra, &congestion->is, arena,
                           error);
}

static vef_code resolve_window(const vef_node *node, vef_congestion_parameters *is,
                               uint64_t payload_bytes, vef_error *error) {
    if (is->window_bytes == 0)
        return VEF_OK;
    const uint64_t packets = is->window_bytes / payload_bytes;
    char text[3][VEF_QUANTITY_TEXT_BYTES];
    if (packets < 1 || packets > UINT16_MAX)
        return vef_node_fail(vef_node_get(node, "window"), error,
                             "congestion.window: %s is out of range: expected %s (the payload "
                             "of the largest packet) to %s",
                             vef_format_bytes(text[0], is->window_bytes),
                             vef_format_bytes(text[1], payload_bytes),
                             vef_format_bytes(text[2], payload_bytes * UINT16_MAX));
    is->window_packets = (uint32_t)packets;
    is->window_bytes = 0;
    return VEF_OK;
}

vef_code vef_congestion_resolve(const vef_node *node, vef_congestion *congestion, double cycle_ns,
                                uint64_t payload_bytes, vef_error *error) {
    if (resolve_window(node, &congestion->is, payload_bytes, error) != VEF_OK)
        return VEF_INVALID;
    const vef_code code =
        vef_delay_resolve(&congestion->is.ack_delay, cycle_ns, "congestion.ack_delay", error);
    return code == VEF_OK ? code : vef_node_within(vef_node_get(node, "ack_delay"), error);
}

void vef_congestion_describe(FILE *out) {
    for (size_t i = 0; vef_congestion_policies[i]; i++) {
        const vef_congestion_policy *policy = vef_congestion_policies[i];
        fprintf(out, "congestion: policy: %s (%s)\n", policy->name, policy->summary);
        vef_config_describe(out, 2, policy->schema);
    }
}

void vef_congestion_example(FILE *out) {
    fprintf(out, "# congestion:  # default: none\n#   policy: ");
    for (size_t i = 0; vef_congestion_policies[i]; i++)
        fprintf(out, "%s%s", i ? " | " : "", vef_congestion_policies[i]->name);
    fprintf(out, "  # with parameters of its own\n");
}

void vef_congestion_write(const vef_congestion *congestion, FILE *out) {
    if (!congestion->policy)
        return;
    fprintf(out, "congestion:\n  policy: %s\n", congestion->policy->name);
    vef_config_write(out, 2, congestion->policy->schema, &congestion->is);
}
