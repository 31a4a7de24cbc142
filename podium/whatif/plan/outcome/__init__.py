"""The outcome of a plan, and the readers that derive it from the timeline."""
