/* Comparing the labels of points. See base.h. */
#include "study/base.h"

#include "common/containers/hash.h"
#include "common/containers/index.h"

#include <string.h>

/* The label of a column, or that of the base. */
static const char *label_of(const vef_study *study, const vef_study_point *point, size_t column,
                            bool of_base) {
    const vef_study_match *base = &study->summary.base;
    for (size_t i = 0; of_base && i < base->count; i++)
        if (base->column[i] == column)
            return base->label[i];
    return point->label[column] ? point->label[column] : "";
}

static uint32_t hash_of(const vef_study *study, const vef_study_point *point, bool of_base) {
    vef_hash hash = vef_hash_begin();
    for (size_t c = 0; c < study->column_count; c++) {
        const char *label = label_of(study, point, c, of_base);
        vef_hash_add(&hash, label, strlen(label) + 1);
    }
    return (uint32_t)hash.low;
}

static bool is_base_of(const vef_study *study, const vef_study_point *base,
                       const vef_study_point *point) {
    for (size_t c = 0; c < study->column_count; c++)
        if (strcmp(label_of(study, base, c, false), label_of(study, point, c, true)) != 0)
            return false;
    return true;
}

size_t vef_study_group(const vef_study *study, const size_t *columns, size_t count, size_t *group,
                       size_t *first) {
    vef_index index = {0};
    size_t groups = 0;
    for (size_t p = 0; p < study->point_count; p++) {
        const vef_study_point *point = &study->points[p];
        vef_hash hash = vef_hash_begin();
        for (size_t i = 0; i < count; i++) {
            const char *label = label_of(study, point, columns[i], false);
            vef_hash_add(&hash, label, strlen(label) + 1);
        }
        vef_index_reserve(&index);
        vef_index_walk walk = vef_index_begin(&index, (uint32_t)hash.low);
        uint32_t q = vef_index_next(&index, &walk);
        while (q != VEF_INDEX_NONE && !vef_study_is_alike(&study->points[q], point, columns, count))
            q = vef_index_next(&index, &walk);
        if (group)
            group[p] = q == VEF_INDEX_NONE ? groups : group[q];
        if (q != VEF_INDEX_NONE)
            continue;
        if (first)
            first[groups] = p;
        groups++;
        vef_index_add(&index, (uint32_t)hash.low, (uint32_t)p);
    }
    vef_index_free(&index);
    return groups;
}

bool vef_study_is_alike(const vef_study_point *a, const vef_study_point *b, const size_t *columns,
                        size_t count) {
    for (size_t i = 0; i < count; i++) {
        const char *x = a->label[columns[i]], *y = b->label[columns[i]];
        if (x != y && (!x || !y || strcmp(x, y) != 0))
            return false;
    }
    return true;
}

bool vef_study_is_peak(const vef_study *study, size_t column) {
    for (size_t i = 0; i < study->summary.peak_count; i++)
        if (study->summary.peak[i] == column)
            return true;
    return false;
}

void vef_study_find_bases(vef_study *study) {
    vef_index index = {0};
    for (size_t p = 0; p < study->point_count; p++) {
        vef_index_reserve(&index);
        vef_index_add(&index, hash_of(study, &study->points[p], false), (uint32_t)p);
    }
    for (size_t p = 0; p < study->point_count; p++) {
        vef_study_point *point = &study->points[p];
        point->base = SIZE_MAX;
        vef_index_walk walk = vef_index_begin(&index, hash_of(study, point, true));
        for (uint32_t q;
             point->base == SIZE_MAX && (q = vef_index_next(&index, &walk)) != VEF_INDEX_NONE;)
            if (is_base_of(study, &study->points[q], point))
                point->base = q;
    }
    vef_index_free(&index);
}
