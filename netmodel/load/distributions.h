/* Student's t and Fisher's F distributions, for confidence intervals. */
#ifndef VEF_NETMODEL_LOAD_DISTRIBUTIONS_H
#define VEF_NETMODEL_LOAD_DISTRIBUTIONS_H

/* The t that a variable of Student's distribution with `freedom` degrees of freedom (above 0, not
 * necessarily whole) exceeds in absolute value with probability 1 - `confidence` (0 < confidence <
 * 1): 12.706 for 0.95 and 1, 2.042 for 0.95 and 30. Exact to about 10 digits. */
double vef_student_two_sided(double confidence, double freedom);

/* The probability that a variable of Fisher's distribution with `above` and `below` degrees of
 * freedom (above 0) exceeds `ratio` (0 or more): 0.05 for 3.316, 2 and 30. */
double vef_fisher_exceeds(double ratio, double above, double below);

#endif
