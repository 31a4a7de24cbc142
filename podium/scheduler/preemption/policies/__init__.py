"""Policies of preemption that Kubernetes doesn't have, all off by default.

`enabled_policies` makes those that options enable. The engine knows only their protocol,
`PreemptionPolicy`; candidate keys are criteria of the choice; `livelock` and `retries` are used
by the machine that deletes victims.
"""
