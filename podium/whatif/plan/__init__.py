"""What-if plans: a state and changes in, a `Plan` out; `planner.plan` is where to begin."""
