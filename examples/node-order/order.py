"""Prints the nodes of a state in the order in which a search visits them.

In a cluster of fewer than 100 nodes every search visits all of them, so the order can't be told
from any decision. This asks the core for it.
"""

import sys

from podium.cluster.manifests.manifest_sources import read_sources
from podium.scheduler.framework.sampling import search_order
from podium.scheduler.snapshot.snapshot import Snapshot

snapshot = Snapshot()
snapshot.set_nodes(loaded.obj for loaded in read_sources(sys.argv[1:]).objects)
order = (snapshot.names[row] for row in search_order(snapshot))
sys.stdout.write(", ".join(order) + "\n")
