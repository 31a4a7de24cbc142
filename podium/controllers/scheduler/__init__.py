"""The scheduler as a state machine: what kube-scheduler does around each decision.

`machine.py` is the way in. It keeps a queue of pods (`podium.core.queue`) and a snapshot with the
cycle that decides over it (`podium.scheduler`), follows the cluster by watch events
(`following.py`), decides one pod per wake-up (`cycling.py`), and carries decisions out by effects
whose outcomes come later: bindings (`binding.py`), preemptions (`preempting.py`), and what is
written into a pod's status (`pod_calls.py`).
"""
