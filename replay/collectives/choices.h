/* Selection of the algorithm of a collective call (vef_algorithm_choose, plan.h): the user's choice
 * for its collective, if it supports the call, or else the preset's. A preset follows one MPI
 * library: its rows name algorithms of table.c. */
#ifndef VEF_REPLAY_COLLECTIVES_CHOICES_H
#define VEF_REPLAY_COLLECTIVES_CHOICES_H

#include "replay/collectives/plan.h"

/* One step of a library's selection. */
typedef struct vef_preference {
    uint16_t call;
    const char *algorithm;                    /* a name in table.c */
    bool (*when)(const vef_collective *call); /* NULL: whenever supported */
} vef_preference;

typedef struct vef_preset {
    const char *name, *summary;
    /* In the order of the library's tests: a call uses the first algorithm that supports it and
     * whose test holds. If none does, it uses the first row of table.c that supports it. Terminated
     * by a row whose algorithm is NULL. */
    const vef_preference *preferences;
} vef_preset;

extern const vef_preset *const vef_presets[]; /* terminated by NULL; the first is the default */
extern const vef_preset vef_preset_mpich;     /* preset_mpich.c */

/* A collective call of the program for which an algorithm can be chosen. */
typedef struct vef_choosable {
    uint16_t call;
    char key[32]; /* "reduce_scatter" */
} vef_choosable;

enum { VEF_MOST_CHOOSABLE = 32 };

/* All of them, in the order of table.c: those with an algorithm for intracommunicators. Returns
 * their number. */
size_t vef_choices_list(vef_choosable list[VEF_MOST_CHOOSABLE]);

typedef struct vef_choices {
    const vef_preset *preset; /* NULL: the first */
    const vef_algorithm *algorithm[VEF_MOST_CHOOSABLE];
    size_t count; /* of `algorithm`; at most one for each collective */
} vef_choices;    /* zero-initialised: the first preset for everything */

/* Chooses an algorithm for its collective, in place of an earlier choice. */
void vef_choices_take(vef_choices *choices, const vef_algorithm *algorithm);
/* The algorithm chosen for a collective; NULL: none, the preset's. */
const vef_algorithm *vef_choices_of(const vef_choices *choices, uint16_t call);
/* The union of the needs (vef_need) of the chosen algorithms. */
unsigned vef_choices_needs(const vef_choices *choices);

/* The row of a collective with that name, for intercommunicators or intracommunicators; NULL. */
const vef_algorithm *vef_algorithm_find(uint16_t call, const char *name, bool between);
/* Whether an algorithm supports a call of its collective. */
bool vef_algorithm_can(const vef_algorithm *algorithm, const vef_collective *call);
/* The needs of an algorithm in words: "a power-of-two number of ranks"; "" for none. */
char *vef_algorithm_needs_text(const vef_algorithm *algorithm, char *text, size_t text_bytes);

/* Whether the user chose an algorithm that does not support the call, which therefore uses the
 * preset's. Not if all ranks know that no data moves. */
bool vef_algorithm_falls_back(const vef_collective *call);

#endif
