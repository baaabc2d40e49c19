/* A search for circles of escapes, for tests of routings whose routes stay as they began. */
#ifndef VEF_TESTS_NETMODEL_ESCAPES_H
#define VEF_TESTS_NETMODEL_ESCAPES_H

#include "netmodel/routing/routing.h"

typedef struct escapes {
    uint32_t states;  /* that packets between all routers come into */
    uint32_t stuck;   /* of them short of their destination with no escape */
    uint32_t circles; /* queues on circles of escapes that bubble does not cover */
    uint32_t rings;   /* circles that it does: one way round, one place to go on, two to enter */
} escapes;

/* By every route that can begin and whatever is taken on the way. */
escapes search_escapes(const vef_routing *routing);

#endif
