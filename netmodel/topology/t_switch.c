/* Patterns of T-switches: reading them, and the optimal ones. See t_switch.h. */
#include "netmodel/topology/t_switch.h"

#include <inttypes.h>
#include <string.h>

static void best_pattern(uint32_t k, bool last, uint8_t *chip) {
    for (uint32_t port = 0; port < 2 * k; port++)
        chip[port] = last ? port >= k : port % k >= k / 2;
}

static vef_code read_pattern(const vef_int_list *row, size_t number, uint32_t k, uint8_t *chip,
                             vef_error *error) {
    memset(chip, 1, 2 * k);
    for (size_t i = 0; i < row->count; i++) {
        const int64_t port = row->values[i];
        if (port < 0 || port >= 2 * (int64_t)k)
            return vef_fail(error, VEF_INVALID,
                            "alpha: row %zu lists port %" PRId64
                            ": out of range: expected 0 to %u (down) or %u to %u (up)",
                            number, port, k - 1, k, 2 * k - 1);
        if (chip[port] == 0)
            return vef_fail(error, VEF_INVALID,
                            "alpha: row %zu lists port %" PRId64
                            " twice: expected %u different ports",
                            number, port, k);
        chip[port] = 0;
    }
    if (row->count != k)
        return vef_fail(error, VEF_INVALID,
                        "alpha: row %zu lists %zu ports: each inner switch has %u of the %u: "
                        "expected %u, the others being on beta",
                        number, row->count, k, 2 * k, k);
    return VEF_OK;
}

vef_code vef_t_switch_patterns(const vef_int_table *alpha, uint32_t k, uint32_t stages,
                               vef_arena *arena, const uint8_t **chips, vef_error *error) {
    if (alpha->count > 1 && alpha->count != stages)
        return vef_fail(error, VEF_INVALID,
                        "alpha: %zu rows for %u stages: expected one row for all, or one for each",
                        alpha->count, stages);
    if (alpha->count == 0 && k % 2 != 0 && stages > 1)
        return vef_fail(
            error, VEF_INVALID,
            "k: %u is odd, and the best pattern of T-switches has half of the ports down on each "
            "inner switch: expected an even k, or alpha with the %u ports of inner switch alpha",
            k, k);
    uint8_t *made = vef_arena_alloc(arena, stages, 2 * k);
    for (uint32_t stage = 0; stage < stages; stage++) {
        uint8_t *chip = made + (size_t)stage * 2 * k;
        const size_t row = alpha->count == 1 ? 0 : stage;
        vef_code code = VEF_OK;
        if (alpha->count == 0)
            best_pattern(k, stage == stages - 1, chip);
        else
            code = read_pattern(&alpha->rows[row], row, k, chip, error);
        if (code != VEF_OK)
            return code;
    }
    *chips = made;
    return VEF_OK;
}
