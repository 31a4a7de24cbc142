"""The terminal view of a running cluster: what a client of its API can tell, as it happens."""
