"""What drains and failures of nodes and zones do to a cluster."""
