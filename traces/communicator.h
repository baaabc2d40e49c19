/* The coding of communicators in a block's body, one after another. FORMAT.md has the bytes. */
#ifndef VEF_TRACES_COMMUNICATOR_H
#define VEF_TRACES_COMMUNICATOR_H

#include "common/arena.h"
#include "common/status.h"
#include "traces/event.h"
#include "traces/varint.h"

/* A length that the coding never exceeds. */
size_t vef_communicator_bound(const vef_communicator *communicator);

/* Writes at `to`, which must have room for the bound; returns one past the last byte. */
uint8_t *vef_communicator_put(uint8_t *to, const vef_communicator *communicator);

/* Reads the next one, which is number `number` and must have its parent before it and members below
 * `tasks`; its lists live in `arena`. */
vef_code vef_communicator_get(vef_cursor *from, uint32_t number, uint32_t tasks, vef_arena *arena,
                              vef_communicator *communicator, vef_error *error);

#endif
