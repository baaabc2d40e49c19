"""A network of vef from Python: everybody sends to one endpoint, and the links show it.

    python3 hot_spot.py [NETWORK]
"""
import sys

import vef


def main(net):
    with vef.Network(net) as network:
        for source in range(1, network.endpoints):
            network.inject(id=source, source=source, destination=0, bytes=1024, time_cycles=0)
        arrived = []
        while len(arrived) < network.endpoints - 1:
            arrived += network.advance(network.now() + 1000000)
        print(f"{len(arrived)} messages, the last one at cycle {arrived[-1].time_cycles}")
        links = network.links()
        links = links.to_dict("records") if hasattr(links, "to_dict") else links  # with pandas a DataFrame
        for link in sorted(links, key=lambda link: -link["phits"])[:3]:
            print(f"router {link['router']} -> {link['to_router']}: {link['phits']} phits")


try:
    main(sys.argv[1] if len(sys.argv) > 1 else "{topology: {family: mesh, sizes: [4, 4]}}")
except vef.Error as error:
    sys.exit(f"hot_spot: {error}")
