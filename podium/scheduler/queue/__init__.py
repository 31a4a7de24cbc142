"""The scheduling queue of kube-scheduler v1.36 as a data structure: who is tried next, and when.

`scheduling_queue.py` is the way in. Pods that may be tried wait in a heap (`heap.py`), pods that
were tried too recently wait out their backoff (`backoff.py`), pods that were rejected or are gated
wait for an event that may help them (`unschedulable.py`, `hints.py`), and what happens while a pod
is being tried is kept until it comes back (`in_flight.py`). `queue_events.py` says what an update
of a pod or a node amounts to.

Time is an argument, nothing runs by itself: `next_wakeup_s` says when `flush` has work to do.
"""

from podium.scheduler.queue.hints import QueueProfile
from podium.scheduler.queue.queued_pod import QueuedPod, QueueName
from podium.scheduler.queue.scheduling_queue import SchedulingQueue

__all__ = ["QueueName", "QueueProfile", "QueuedPod", "SchedulingQueue"]
