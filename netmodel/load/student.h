/* Student's t distribution, for confidence intervals. */
#ifndef VEF_NETMODEL_LOAD_STUDENT_H
#define VEF_NETMODEL_LOAD_STUDENT_H

/* The t that a variable of Student's distribution with `freedom` degrees of freedom (above 0, not
 * necessarily whole) exceeds in absolute value with probability 1 - `confidence` (0 < confidence <
 * 1): 12.706 for 0.95 and 1, 2.042 for 0.95 and 30. To 10 digits or so. */
double vef_student_two_sided(double confidence, double freedom);

#endif
