"""The scheduler as a state machine: what kube-scheduler does around each decision.

`scheduler_machine.py` is the way in. It follows the cluster by watch events (`event_handlers.py`),
decides one pod per wake-up, and carries decisions out by effects whose outcomes come later:
`binding_cycle.py`, `preemption_executor.py`, and statuses by `api_dispatcher.py`.
"""
