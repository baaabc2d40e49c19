/* Selection of the algorithm of a call. See choices.h. */
#include "replay/collectives/choices.h"

#include "replay/collectives/nodes.h"
#include "replay/collectives/patterns.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- needs ---- */

static bool has_power_of_two(const vef_collective *call) {
    return vef_is_power(call->size);
}

static bool is_commutative(const vef_collective *call) {
    return call->commutative;
}

static bool has_elements(const vef_collective *call) {
    return call->elements >= vef_power_below(call->size);
}

static bool has_equal_blocks(const vef_collective *call) {
    const uint64_t *bytes = vef_blocks_of(call);
    for (uint32_t i = 1; bytes && i < call->size; i++)
        if (bytes[i] != bytes[0])
            return false;
    return true;
}

static bool has_even(const vef_collective *call) {
    return call->size % 2 == 0;
}

static bool has_each_element(const vef_collective *call) {
    return call->elements >= call->size;
}

static bool has_nodes(const vef_collective *call) {
    return call->nodes && call->nodes->count < call->size;
}

static bool has_consecutive_nodes(const vef_collective *call) {
    return call->nodes && call->nodes->consecutive;
}

static bool has_hardware(const vef_collective *call) {
    return call->hardware_broadcast;
}

static bool has_reduction(const vef_collective *call) {
    return call->reduction_bytes > 0;
}

static const struct {
    vef_need need;
    const char *text;
    bool (*holds)(const vef_collective *call);
} needs[] = {
    {VEF_NEEDS_POWER_OF_TWO, "a power-of-two number of ranks", has_power_of_two},
    {VEF_NEEDS_COMMUTATIVE, "a commutative operation", is_commutative},
    {VEF_NEEDS_ELEMENTS, "at least as many elements as ranks (rounded down to a power of two)",
     has_elements},
    {VEF_NEEDS_EQUAL_BLOCKS, "blocks of equal length", has_equal_blocks},
    {VEF_NEEDS_HARDWARE, "a network with broadcast", has_hardware},
    {VEF_NEEDS_REDUCTION, "a network that reduces, with free slots", has_reduction},
    {VEF_NEEDS_EVEN, "an even number of ranks", has_even},
    {VEF_NEEDS_NODES, "several ranks at an endpoint", has_nodes},
    {VEF_NEEDS_CONSECUTIVE_NODES, "consecutive ranks at each endpoint", has_consecutive_nodes},
    {VEF_NEEDS_EACH_ELEMENT, "at least as many elements as ranks", has_each_element},
};
enum { NEEDS = sizeof needs / sizeof *needs };

bool vef_algorithm_can(const vef_algorithm *algorithm, const vef_collective *call) {
    for (size_t i = 0; i < NEEDS; i++)
        if ((algorithm->needs & needs[i].need) && !needs[i].holds(call))
            return false;
    return true;
}

char *vef_algorithm_needs_text(const vef_algorithm *algorithm, char *text, size_t text_bytes) {
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < NEEDS && used < text_bytes; i++)
        if (algorithm->needs & needs[i].need)
            used += (size_t)snprintf(text + used, text_bytes - used, "%s%s", used ? ", " : "",
                                     needs[i].text);
    return text;
}

/* ---- choices ---- */

/* A key is the name of the call in lower case. */
static void write_key(vef_choosable *one) {
    const char *name = vef_call_name(one->call);
    size_t i = 0;
    for (; name[i] && i + 1 < sizeof one->key; i++)
        one->key[i] = (char)tolower((unsigned char)name[i]);
    one->key[i] = '\0';
}

size_t vef_choices_list(vef_choosable list[VEF_MOST_CHOOSABLE]) {
    size_t count = 0;
    for (const vef_algorithm *row = vef_algorithms; row->name; row++) {
        const bool again = count > 0 && list[count - 1].call == row->call;
        if (again || row->between || vef_call_kind(row->call) != VEF_KIND_COLLECTIVE)
            continue;
        assert(count < VEF_MOST_CHOOSABLE);
        list[count].call = row->call;
        write_key(&list[count++]);
    }
    return count;
}

bool vef_choices_add(vef_choices *choices, const vef_rule *rule) {
    if (choices->count == VEF_MOST_RULES)
        return false;
    choices->rules[choices->count++] = *rule;
    return true;
}

vef_rule vef_rule_always(const vef_algorithm *algorithm) {
    return (vef_rule){vef_usual(algorithm), UINT64_MAX, UINT32_MAX};
}

bool vef_choices_know_nodes(const vef_choices *choices) {
    const vef_preset *preset = choices->preset ? choices->preset : vef_presets[0];
    for (const vef_preference *step = preset->preferences; step->algorithm; step++) {
        const vef_algorithm *row = vef_algorithm_find(step->call, step->algorithm, false);
        if (row && row->needs & (VEF_NEEDS_NODES | VEF_USES_NODES))
            return true;
    }
    return vef_choices_needs(choices) & (VEF_NEEDS_NODES | VEF_USES_NODES);
}

