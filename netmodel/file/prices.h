/* The section `cost` of a network file: prices and power of switches, network interfaces and
 * cables, and the floor that cables cross (netmodel/analysis/layout/bill.h). Network models ignore
 * it.
 *
 * Defaults, at 40 Gbit/s:
 *   switch, copper and optical cables, power of a port: Besta and Hoefler, "Slim Fly", SC 2014
 *     (InfiniBand FDR10): 350.4 k - 892.3 $ for k ports; 0.5771 + 0.4079 x and 7.2745 + 0.0919 x
 *     $/(Gbit/s) for x metres; 4 lanes of 0.7 W for each port
 *   power of optical cables, greatest copper length, lengths: 1.5 W for each end of an active
 *     optical cable of 40 Gbit/s, copper up to 3 m, lengths of EDR cables: price lists in N.
 *     McDonald's fabcalc
 *   floor: racks of 0.6 m x 2.1 m with the aisle, 2 m within a rack, 4 m more between racks: the
 *     layout program of Fujiwara et al.
 *   guesses: NICs, endpoints of a rack, that prices and power are proportional to the bandwidth */
#ifndef VEF_NETMODEL_FILE_PRICES_H
#define VEF_NETMODEL_FILE_PRICES_H

#include "netmodel/analysis/layout/bill.h"

extern const vef_param vef_cost_schema[];

/* Reads the section and what prices need of `link`. Texts and lists are in `arena`. `topology`
 * NULL: only checks keys and values, but not the names of classes. */
vef_code vef_prices_read(const vef_node *root, const vef_topology *topology, vef_arena *arena,
                         vef_prices *prices, vef_error *error);

/* The bill of the network of a file; texts of `prices` are in the arena. */
vef_code vef_prices_bill(const vef_node *root, const vef_topology *topology, vef_arena *arena,
                         vef_prices *prices, vef_bill *bill, vef_error *error);

/* Adds the keys of the section as resolved. */
void vef_prices_put(const vef_prices *prices, const vef_topology *topology, vef_node *into);

#endif
