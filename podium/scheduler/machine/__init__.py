"""The scheduler as a state machine: what kube-scheduler does around each decision.

`machine.py` is the way in. It keeps a queue of pods (`podium.scheduler.queue`) and a snapshot with the
cycle that decides over it (`podium.scheduler.scheduler`), follows the cluster by watch events
(`event_handlers.py`), decides one pod per wake-up, and carries decisions out by effects whose
outcomes come later: bindings (`binding_cycle.py`), preemptions (`preemption.py`), and what is
written into a pod's status (`api_dispatcher.py`).
"""
