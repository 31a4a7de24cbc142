"""Effects of a change: plan, explain, lint, capacity, resilience, rollout order and optimum."""
