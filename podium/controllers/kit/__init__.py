"""What controllers have in common: a cache of what they watch, and the loop around reconciling."""
