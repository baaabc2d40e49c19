/* Which algorithm a collective call takes (vef_algorithm_choose, plan.h): the one that the user
 * chose for its collective, if it can carry the call out, or else what the preset takes. A preset
 * follows one MPI library: its rows name algorithms of table.c. */
#ifndef VEF_REPLAY_COLLECTIVES_CHOICES_H
#define VEF_REPLAY_COLLECTIVES_CHOICES_H

#include "replay/collectives/plan.h"

/* One step of a library's selection. */
typedef struct vef_preference {
    uint16_t call;
    const char *algorithm;                    /* a name in table.c */
    bool (*when)(const vef_collective *call); /* NULL: whenever it can */
} vef_preference;

typedef struct vef_preset {
    const char *name, *summary;
    /* In the order in which the library considers them: a call takes the first algorithm that can
     * carry it out and whose test holds. A call that none of them fits takes the first row of
     * table.c that can. Ended by a row whose algorithm is NULL. */
    const vef_preference *preferences;
} vef_preset;

extern const vef_preset *const vef_presets[]; /* ended by NULL; the first is the default */
extern const vef_preset vef_preset_mpich;     /* preset_mpich.c */

/* A collective that the program calls, for which an algorithm can be chosen. */
typedef struct vef_choosable {
    uint16_t call;
    char key[32]; /* "reduce_scatter" */
} vef_choosable;

enum { VEF_MOST_CHOOSABLE = 32 };

/* All of them, in the order of table.c: those with an algorithm for communicators of one group.
 * Returns how many. */
size_t vef_choices_list(vef_choosable list[VEF_MOST_CHOOSABLE]);

typedef struct vef_choices {
    const vef_preset *preset; /* NULL: the first */
    const vef_algorithm *algorithm[VEF_MOST_CHOOSABLE];
    size_t count; /* of `algorithm`; at most one for each collective */
} vef_choices;    /* zero-initialised: everything as the first preset has it */

/* Chooses an algorithm for its collective, in place of an earlier choice. */
void vef_choices_take(vef_choices *choices, const vef_algorithm *algorithm);
/* The algorithm chosen for a collective; NULL: none, the preset's. */
const vef_algorithm *vef_choices_of(const vef_choices *choices, uint16_t call);
/* What the chosen algorithms need (vef_need), all together. */
unsigned vef_choices_needs(const vef_choices *choices);

/* The row of a collective with that name, for communicators of two groups or of one; NULL. */
const vef_algorithm *vef_algorithm_find(uint16_t call, const char *name, bool between);
/* Whether an algorithm can carry a call of its collective out. */
bool vef_algorithm_can(const vef_algorithm *algorithm, const vef_collective *call);
/* Writes what an algorithm needs as words: "a power of two of ranks"; "" for nothing. */
char *vef_algorithm_needs_text(const vef_algorithm *algorithm, char *text, size_t text_bytes);

/* Whether the user chose an algorithm for the call that cannot carry it out, so that it takes the
 * preset's. Not where all ranks know that no data moves. */
bool vef_algorithm_falls_back(const vef_collective *call);

#endif
