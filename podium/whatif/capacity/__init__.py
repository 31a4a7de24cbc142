"""The number of pods that fit into a cluster, and the cheapest nodes for pending pods."""
