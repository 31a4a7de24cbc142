"""The state of a real cluster, read once for later plans, anonymized on request."""
