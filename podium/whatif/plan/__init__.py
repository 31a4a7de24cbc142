"""What-if: a state and changes in, a `Plan` out; `planning.plan` is where to begin."""
