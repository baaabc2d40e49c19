/* What a network costs: its switches, ports, network interfaces (NICs) and cables, with the price
 * and the power of each by a price list, the section `cost` of a network file
 * (netmodel/file/prices.h).
 *
 * A switch has a price, and each of its ports; a cable has a price and one for each metre. The list
 * holds for links of one bandwidth; those of links with a bandwidth of x times that are
 * x^price_exponent times as high. This is the model of Besta and Hoefler, "Slim Fly: A Cost
 * Effective Low-Diameter Network Topology", SC 2014, with prices in $/(Gbit/s).
 *
 * A link has the length that the network file gives. Otherwise its routers are in racks: a layout
 * places the routers, neighbouring places fill racks, and a cable leads along the rows and columns
 * of racks. Failures do not count: what fails was bought. */
#ifndef VEF_NETMODEL_ANALYSIS_LAYOUT_BILL_H
#define VEF_NETMODEL_ANALYSIS_LAYOUT_BILL_H

#include "netmodel/analysis/layout/layout.h"

/* What a link runs over; on a board it needs no cable. AUTO: copper up to its greatest length. */
typedef enum vef_medium {
    VEF_MEDIUM_AUTO,
    VEF_MEDIUM_COPPER,
    VEF_MEDIUM_OPTICAL,
    VEF_MEDIUM_BOARD,
    VEF_MEDIA
} vef_medium;
extern const char *const vef_medium_names[]; /* ended by NULL */

typedef struct vef_cable_price {
    double price, price_per_metre, power_w;
} vef_cable_price;

/* What a class of links has of its own. */
typedef struct vef_class_price {
    int medium;      /* a vef_medium */
    double length_m; /* 0: not given */
} vef_class_price;

typedef struct vef_prices {
    bool given; /* the network file has the section */
    const char *currency;
    uint64_t bandwidth_bits_per_s; /* of the links that the prices are for */
    double price_exponent, power_exponent;
    uint32_t switch_ports; /* of a switch as it is sold; 0: as many as it uses */
    double switch_price, switch_power_w, port_price, port_power_w;
    double nic_price, nic_power_w;
    double copper_up_to_m;
    vef_cable_price cable[VEF_MEDIA]; /* of copper and optical ones */
    vef_int_list lengths_m;           /* in which cables are sold, ascending */
    const vef_layout *layout;         /* NULL: the first that supports the network */
    uint32_t rack_endpoints;
    double rack_length_m; /* of a cable within a rack */
    double slack_m;       /* by which others are longer than the way along rows and columns */
    double pitch_m, row_pitch_m;
    vef_class_price *classes; /* [link_classes], then that of the endpoints; NULL: none has any */
    /* Of the network: links without their own bandwidth and length (0: not given). */
    uint64_t link_bits_per_s;
    double link_length_m;
} vef_prices;

/* Cables of one class, medium and length. */
typedef struct vef_bill_row {
    uint32_t link_class; /* topology->link_classes: those of the endpoints */
    vef_medium medium;
    double length_m; /* as sold */
    uint64_t cables;
    double price, power_w;
} vef_bill_row;

typedef struct vef_bill {
    uint64_t endpoints, switches, ports; /* ports: those bought with the switches */
    uint64_t cables;
    double cable_metres;
    double switch_price, nic_price; /* of all */
    double price, power_w;          /* of everything */
    double price_per_endpoint, power_per_endpoint_w;
    vef_bill_row *rows; /* by class, medium and length; owned */
    size_t row_count;
} vef_bill;

/* Refuses a layout that does not support the network, and routers with more ports than a switch. */
vef_code vef_bill_make(const vef_prices *prices, const vef_topology *topology, vef_bill *bill,
                       vef_error *error);
void vef_bill_release(vef_bill *bill);

/* "endpoint", or the name of the class. */
void vef_bill_class_name(const vef_topology *topology, uint32_t link_class, char *text,
                         size_t text_bytes);

#endif
