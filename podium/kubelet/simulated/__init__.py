"""The runtime of simulated nodes: what pods do and use, as annotations script it."""
