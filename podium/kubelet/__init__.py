"""The kubelet's decisions about pods, for simulated nodes and for real machines."""
