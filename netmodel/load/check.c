/* Checks of the settings: see vef_load_check in load.h. */
#include "netmodel/load/load.h"

#include <assert.h>
#include <math.h>

/* The maximum rate that an endpoint can send: phits per cycle; infinite if unbounded. */
static double most_rate(const vef_netmodel *model) {
    return model->injection_phits > 0 ? (double)model->injection_phits : (double)INFINITY;
}

static vef_code check_numbers(const vef_load_settings *settings, vef_error *error) {
    if (settings->seeds < 1 || settings->seeds > 1000)
        return vef_fail(error, VEF_INVALID, "%u seeds: out of range: expected 1 to 1000",
                        settings->seeds);
    if (settings->first_seed > UINT64_MAX - (settings->seeds - 1))
        return vef_fail(
            error, VEF_INVALID,
            "%u seeds from %llu: out of range: expected the last seed to be at most %llu",
            settings->seeds, (unsigned long long)settings->first_seed,
            (unsigned long long)UINT64_MAX);
    if (!(settings->precision > 0 && settings->precision < 1))
        return vef_fail(
            error, VEF_INVALID,
            "a precision of %g: out of range: expected more than 0 and less than 1, such as 0.01",
            settings->precision);
    if (settings->most_cycles < VEF_LEAST_LOAD_CYCLES || settings->most_cycles > 1ull << 60)
        return vef_fail(error, VEF_INVALID,
                        "at most %llu cycles for each run: out of range: expected %d to 2^60",
                        (unsigned long long)settings->most_cycles, VEF_LEAST_LOAD_CYCLES);
    return VEF_OK;
}

/* Checks a rate against the process and the pattern. */
static vef_code try_rate(const vef_load_settings *settings, const vef_netmodel *model, double rate,
                         vef_error *error) {
    vef_traffic_settings given = settings->traffic;
    vef_traffic *traffic = NULL;
    given.rate = rate;
    given.packets = vef_netmodel_packets(model);
    given.traffic_classes = model->traffic_classes > 0 ? model->traffic_classes : 1;
    vef_code code = vef_traffic_create(&given, &traffic, error);
    if (code == VEF_OK && vef_traffic_senders(traffic) == 0)
        code = vef_fail(error, VEF_UNSUPPORTED,
                        "pattern %s: no endpoint sends to another on this network",
                        given.pattern->kind->name);
    vef_traffic_destroy(traffic);
    return code;
}

vef_code vef_load_check(const vef_load_settings *settings, const vef_netmodel *model,
                        const double *rates, size_t count, vef_error *error) {
    assert(model->endpoints == UINT32_MAX ||
           model->endpoints == settings->traffic.pattern->endpoints);
    vef_code code = check_numbers(settings, error);
    if (code == VEF_OK && model->loggops)
        code = vef_fail(error, VEF_UNSUPPORTED,
                        "a network of model %s has no load: its messages do not influence each "
                        "other in the network, only at the processors of a replay: use vef replay",
                        model->kind->name);
    double least = INFINITY, greatest = 0;
    for (size_t i = 0; i < count && code == VEF_OK; i++) {
        if (!(rates[i] > 0) || rates[i] > most_rate(model))
            code = vef_fail(error, VEF_INVALID,
                            "a rate of %g phits per cycle and endpoint: out of range: expected "
                            "more than 0 and at most %g, which is what an endpoint can inject",
                            rates[i], most_rate(model));
        least = fmin(least, rates[i]);
        greatest = fmax(greatest, rates[i]);
    }
    if (code == VEF_OK && count > 0)
        code = try_rate(settings, model, least, error);
    if (code == VEF_OK && greatest > least)
        code = try_rate(settings, model, greatest, error);
    return code;
}
