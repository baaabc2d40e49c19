/* Contents of the files that points read. See inputs.h.
 *
 * A file is read again unless its inode, size, time of modification and time of change are those of
 * an earlier reading, and the change was at least SETTLED_NS before that reading began: programs
 * cannot set the time of change, and a later change has a later one, unless it came within one step
 * of the file system's clock. Git decides in the same way whether a file is unchanged. */
#include "study/inputs.h"

#include "common/containers/grow.h"
#include "common/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CHUNK_BYTES = 1 << 18, HASH_TEXT_BYTES = 33, STATE_TEXT_BYTES = 96 };
static const int64_t SETTLED_NS = INT64_C(2000000000);

static bool same_state(const vef_input_state *a, const vef_input_state *b) {
    return a->present == b->present && a->inode == b->inode && a->bytes == b->bytes &&
           a->modified_ns == b->modified_ns && a->changed_ns == b->changed_ns;
}

static bool same_content(const vef_study_input *a, const vef_study_input *b) {
    return a->state.present == b->state.present && a->hash.high == b->hash.high &&
           a->hash.low == b->hash.low;
}

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static vef_code read_content(const char *path, vef_hash *hash, vef_error *error) {
    FILE *file = fopen(path, "rbe");
    char *chunk = vef_malloc(CHUNK_BYTES);
    vef_code code = VEF_OK;
    if (!file)
        code = vef_fail_errno(error, "%s", path);
    *hash = vef_hash_begin();
    for (size_t bytes; code == VEF_OK && (bytes = fread(chunk, 1, CHUNK_BYTES, file)) > 0;)
        vef_hash_add(hash, chunk, bytes);
    if (code == VEF_OK && ferror(file))
        code = vef_fail_errno(error, "%s", path);
    free(chunk);
    if (file)
        fclose(file);
    return code;
}

/* ---- the list ---- */

static uint32_t hash_of(const char *path) {
    vef_hash name = vef_hash_begin();
    vef_hash_add(&name, path, strlen(path));
    return (uint32_t)name.low;
}

static vef_study_input *find(const vef_study_inputs *inputs, const char *path) {
    if (inputs->index.capacity == 0)
        return NULL;
    vef_index_walk walk = vef_index_begin(&inputs->index, hash_of(path));
    for (uint32_t i; (i = vef_index_next(&inputs->index, &walk)) != VEF_INDEX_NONE;)
        if (strcmp(inputs->list[i].path, path) == 0)
            return &inputs->list[i];
    return NULL;
}

/* Replaces what is known of a path. */
static void put(vef_study_inputs *inputs, const char *path, const vef_study_input *content) {
    vef_study_input *input = find(inputs, path);
    if (!input) {
        vef_index_reserve(&inputs->index);
        vef_grow(&inputs->list, &inputs->room, inputs->count + 1, sizeof *inputs->list);
        input = &inputs->list[inputs->count];
        input->path = vef_strdup(path);
        vef_index_add(&inputs->index, hash_of(path), (uint32_t)inputs->count++);
    }
    char *kept = input->path;
    *input = *content;
    input->path = kept;
}

void vef_study_inputs_free(vef_study_inputs *inputs) {
    for (size_t i = 0; i < inputs->count; i++)
        free(inputs->list[i].path);
    free(inputs->list);
    vef_index_free(&inputs->index);
    *inputs = (vef_study_inputs){0};
}

/* ---- contents ---- */

vef_code vef_study_inputs_get(vef_study_inputs *inputs, const char *path, bool again,
                              vef_study_input *found, vef_error *error) {
    const vef_study_input *known = find(inputs, path);
    const int64_t began_ns = now_ns();
    vef_input_state after;
    *found = (vef_study_input){.looked = true};
    if (known && known->looked && !again) {
        *found = *known;
        return VEF_OK;
    }
    if (!vef_input_look(path, &found->state))
        return vef_fail(error, VEF_IO,
                        "%s: not a regular file: expected one, whose content can be compared later",
                        path);
    if (known && known->settled && same_state(&known->state, &found->state))
        found->hash = known->hash;
    else if (found->state.present) {
        vef_code code = read_content(path, &found->hash, error);
        if (code != VEF_OK)
            return code;
    }
    found->settled = began_ns - found->state.changed_ns >= SETTLED_NS &&
                     vef_input_look(path, &after) && same_state(&found->state, &after);
    put(inputs, path, found);
    return VEF_OK;
}

