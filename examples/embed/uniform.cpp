// A network of vef inside another program: latency of a torus under uniform traffic.
//
//     c++ uniform.cpp $(pkg-config --cflags --libs vef) -o uniform
//     ./uniform '{topology: {family: torus, sizes: [8, 8]}}' 0.3
//
// Each endpoint sends messages of 64 bytes to destinations drawn at random; the gaps between them are drawn
// so that an endpoint offers RATE phits (of 4 bytes) per cycle. The first 2,000 cycles are not measured.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <queue>
#include <random>
#include <stdexcept>
#include <vef/network.h>

namespace {

constexpr std::uint64_t warm_up_cycles = 2000, end_cycles = 12000, message_bytes = 64;
constexpr double message_phits = 16;

struct closer {
    void operator()(vef_fabric *fabric) const { vef_fabric_close(fabric); }
};
using fabric_pointer = std::unique_ptr<vef_fabric, closer>;

void check(int code, const vef_failure &failure) {
    if (code != VEF_FAILURE_NONE)
        throw std::runtime_error(failure.text);
}

fabric_pointer open_fabric(const char *network) {
    vef_failure failure;
    vef_fabric_options options = VEF_SIZED(vef_fabric_options);
    options.network = network;
    vef_fabric *fabric = nullptr;
    check(vef_fabric_open(&options, &fabric, &failure), failure);
    return fabric_pointer(fabric);
}

// The next message of an endpoint; the queue has the earliest first.
struct departure {
    std::uint64_t cycles;
    std::uint32_t endpoint;
    bool operator<(const departure &other) const {
        return cycles != other.cycles ? cycles > other.cycles : endpoint > other.endpoint;
    }
};

void run(const char *network, double rate) {
    const fabric_pointer fabric = open_fabric(network);
    const std::uint32_t endpoints = vef_fabric_endpoints(fabric.get());
    std::mt19937 random(1);
    std::geometric_distribution<std::uint64_t> gap(rate / message_phits);
    std::uniform_int_distribution<std::uint32_t> other(1, endpoints - 1);
    std::priority_queue<departure> departures;
    for (std::uint32_t endpoint = 0; endpoint < endpoints; endpoint++)
        departures.push({gap(random), endpoint});

    vef_failure failure;
    bool warm = false;
    for (std::uint64_t id = 0; departures.top().cycles < end_cycles; id++) {
        const departure next = departures.top();
        departures.pop();
        while (vef_fabric_now(fabric.get()) < next.cycles) {
            const vef_fabric_delivery *deliveries;
            std::size_t count;
            check(vef_fabric_advance(fabric.get(), next.cycles, &deliveries, &count, &failure), failure);
        }
        if (!warm && next.cycles >= warm_up_cycles) {
            vef_fabric_reset(fabric.get());
            warm = true;
        }
        vef_fabric_message message = {};
        message.id = id;
        message.time_cycles = next.cycles;
        message.bytes = message_bytes;
        message.source = next.endpoint;
        message.destination = (next.endpoint + other(random)) % endpoints;
        check(vef_fabric_inject(fabric.get(), &message, &failure), failure);
        departures.push({next.cycles + 1 + gap(random), next.endpoint});
    }
    vef_fabric_figures figures = VEF_SIZED(vef_fabric_figures);
    check(vef_fabric_measure(fabric.get(), &figures, &failure), failure);
    const double cycles = static_cast<double>(vef_fabric_now(fabric.get()) - figures.since_cycles);
    std::printf("%u endpoints: offered %.3f, delivered %.3f phits per cycle and endpoint, latency %.1f cycles\n",
                endpoints, rate, static_cast<double>(figures.phits) / cycles / endpoints,
                figures.packet_latency_mean);
}

} // namespace

int main(int argc, char **argv) {
    try {
        run(argc > 1 ? argv[1] : "{topology: {family: torus, sizes: [8, 8]}}",
            argc > 2 ? std::atof(argv[2]) : 0.3);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "uniform: %s\n", error.what());
        return 2;
    }
    return 0;
}
