/* vef/network.h: a network model behind an interface that does not change with it. */
#include "common/containers/grow.h"
#include "common/memory.h"
#include "lib/failure.h"
#include "lib/feed_network.h"
#include "netmodel/clock.h"
#include "netmodel/netmodel.h"
#include <vef/network.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct vef_fabric {
    vef_netmodel *model;
    vef_arena arena; /* the tree of the network file */
    vef_fabric_delivery *deliveries;
    size_t room;
    char *warnings;
    bool broken; /* a call was left in the middle, without memory */
};

static void join_warnings(vef_fabric *fabric) {
    const vef_text_list *list = &fabric->model->warnings;
    size_t bytes = 1;
    for (size_t i = 0; i < list->count; i++)
        bytes += strlen(list->values[i]) + 1;
    fabric->warnings = vef_malloc(bytes);
    char *end = fabric->warnings;
    for (size_t i = 0; i < list->count; i++) {
        end = stpcpy(end, list->values[i]);
        *end++ = '\n';
    }
    *end = '\0';
}

typedef struct opening {
    vef_entry call;
    const vef_fabric_options *options;
    vef_fabric *fabric;
} opening;

static void open_model(void *call) {
    opening *request = call;
    const vef_fabric_options *options = request->options;
    vef_fabric *fabric = request->fabric;
    vef_error *error = &request->call.error;
    vef_node *root = NULL;
    vef_code code = vef_netmodel_read(options->network, options->overrides, options->override_count,
                                      &fabric->arena, &root, error);
    if (code == VEF_OK)
        code = vef_netmodel_create(root, &fabric->model, error);
    if (code == VEF_OK && options->threads > 1)
        vef_netmodel_split(fabric->model, options->threads);
    if (code == VEF_OK)
        join_warnings(fabric);
    request->call.code = code;
}

int vef_fabric_open(const vef_fabric_options *options, vef_fabric **fabric, vef_failure *failure) {
    if (options->size != sizeof *options || !options->network)
        return vef_failure_set(failure, VEF_FAILURE_INVALID,
                               "vef_fabric_options: expected a size of %zu and a network",
                               sizeof *options);
    vef_fabric *made = vef_calloc(1, sizeof *made);
    if (!made)
        return vef_failure_set(failure, VEF_FAILURE_MEMORY, "out of memory");
    opening call = {.call = {.work = open_model}, .options = options, .fabric = made};
    const int failed = vef_entry_do(&call.call, &made->broken, failure);
    if (failed)
        vef_fabric_close(made);
    else
        *fabric = made;
    return failed;
}

void vef_fabric_close(vef_fabric *fabric) {
    if (!fabric)
        return;
    if (!fabric->broken) { /* else its parts may be half made */
        vef_netmodel_destroy(fabric->model);
        vef_arena_release(&fabric->arena);
        free(fabric->deliveries);
        free(fabric->warnings);
    }
    free(fabric);
}

uint32_t vef_fabric_endpoints(const vef_fabric *fabric) {
    return fabric->model->endpoints;
}

uint32_t vef_fabric_routers(const vef_fabric *fabric) {
    return fabric->model->topology ? fabric->model->topology->routers : 0;
}

uint32_t vef_fabric_ports(const vef_fabric *fabric) {
    return fabric->model->topology ? fabric->model->topology->ports : 0;
}

void vef_fabric_cycle(const vef_fabric *fabric, uint64_t *ps, uint64_t *parts) {
    const vef_net_clock clock = vef_net_clock_of(fabric->model);
    if (clock.parts <= VEF_FEED_MOST_PARTS && clock.ps <= VEF_FEED_MOST_PS) {
        *ps = clock.ps;
        *parts = clock.parts;
        return;
    }
    /* An odd bandwidth: the nearest fraction within the bounds. */
    const double cycle_ps = (double)clock.ps / (double)clock.parts;
    *parts = VEF_FEED_MOST_PARTS;
    while (cycle_ps * (double)*parts > VEF_FEED_MOST_PS && *parts > 1)
        *parts /= 10;
    *ps = (uint64_t)llround(cycle_ps * (double)*parts);
    *ps = *ps ? *ps : 1;
}

const char *vef_fabric_warnings(const vef_fabric *fabric) {
    return fabric->warnings;
}

/* What network models take for granted of their callers. */
static vef_code check_message(const vef_netmodel *model, const vef_fabric_message *message,
                              vef_error *error) {
    const uint32_t worst =
        message->source > message->destination ? message->source : message->destination;
    if (worst >= model->endpoints)
        return vef_fail(error, VEF_INVALID, "endpoint %u: out of range: the network has %u", worst,
                        model->endpoints);
    if (message->traffic_class && message->traffic_class >= model->traffic_classes)
        return vef_fail(
            error, VEF_INVALID, "traffic class %u: out of range: the network has %u classes",
            message->traffic_class, model->traffic_classes ? model->traffic_classes : 1);
    if (message->time_cycles < model->kind->now(model) || message->time_cycles == VEF_FOREVER)
        return vef_fail(error, VEF_INVALID,
                        "a message for cycle %llu: out of range: the network has reached cycle "
                        "%llu",
                        (unsigned long long)message->time_cycles,
                        (unsigned long long)model->kind->now(model));
    return VEF_OK;
}

typedef struct injection {
    vef_entry call;
    const vef_fabric_message *message;
    vef_fabric *fabric;
} injection;

