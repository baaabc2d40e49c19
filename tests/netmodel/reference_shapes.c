/* Small networks for comparing with the reference. See reference_shapes.h. */
#include "tests/netmodel/reference_shapes.h"

#define UNITS                                                                                      \
    {                                                                                              \
        {1}, {0, 1}, {0, 0, 1}, {                                                                  \
            0, 0, 0, 1                                                                             \
        }                                                                                          \
    }
#define ALL_WRAP                                                                                   \
    { true, true, true, true }

const reference_shape reference_shapes[] = {
    {"{family: torus, sizes: [7]}", {1, 1, {7}, ALL_WRAP, {{0}}, UNITS}},
    {"{family: mesh, sizes: [5]}", {1, 1, {5}, {false}, {{0}}, UNITS}},
    {"{family: torus, sizes: [4, 4]}", {2, 2, {4, 4}, ALL_WRAP, {{0}}, UNITS}},
    {"{family: mesh, sizes: [4, 3]}", {2, 2, {4, 3}, {false}, {{0}}, UNITS}},
    {"{family: rt, a: 3}", {2, 2, {6, 3}, ALL_WRAP, {{0}}, UNITS}},
    {"{family: rtt, a: 3}", {2, 2, {6, 3}, ALL_WRAP, {{0}, {3}}, UNITS}},
    {"{family: rtt, a: 4}", {2, 2, {8, 4}, ALL_WRAP, {{0}, {4}}, UNITS}},
    {"{family: rtt, a: 2}", {2, 2, {4, 2}, ALL_WRAP, {{0}, {2}}, UNITS}},
    {"{family: torus, sizes: [3, 3, 3]}", {3, 3, {3, 3, 3}, ALL_WRAP, {{0}}, UNITS}},
    {"{family: mesh, sizes: [3, 2, 3]}", {3, 3, {3, 2, 3}, {false}, {{0}}, UNITS}},
    {"{family: torus, sizes: [2, 5]}", {2, 2, {2, 5}, ALL_WRAP, {{0}}, UNITS}},
    {"{family: lattice, sizes: [4, 2, 2], shifts: [[], [2], [2]]}", /* PDTT(2) */
     {3, 3, {4, 2, 2}, ALL_WRAP, {{0}, {2}, {2}}, UNITS}},
    {"{family: lattice, sizes: [7, 2], shifts: [[], [-2]]}",
     {2, 2, {7, 2}, ALL_WRAP, {{0}, {-2}}, UNITS}},
    {"{family: lattice, sizes: [4, 5], wrap: [1, 0]}", {2, 2, {4, 5}, {true, false}, {{0}}, UNITS}},
    {"{family: lattice, sizes: [4, 4], generators: [[1, 0], [0, 1], [1, 1]]}", /* diagonal */
     {2, 3, {4, 4}, ALL_WRAP, {{0}}, {{1}, {0, 1}, {1, 1}}}},
    {"{family: lattice, sizes: [5, 4], generators: [[1, 0], [0, 1], [1, 1], [-1, 1]]}", /* king */
     {2, 4, {5, 4}, ALL_WRAP, {{0}}, {{1}, {0, 1}, {1, 1}, {-1, 1}}}},
    {"{family: diagonal-mesh, sizes: [4, 3]}",
     {2, 3, {4, 3}, {false}, {{0}}, {{1}, {0, 1}, {1, 1}}}},
    {"{family: diagonal-mesh, sizes: [3, 4], diagonal: north-west}",
     {2, 3, {3, 4}, {false}, {{0}}, {{1}, {0, 1}, {-1, 1}}}},
    {"{family: king-torus, sizes: [4, 3]}",
     {2, 4, {4, 3}, ALL_WRAP, {{0}}, {{1}, {0, 1}, {1, 1}, {-1, 1}}}},
    {"{family: hypercube, dimensions: 3}", {3, 3, {2, 2, 2}, {false}, {{0}}, UNITS}},
    {"{family: pdtt, a: 2}", {3, 3, {4, 2, 2}, ALL_WRAP, {{0}, {2}, {2}}, UNITS}},
    {"{family: lattice, sizes: [9], generators: [[1], [3]]}", /* circulant */
     {1, 2, {9}, ALL_WRAP, {{0}}, {{1}, {3}}}},
};
const uint32_t reference_shape_count = sizeof reference_shapes / sizeof *reference_shapes;
