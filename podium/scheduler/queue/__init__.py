"""The scheduling queue of kube-scheduler v1.36 as a data structure.

Start with `scheduling_queue.py`. Active pods wait in a heap (`heap.py`), failed pods until their
backoff ends (`backoff.py`), rejected and gated pods for an event (`unschedulable.py`, `hints.py`).
Events during an attempt are kept until the attempt ends (`in_flight.py`). Time is an argument:
`next_wakeup_s` returns when to call `flush`.
"""
