"""What runs until a signal: clusters, nodes, schedulers, recorders, and pages in a browser."""