unsigned vef_choices_needs(const vef_choices *choices) {
    unsigned united = 0;
    for (size_t i = 0; i < choices->count; i++)
        united |= choices->rules[i].choice.algorithm->needs;
    return united;
}

/* ---- choosing ---- */

static bool is_of(const vef_algorithm *row, const vef_collective *call) {
    return row->call == call->call && row->between == (call->remote_size != 0);
}

const vef_algorithm *vef_algorithm_find(uint16_t call, const char *name, bool between) {
    for (const vef_algorithm *row = vef_algorithms; row->name; row++)
        if (row->call == call && row->between == between && strcmp(row->name, name) == 0)
            return row;
    return NULL;
}

bool vef_choice_knows_bytes(uint16_t call) {
    const bool each =
        vef_call_has(call, VEF_FACT_SENDS_EACH) ||
        (vef_call_has(call, VEF_FACT_RECEIVES_EACH) && vef_call_has(call, VEF_FACT_ROOTED));
    return !each && !vef_call_has(call, VEF_FACT_NO_DATA) &&
           !vef_call_has(call, VEF_FACT_NEIGHBOURS);
}

uint64_t vef_choice_bytes(const vef_collective *call) {
    if (!vef_choice_knows_bytes(call->call))
        return 0;
    if (!vef_blocks_of(call))
        return call->bytes;
    const uint64_t total = vef_all_blocks_bytes(call);
    return vef_call_has(call->call, VEF_FACT_REDUCES) ? total : total / call->size;
}

static bool is_preferred(const vef_preference *step, const vef_collective *call, uint64_t bytes) {
    return step->call == call->call && (!step->below_ranks || call->size < step->below_ranks) &&
           (!step->below_bytes || bytes < step->below_bytes) && (!step->when || step->when(call));
}

/* The row of that name if it supports the call. NULL for no name. */
static const vef_algorithm *able(const char *name, const vef_collective *call) {
    const vef_algorithm *row =
        name ? vef_algorithm_find(call->call, name, call->remote_size != 0) : NULL;
    return row && vef_algorithm_can(row, call) ? row : NULL;
}

static vef_tuned preferred(const vef_preset *preset, const vef_collective *call) {
    const uint64_t bytes = vef_choice_bytes(call);
    for (const vef_preference *step = preset->preferences; step->algorithm; step++) {
        if (!is_preferred(step, call, bytes))
            continue;
        const vef_algorithm *row = able(step->algorithm, call);
        if (!row)
            row = able(step->otherwise, call);
        if (!row)
            continue;
        vef_tuned choice = vef_usual(row);
        if (step->tuning.segment_bytes)
            choice.tuning.segment_bytes = step->tuning.segment_bytes;
        if (step->tuning.degree)
            choice.tuning.degree = step->tuning.degree;
        choice.tuning.protocol = step->tuning.protocol;
        if (step->tune && row == able(step->algorithm, call))
            step->tune(call, &choice.tuning);
        return choice;
    }
    for (const vef_algorithm *row = vef_algorithms; row->name; row++)
        if (is_of(row, call) && vef_algorithm_can(row, call))
            return vef_usual(row);
    return (vef_tuned){0};
}

/* The next rule for the call from `from` on, whether or not its algorithm supports it; NULL: none.
 */
static const vef_rule *next_rule(const vef_collective *call, size_t from, uint64_t bytes) {
    const vef_choices *choices = call->choices;
    for (size_t i = from; choices && i < choices->count; i++) {
        const vef_rule *rule = &choices->rules[i];
        if (is_of(rule->choice.algorithm, call) && bytes <= rule->up_to_bytes &&
            call->size <= rule->up_to_ranks)
            return rule;
    }
    return NULL;
}

vef_tuned vef_algorithm_choose(const vef_collective *call) {
    const uint64_t bytes = call->choices && call->choices->count ? vef_choice_bytes(call) : 0;
    const vef_rule *rule = next_rule(call, 0, bytes);
    while (rule && !vef_algorithm_can(rule->choice.algorithm, call))
        rule = next_rule(call, (size_t)(rule - call->choices->rules) + 1, bytes);
    if (rule)
        return rule->choice;
    const bool other = call->choices && call->choices->preset;
    return preferred(other ? call->choices->preset : vef_presets[0], call);
}

bool vef_algorithm_falls_back(const vef_collective *call) {
    const bool rules = call->choices && call->choices->count;
    const vef_rule *rule = rules ? next_rule(call, 0, vef_choice_bytes(call)) : NULL;
    return rule && !vef_algorithm_can(rule->choice.algorithm, call) && !vef_moves_nothing(call);
}
