"""Label selectors and node selectors: evaluation, validation and parsing."""
