/* The traffic matrix: messages and bytes between tasks, sparse. Without collectives, whose messages
 * are decided at replay. */
#ifndef VEF_TRACES_FILE_TRAFFIC_H
#define VEF_TRACES_FILE_TRAFFIC_H

#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct vef_flow {
    uint32_t to;
    uint64_t messages, bytes;
} vef_flow;

/* Row of task t: flows[first[t]] to flows[first[t + 1] - 1], by ascending receiver; only pairs with
 * at least one message. */
typedef struct vef_traffic_matrix {
    uint32_t tasks;
    size_t *first; /* tasks + 1 entries */
    vef_flow *flows;
    size_t capacity; /* of `flows` */
} vef_traffic_matrix;

struct vef_trace;

/* The point-to-point messages of a trace, which is read once. On failure nothing is held. */
vef_code vef_traffic_matrix_read(struct vef_trace *trace, vef_traffic_matrix *traffic,
                                 vef_error *error);
void vef_traffic_matrix_free(vef_traffic_matrix *traffic);

/* A row under construction: what a task has sent so far, to any of `tasks` receivers. Counting is
 * O(1), and ending a row costs time proportional to its receivers. 4 bytes per task.
 */
typedef struct vef_traffic_row {
    uint32_t *place; /* per task: 1 + its index in `flows`; 0: none */
    vef_flow *flows; /* in the order of their first message until the row is sorted */
    uint32_t count;
    size_t capacity;
} vef_traffic_row; /* zero-initialised is safe to free */

void vef_traffic_row_begin(vef_traffic_row *row, uint32_t tasks);
void vef_traffic_row_free(vef_traffic_row *row);
/* Adds messages to a receiver below `tasks`. */
void vef_traffic_row_add(vef_traffic_row *row, uint32_t to, uint64_t messages, uint64_t bytes);
static inline bool vef_traffic_row_has(const vef_traffic_row *row, uint32_t to) {
    return row->place[to] != 0;
}
void vef_traffic_row_clear(vef_traffic_row *row);

/* Building a matrix row by row: begin; then for each task in order end its row, which is appended
 * and cleared. */
void vef_traffic_matrix_begin(vef_traffic_matrix *traffic, uint32_t tasks);
void vef_traffic_matrix_end_row(vef_traffic_matrix *traffic, uint32_t task, vef_traffic_row *row);

/* The same matrix with the number of messages instead of their bytes. */
void vef_traffic_matrix_count(const vef_traffic_matrix *traffic, vef_traffic_matrix *counted);

/* The transposed matrix: what each task receives. */
void vef_traffic_matrix_transpose(const vef_traffic_matrix *traffic,
                                  vef_traffic_matrix *transposed);

#endif