static void inject(void *call) {
    injection *request = call;
    vef_netmodel *model = request->fabric->model;
    const vef_fabric_message *message = request->message;
    request->call.code = check_message(model, message, &request->call.error);
    if (request->call.code == VEF_OK)
        request->call.code = model->kind->inject(
            model,
            &(vef_net_message){.source = message->source,
                               .destination = message->destination,
                               .bytes = message->bytes,
                               .time_cycles = message->time_cycles,
                               .id = message->id,
                               .traffic_class = (uint8_t)message->traffic_class},
            &request->call.error);
}

int vef_fabric_inject(vef_fabric *fabric, const vef_fabric_message *message, vef_failure *failure) {
    injection call;
    call.call.work = inject; /* not all of it: the text of an error is long */
    call.message = message;
    call.fabric = fabric;
    return vef_entry_do(&call.call, &fabric->broken, failure);
}

typedef struct advance_call {
    vef_entry call;
    vef_fabric *fabric;
    uint64_t limit_cycles;
    size_t count; /* of deliveries */
} advance_call;

static void advance(void *call) {
    advance_call *request = call;
    vef_fabric *fabric = request->fabric;
    const vef_net_delivery *arrived = NULL;
    request->call.code = fabric->model->kind->advance(
        fabric->model, request->limit_cycles, &arrived, &request->count, &request->call.error);
    if (request->call.code != VEF_OK)
        request->count = 0;
    vef_grow(&fabric->deliveries, &fabric->room, request->count, sizeof *fabric->deliveries);
    for (size_t i = 0; i < request->count; i++)
        fabric->deliveries[i] = (vef_fabric_delivery){
            .id = arrived[i].id,
            .time_cycles = arrived[i].time_cycles,
            .endpoint = arrived[i].endpoint,
        };
}

int vef_fabric_advance(vef_fabric *fabric, uint64_t limit_cycles,
                       const vef_fabric_delivery **deliveries, size_t *count,
                       vef_failure *failure) {
    advance_call call;
    call.call.work = advance;
    call.fabric = fabric;
    call.limit_cycles = limit_cycles;
    call.count = 0;
    const int failed = vef_entry_do(&call.call, &fabric->broken, failure);
    *deliveries = fabric->deliveries;
    *count = failed ? 0 : call.count;
    return failed;
}

uint64_t vef_fabric_now(const vef_fabric *fabric) {
    return fabric->model->kind->now(fabric->model);
}

uint32_t vef_fabric_waiting(const vef_fabric *fabric, uint32_t endpoint) {
    const vef_netmodel *model = fabric->model;
    return model->kind->waiting && endpoint < model->endpoints
               ? model->kind->waiting(model, endpoint)
               : 0;
}

int vef_fabric_deadlock(const vef_fabric *fabric, char *text, size_t text_bytes) {
    return vef_netmodel_deadlock(fabric->model, text, text_bytes);
}

/* The cycle of the links in those of the model's clock. */
static double cycle_of(const vef_netmodel *model) {
    return model->exact ? vef_netmodel_cycle_ps(model) : 1;
}

int vef_fabric_measure(const vef_fabric *fabric, vef_fabric_figures *figures,
                       vef_failure *failure) {
    if (figures->size != sizeof *figures)
        return vef_failure_set(failure, VEF_FAILURE_INVALID,
                               "vef_fabric_figures: expected a size of %zu", sizeof *figures);
    vef_net_statistics statistics;
    const double cycle = cycle_of(fabric->model);
    fabric->model->kind->statistics(fabric->model, &statistics);
    *figures = (vef_fabric_figures){
        .size = sizeof *figures,
        .since_cycles = statistics.since_cycles,
        .messages = statistics.messages,
        .packets = statistics.packets,
        .packet_hops = statistics.packet_hops,
        .phits = statistics.phits,
        .packet_latency_mean = cycle * statistics.latency_mean_cycles,
        .packet_latency_p99 = cycle * statistics.latency_p99_cycles,
        .message_latency_mean = cycle * statistics.message_latency_mean_cycles,
        .message_latency_p99 = cycle * statistics.message_latency_p99_cycles,
        .link_utilization_mean = statistics.link_utilization_mean,
        .link_utilization_max = statistics.link_utilization_max,
    };
    return vef_failure_from(VEF_OK, NULL, failure);
}

void vef_fabric_reset(vef_fabric *fabric) {
    fabric->model->kind->begin_figures(fabric->model);
}

int vef_fabric_get_link(const vef_fabric *fabric, uint32_t router, uint32_t port,
                        vef_fabric_link *link) {
    const vef_netmodel *model = fabric->model;
    const vef_topology *topology = model->topology;
    if (!topology || !model->kind->link_phits || router >= topology->routers ||
        port >= topology->ports)
        return 0;
    const size_t link_number = (size_t)router * topology->ports + port;
    if (topology->neighbour[link_number] == VEF_NO_ROUTER)
        return 0;
    *link = (vef_fabric_link){
        .to_router = topology->neighbour[link_number],
        .to_port = topology->reverse_port[link_number],
        .phits = model->kind->link_phits(model, router, port),
        .busy_cycles = (uint64_t)llround(
            cycle_of(model) * (double)model->kind->link_busy_cycles(model, router, port)),
    };
    return 1;
}
