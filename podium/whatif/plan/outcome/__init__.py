"""What a plan reports: the outcome, and the readers that fold the timeline into it."""
