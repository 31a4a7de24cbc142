"""The terminal view of a running cluster (`podium top`)."""
