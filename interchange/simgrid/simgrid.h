/* The actions of SimGrid's time-independent traces (Casanova, Desprez, Markomanolis, Suter,
 * "Simulation of MPI applications with time-independent traces", CCPE 27(5), 2015), and the sizes
 * of datatypes, as in SimGrid 4.1: src/smpi/internals/smpi_replay.cpp,
 * src/smpi/mpi/smpi_datatype.cpp. */
#ifndef VEF_INTERCHANGE_SIMGRID_SIMGRID_H
#define VEF_INTERCHANGE_SIMGRID_SIMGRID_H

#include "interchange/format.h"

typedef enum vef_ti_kind {
    VEF_TI_NO_CALL,
    VEF_TI_INIT,
    VEF_TI_COMPUTE,
    VEF_TI_SLEEP,
    VEF_TI_MESSAGE,
    VEF_TI_TEST,
    VEF_TI_WAIT,
    VEF_TI_COLLECTIVE,
} vef_ti_kind;

typedef struct vef_ti_action {
    const char *name;
    /* In a line, after the rank and the name. s r: counts that a task sends and receives; n: the
     * same of a receive; S R: counts for each rank; t u: datatypes of s and r; p q: the ranks of
     * the peer and of the sender; g: the tag; f: flops or seconds; o: the root. */
    const char *arguments;
    vef_ti_kind kind;
    uint16_t call;
    /* COLLECTIVE: which argument is vef_event.bytes, at the root and elsewhere; 0: none is. */
    const char *bytes;
} vef_ti_action;

extern const vef_ti_action vef_ti_actions[]; /* terminated by a row whose name is NULL */

/* Of the predefined datatypes, by number, on x86-64. */
enum { VEF_TI_TYPES = 60, VEF_TI_DOUBLE = 0, VEF_TI_BYTE = 6 };
extern const uint8_t vef_ti_type_bytes[VEF_TI_TYPES];

#endif
