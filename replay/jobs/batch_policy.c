/* The table of policies. See batch_policy.h. */
#include "replay/jobs/batch_policy.h"

#include "common/unknown.h"

#include <string.h>

const vef_batch_policy *const vef_batch_policies[] = {
#define POLICY(name) &vef_batch_policy_##name,
#include "replay/jobs/policies.def"
#undef POLICY
    NULL,
};

vef_code vef_batch_policy_find(const char *name, const vef_batch_policy **policy,
                               vef_error *error) {
    for (size_t i = 0; vef_batch_policies[i]; i++)
        if (strcmp(vef_batch_policies[i]->name, name) == 0) {
            *policy = vef_batch_policies[i];
            return VEF_OK;
        }
    VEF_FAIL_UNKNOWN_ROW(error, "batch policy", name, vef_batch_policies);
    return VEF_INVALID;
}

void vef_batch_policy_describe(FILE *out, int indent) {
    for (size_t i = 0; vef_batch_policies[i]; i++)
        fprintf(out, "%*s%-13s %s\n", indent, "", vef_batch_policies[i]->name,
                vef_batch_policies[i]->summary);
}
