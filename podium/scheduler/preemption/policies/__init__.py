"""Policies of preemption that Kubernetes doesn't have, all off by default.

`enabled_policies` makes the policies that options enable, behind the protocol `PreemptionPolicy`.
`candidate_keys` has further keys of the choice; the scheduler's state machine uses `livelock`.
"""
