"""What Kubernetes' preemption doesn't have, a file each, all off by default.

`enabled_policies` makes those that options ask for. The engine knows only their protocol,
`PreemptionPolicy`; candidate keys are criteria of the choice; `livelock` and `retries` belong to
the machine that removes victims.
"""