static bool is_keyed(const char *path, const char *const *keyed) {
    for (size_t i = 0; i < 3; i++)
        if (keyed[i] && strcmp(keyed[i], path) == 0)
            return true;
    return false;
}

typedef struct collecting {
    vef_study_inputs *inputs, *read;
    const char *const *keyed;
} collecting;

static vef_code collect_one(const char *path, const vef_input_state *state, void *context,
                            vef_error *error) {
    const collecting *collector = context;
    const vef_study_input *known = find(collector->inputs, path),
                          *before = find(collector->read, path);
    vef_study_input resolved = {0}, now;
    const bool keyed = is_keyed(path, collector->keyed) && known;
    if (keyed)
        resolved = *known;
    if (before && same_state(&before->state, state))
        return VEF_OK;
    vef_code code = vef_study_inputs_get(collector->inputs, path, true, &now, error);
    if (code == VEF_OK &&
        (before || !same_state(&now.state, state) || (keyed && !same_content(&now, &resolved))))
        return vef_fail(error, VEF_FAILED, "%s changed while the point ran: start the study again",
                        path);
    if (code == VEF_OK)
        put(collector->read, path, &now);
    return code;
}

vef_code vef_study_inputs_collect(vef_study_inputs *inputs, int record, const char *const *keyed,
                                  vef_study_inputs *read, vef_error *error) {
    collecting collector = {inputs, read, keyed};
    return vef_inputs_read(record, collect_one, &collector, error);
}

/* ---- as members of results ---- */

void vef_study_inputs_write(const vef_study_inputs *read, const char *const *keyed,
                            vef_result *into) {
    char text[STATE_TEXT_BYTES];
    vef_result *inputs_list = vef_put_list(into, "inputs");
    for (size_t i = 0; read && i < read->count; i++) {
        const vef_study_input *input = &read->list[i];
        vef_result *item = vef_put_group(inputs_list, NULL);
        VEF_PUT(item, "file", input->path);
        snprintf(text, sizeof text, "%016" PRIx64 "%016" PRIx64, input->hash.high, input->hash.low);
        VEF_PUT(item, "hash", input->state.present ? text : NULL);
        snprintf(text, sizeof text, "%" PRIu64 " %" PRIu64 " %" PRId64 " %" PRId64,
                 input->state.inode, input->state.bytes, input->state.modified_ns,
                 input->state.changed_ns);
        VEF_PUT(item, "state", input->settled ? text : NULL);
        if (is_keyed(input->path, keyed))
            VEF_PUT(item, "keyed", vef_value_bool(true));
    }
}

/* Reads a member of the list; false: it has no name. */
static bool read_member(const vef_node *node, const char **path, vef_study_input *input) {
    const vef_node *file = vef_node_get(node, "file"), *hash = vef_node_get(node, "hash"),
                   *state = vef_node_get(node, "state");
    *input = (vef_study_input){0};
    if (!file || file->kind != VEF_NODE_SCALAR)
        return false;
    *path = file->scalar;
    input->state.present =
        hash && hash->kind == VEF_NODE_SCALAR &&
        sscanf(hash->scalar, "%16" SCNx64 "%16" SCNx64, &input->hash.high, &input->hash.low) == 2;
    input->settled =
        state && state->kind == VEF_NODE_SCALAR &&
        sscanf(state->scalar, "%" SCNu64 " %" SCNu64 " %" SCNd64 " %" SCNd64, &input->state.inode,
               &input->state.bytes, &input->state.modified_ns, &input->state.changed_ns) == 4;
    return true;
}

void vef_study_inputs_learn(vef_study_inputs *inputs, const vef_node *list) {
    for (size_t i = 0; list && i < list->count; i++) {
        const char *path;
        vef_study_input input;
        if (!read_member(list->items[i], &path, &input) || !input.settled)
            continue;
        const vef_study_input *known = find(inputs, path);
        if (!known || !known->looked)
            put(inputs, path, &input);
    }
}

const char *vef_study_inputs_compare(vef_study_inputs *inputs, const vef_node *list) {
    vef_error ignored;
    for (size_t i = 0; list && i < list->count; i++) {
        const char *path;
        vef_study_input then, now;
        if (!read_member(list->items[i], &path, &then) || vef_node_get(list->items[i], "keyed"))
            continue;
        if (vef_study_inputs_get(inputs, path, false, &now, &ignored) != VEF_OK ||
            !same_content(&then, &now))
            return path;
    }
    return NULL;
}
