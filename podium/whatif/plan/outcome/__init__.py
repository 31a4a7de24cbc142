"""The outcome of a plan, derived from the timeline of its play."""
