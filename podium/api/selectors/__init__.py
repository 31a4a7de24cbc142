"""Label selectors and node selectors, as values and as text."""
