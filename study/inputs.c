/* Hashes of the contents of files. See inputs.h. */
#include "study/inputs.h"

#include "common/grow.h"
#include "common/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { CHUNK_BYTES = 1 << 18, PATH_BYTES = 4096 };

static vef_code read_content(const char *path, vef_hash *hash, vef_error *error) {
    FILE *file = fopen(path, "rb");
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

static vef_study_input *find(const vef_study_inputs *inputs, const char *path, uint32_t hash) {
    vef_index_walk walk = vef_index_begin(&inputs->index, hash);
    for (uint32_t i; (i = vef_index_next(&inputs->index, &walk)) != VEF_INDEX_NONE;)
        if (strcmp(inputs->list[i].path, path) == 0)
            return &inputs->list[i];
    return NULL;
}

vef_code vef_study_inputs_add(vef_study_inputs *inputs, const char *path, vef_hash *hash,
                              vef_error *error) {
    vef_hash name = vef_hash_begin();
    vef_hash_add(&name, path, strlen(path));
    vef_index_reserve(&inputs->index);
    vef_grow(&inputs->list, &inputs->room, inputs->count + 1, sizeof *inputs->list);
    vef_study_input *input = find(inputs, path, (uint32_t)name.low);
    if (!input) {
        vef_error reason = {0};
        input = &inputs->list[inputs->count];
        *input = (vef_study_input){.path = vef_strdup(path)};
        input->code = read_content(path, &input->hash, &reason);
        input->reason = input->code == VEF_OK ? NULL : vef_strdup(reason.message);
        vef_index_add(&inputs->index, (uint32_t)name.low, (uint32_t)inputs->count++);
    }
    if (input->code != VEF_OK)
        return vef_fail(error, input->code, "%s", input->reason);
    vef_hash_add(hash, &input->hash.high, sizeof input->hash.high);
    vef_hash_add(hash, &input->hash.low, sizeof input->hash.low);
    return VEF_OK;
}

vef_code vef_study_inputs_add_named(vef_study_inputs *inputs, const char *folder, const char *text,
                                    vef_hash *hash, vef_error *error) {
    static const char separators[] = " \t\n,:;=(){}[]'\"";
    vef_code code = VEF_OK;
    while (code == VEF_OK && *(text += strspn(text, separators))) {
        const size_t length = strcspn(text, separators);
        char path[PATH_BYTES];
        struct stat status;
        const bool relative = *text != '/' && *folder;
        const int written = snprintf(path, sizeof path, "%s%s%.*s", relative ? folder : "",
                                     relative ? "/" : "", (int)length, text);
        if (written < PATH_BYTES && stat(path, &status) == 0 && S_ISREG(status.st_mode))
            code = vef_study_inputs_add(inputs, path, hash, error);
        text += length;
    }
    return code;
}

void vef_study_inputs_free(vef_study_inputs *inputs) {
    for (size_t i = 0; i < inputs->count; i++) {
        free(inputs->list[i].path);
        free(inputs->list[i].reason);
    }
    free(inputs->list);
    vef_index_free(&inputs->index);
    *inputs = (vef_study_inputs){0};
}
