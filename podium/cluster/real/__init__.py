"""The scheduler process of a real cluster, as run by `podium scheduler`.

The scheduler's state machine is that of `podium up` and `podium simulate`; the live driver runs it
over HTTP. This package adds leader election (`leader_election.py`), limits and retries of calls
(`call_queue.py`, `retrying_api.py`), health checks and metrics (`health_server.py`,
`process_metrics.py`), the comparison with another scheduler (`shadow.py`), and an orderly shutdown
(`scheduler_process.py`).
"""
