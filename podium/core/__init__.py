"""The scheduler's decisions, pure: snapshot, framework, queue, budgets, preemption, cycle."""
