"""A real cluster, scheduled through its API server: what `podium scheduler` adds to the machine.

The scheduler's machine is the one of `podium up` and `podium simulate`, and the live driver runs it
over HTTP. Here is what only a real cluster asks for: several schedulers agree on the one that
schedules (`leader_election.py`), calls are limited and repeated with care (`call_room.py`,
`retrying_api.py`), the process tells how it is (`health_server.py`, `process_metrics.py`), and
comes to an end in order (`scheduler_process.py`).
"""
