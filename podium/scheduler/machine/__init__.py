"""The scheduler as a state machine: what kube-scheduler does around each decision.

`scheduler_machine.py` is the way in. It keeps a queue of pods and a snapshot with the cycle that
decides over it, follows the cluster by watch events (`event_handlers.py`), decides one pod per
wake-up, and carries decisions out by effects whose outcomes come later: bindings
(`binding_cycle.py`), preemptions (`preemption_executor.py`), and what is written into a pod's
status (`api_dispatcher.py`).
"""
