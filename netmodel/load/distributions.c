/* Student's t distribution by the incomplete beta function: P(|T| > t) = I_x(n / 2, 1 / 2) with
 * x = n / (n + t^2) (Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.1
 * and 26.5.27), and Fisher's F: P(F > f) = I_x(n / 2, m / 2) with x = n / (n + m f) (26.6.2), I by
 * its continued fraction (26.5.8) in the form that Lentz's method evaluates. */
#include "netmodel/load/distributions.h"

#include <assert.h>
#include <math.h>

static double not_zero(double x) {
    static const double TINY = 1e-300;
    return fabs(x) < TINY ? TINY : x;
}

/* The continued fraction of I_x(a, b); converges fast for x < (a + 1) / (a + b + 2). */
static double fraction(double x, double a, double b) {
    enum { MOST_TERMS = 10000 };
    double c = 1, d = 1 / not_zero(1 - (a + b) * x / (a + 1)), product = d;
    for (int m = 1; m < MOST_TERMS; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 / not_zero(1 + even * d);
        c = not_zero(1 + even / c);
        product *= d * c;
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / not_zero(1 + odd * d);
        c = not_zero(1 + odd / c);
        product *= d * c;
        if (fabs(d * c - 1) < 1e-15)
            break;
    }
    return product;
}

static double incomplete_beta(double x, double a, double b) {
    if (x <= 0 || x >= 1)
        return x <= 0 ? 0 : 1;
    int sign; /* not lgamma, which stores the sign in a global variable */
    double scale = exp(lgamma_r(a + b, &sign) - lgamma_r(a, &sign) - lgamma_r(b, &sign) +
                       a * log(x) + b * log1p(-x));
    if (x < (a + 1) / (a + b + 2))
        return scale * fraction(x, a, b) / a;
    return 1 - scale * fraction(1 - x, b, a) / b;
}

double vef_student_two_sided(double confidence, double freedom) {
    assert(confidence > 0 && confidence < 1 && freedom > 0);
    double outside = 1 - confidence;
    /* Bisection on x = n / (n + t^2), in which the probability increases from 0 to 1. */
    double low = 0, high = 1;
    for (int i = 0; i < 200 && high - low > 1e-16 * high; i++) {
        double x = 0.5 * (low + high);
        if (incomplete_beta(x, freedom / 2, 0.5) < outside)
            low = x;
        else
            high = x;
    }
    double x = 0.5 * (low + high);
    return sqrt(freedom * (1 - x) / x);
}

double vef_fisher_exceeds(double ratio, double above, double below) {
    assert(ratio >= 0 && above > 0 && below > 0);
    return incomplete_beta(below / (below + above * ratio), below / 2, above / 2);
}
