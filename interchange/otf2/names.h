/* Names that vef gives to what OTF2 has no records for. The writer states them, the reader looks
 * for them; other tools show or skip them. */
#ifndef VEF_INTERCHANGE_OTF2_NAMES_H
#define VEF_INTERCHANGE_OTF2_NAMES_H

/* The region of time in calls that a trace only counts. */
#define VEF_OTF2_NAME_OUTSIDE "outside"
/* The region that ends a task without MPI_Finalize, which was not cut short: a part of a run. */
#define VEF_OTF2_NAME_END "end of part"
/* The description of the regions that are marks. */
#define VEF_OTF2_ABOUT_MARK "mark"

/* Attributes of events, by their number. All are unsigned numbers of 64 bits. */
enum {
    VEF_OTF2_ELEMENTS, /* MpiCollectiveEnd, NonBlockingCollectiveComplete: of a reduction */
    VEF_OTF2_IN_PLACE, /* end of a collective: 1 with MPI_IN_PLACE; the sizes are those without */
    VEF_OTF2_MODE,     /* MpiIsend of MPI_Start: the flags of the send (traces/event.h) */
    VEF_OTF2_ARGUMENT, /* Enter: of MPI_Pcontrol, … */
    VEF_OTF2_ENTERED,  /* Enter, Leave of a region: the order of calls of a task's threads */
    VEF_OTF2_LEFT,
    VEF_OTF2_FROM,  /* MpiIrecvRequest of a receive that no call completes: rank × 2^32 + tag */
    VEF_OTF2_ON,    /* the communicator of the receive of VEF_OTF2_FROM */
    VEF_OTF2_DELAY, /* Enter, Leave of a region: ns before it that are no computation (slice.h) */
    VEF_OTF2_ATTRIBUTES
};
/* clang-format off */
#define VEF_OTF2_ATTRIBUTE_NAMES \
    {"vef elements", "vef in place", "vef mode", "vef argument", "vef entered", "vef left", \
     "vef from", "vef on", "vef delay"}
/* clang-format on */

#endif
