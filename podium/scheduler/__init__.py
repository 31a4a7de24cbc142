"""The scheduler's decisions, pure: snapshot, framework, evaluation, preemption, cycle."""
