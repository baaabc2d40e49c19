/* Orders for qsort: VEF_ORDER_BY(by_place, vef_task_place, endpoint, task) defines the function
 * by_place, which compares items of a type by up to four of their fields: the first that differs
 * decides. VEF_ORDER_NUMBERS(ascending, uint32_t), numbers. Least first. */
#ifndef VEF_COMMON_CONTAINERS_ORDER_H
#define VEF_COMMON_CONTAINERS_ORDER_H

#define VEF_ORDER_BY(name, type, ...)                                                              \
    static int name(const void *left, const void *right) {                                         \
        const type *a = left, *b = right;                                                          \
        return VEF_ORDER_FORM(__VA_ARGS__, VEF_ORDER_4, VEF_ORDER_3, VEF_ORDER_2, VEF_ORDER_1,     \
                              none)(__VA_ARGS__);                                                  \
    }
#define VEF_ORDER_NUMBERS(name, type)                                                              \
    static int name(const void *left, const void *right) {                                         \
        const type *a = left, *b = right;                                                          \
        return (*a > *b) - (*a < *b);                                                              \
    }

#define VEF_ORDER_FORM(first, second, third, fourth, form, ...) form
#define VEF_ORDER_1(field) (a->field > b->field) - (a->field < b->field)
#define VEF_ORDER_2(field, ...)                                                                    \
    a->field != b->field ? (a->field < b->field ? -1 : 1) : (VEF_ORDER_1(__VA_ARGS__))
#define VEF_ORDER_3(field, ...)                                                                    \
    a->field != b->field ? (a->field < b->field ? -1 : 1) : (VEF_ORDER_2(__VA_ARGS__))
#define VEF_ORDER_4(field, ...)                                                                    \
    a->field != b->field ? (a->field < b->field ? -1 : 1) : (VEF_ORDER_3(__VA_ARGS__))

#endif
