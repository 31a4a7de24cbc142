"""The scheduler as a state machine: what kube-scheduler does around each decision.

Start with `scheduler_machine.py`. It follows the cluster by watch events (`event_handlers.py`),
decides about one pod per wake-up, and carries decisions out by API calls whose outcomes arrive
later: `binding_cycle.py`, `preemption_executor.py`, and statuses by `api_dispatcher.py`.
"""
