/* Selection of the algorithm of a collective call (vef_algorithm_choose, plan.h): by the user's
 * rules for its collective (rules.h), or else by the preset. A preset follows one MPI library: its
 * rows name algorithms of algorithms.def. */
#ifndef VEF_REPLAY_COLLECTIVES_CHOICES_H
#define VEF_REPLAY_COLLECTIVES_CHOICES_H

#include "replay/collectives/plan.h"

/* What limits of sizes refer to, as far as all ranks know it: the bytes of the buffer; of calls
 * with a block for each rank those of a block, the mean one of Allgatherv; of Reduce_scatter those
 * of all blocks. */
uint64_t vef_choice_bytes(const vef_collective *call);
/* Whether all ranks know it. */
bool vef_choice_knows_bytes(uint16_t call);

/* One step of a library's selection. */
typedef struct vef_preference {
    uint16_t call;
    const char *algorithm;                    /* a name in algorithms.def */
    bool (*when)(const vef_collective *call); /* NULL: whenever supported */
    uint32_t below_ranks;                     /* only with fewer ranks; 0: any */
    uint64_t below_bytes;                     /* only with fewer bytes; 0: any */
    vef_tuning tuning;                        /* 0: the usual */
    /* Of `algorithm`, where it depends on the call; NULL: as `tuning`. */
    void (*tune)(const vef_collective *call, vef_tuning *tuning);
    const char *otherwise; /* used where `algorithm` does not support the call; NULL: the next step
                              is */
} vef_preference;

typedef struct vef_preset {
    const char *name, *summary;
    /* In the order of the library's tests: a call uses the first algorithm that supports it and
     * whose test holds. If none does, it uses the first row of algorithms.def that supports it.
     * Terminated by a row whose algorithm is NULL. */
    const vef_preference *preferences;
} vef_preset;

extern const vef_preset *const vef_presets[]; /* terminated by NULL; the first is the default */

/* A collective call of the program for which an algorithm can be chosen. */
typedef struct vef_choosable {
    uint16_t call;
    char key[32]; /* "reduce_scatter" */
} vef_choosable;

enum { VEF_MOST_CHOOSABLE = 32, VEF_MOST_RULES = 64 };

/* All of them, in the order of algorithms.def: those with an algorithm for intracommunicators.
 * Returns their number. */
size_t vef_choices_list(vef_choosable list[VEF_MOST_CHOOSABLE]);

/* A choice of the user for one collective, up to these limits. */
typedef struct vef_rule {
    vef_tuned choice;
    uint64_t up_to_bytes; /* vef_choice_bytes; UINT64_MAX: any */
    uint32_t up_to_ranks; /* UINT32_MAX: any */
} vef_rule;

/* A call uses the first rule of its collective whose limits hold and whose algorithm supports it,
 * or else the preset. */
typedef struct vef_choices {
    const vef_preset *preset; /* NULL: the first */
    size_t count;             /* of `rules` */
    vef_rule rules[VEF_MOST_RULES];
} vef_choices; /* zero-initialised: the first preset for everything */

/* Adds a rule; false if there are VEF_MOST_RULES. */
bool vef_choices_add(vef_choices *choices, const vef_rule *rule);
/* The rule that an algorithm with its usual tuning is chosen for all calls of its collective. */
vef_rule vef_rule_always(const vef_algorithm *algorithm);
/* Whether a rule or the preset names an algorithm for several ranks on a node. */
bool vef_choices_know_nodes(const vef_choices *choices);
/* The union of the needs (vef_need) of the chosen algorithms. */
unsigned vef_choices_needs(const vef_choices *choices);

/* The row of a collective with that name, for intercommunicators or intracommunicators; NULL. */
const vef_algorithm *vef_algorithm_find(uint16_t call, const char *name, bool between);
/* Whether an algorithm supports a call of its collective. */
bool vef_algorithm_can(const vef_algorithm *algorithm, const vef_collective *call);
/* The needs of an algorithm in words: "a power-of-two number of ranks"; "" for none. */
char *vef_algorithm_needs_text(const vef_algorithm *algorithm, char *text, size_t text_bytes);

/* Whether the first rule for the call has an algorithm that does not support it. Not if all ranks
 * know that no data moves. */
bool vef_algorithm_falls_back(const vef_collective *call);

#endif
