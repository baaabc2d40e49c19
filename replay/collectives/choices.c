/* Selection of the algorithm of a call. See choices.h. */
#include "replay/collectives/choices.h"

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

static bool has_hardware(const vef_collective *call) {
    return call->hardware_broadcast;
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

void vef_choices_take(vef_choices *choices, const vef_algorithm *algorithm) {
    size_t i = 0;
    while (i < choices->count && choices->algorithm[i]->call != algorithm->call)
        i++;
    assert(i < VEF_MOST_CHOOSABLE);
    choices->algorithm[i] = algorithm;
    if (i == choices->count)
        choices->count++;
}

const vef_algorithm *vef_choices_of(const vef_choices *choices, uint16_t call) {
    for (size_t i = 0; choices && i < choices->count; i++)
        if (choices->algorithm[i]->call == call)
            return choices->algorithm[i];
    return NULL;
}

unsigned vef_choices_needs(const vef_choices *choices) {
    unsigned all = 0;
    for (size_t i = 0; i < choices->count; i++)
        all |= choices->algorithm[i]->needs;
    return all;
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

static const vef_algorithm *preferred(const vef_preset *preset, const vef_collective *call) {
    for (const vef_preference *step = preset->preferences; step->algorithm; step++) {
        if (step->call != call->call || (step->when && !step->when(call)))
            continue;
        const vef_algorithm *row =
            vef_algorithm_find(step->call, step->algorithm, call->remote_size != 0);
        if (row && vef_algorithm_can(row, call))
            return row;
    }
    for (const vef_algorithm *row = vef_algorithms; row->name; row++)
        if (is_of(row, call) && vef_algorithm_can(row, call))
            return row;
    return NULL;
}

const vef_algorithm *vef_algorithm_choose(const vef_collective *call) {
    const vef_algorithm *chosen = vef_choices_of(call->choices, call->call);
    if (chosen && is_of(chosen, call) && vef_algorithm_can(chosen, call))
        return chosen;
    const bool other = call->choices && call->choices->preset;
    return preferred(other ? call->choices->preset : vef_presets[0], call);
}

bool vef_algorithm_falls_back(const vef_collective *call) {
    const vef_algorithm *chosen = vef_choices_of(call->choices, call->call);
    return chosen && is_of(chosen, call) && !vef_algorithm_can(chosen, call) &&
           !vef_moves_nothing(call);
}
