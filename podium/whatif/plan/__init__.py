"""What-if plans: `planner.plan` simulates changes to a cluster's state, and returns a `Plan`."""
