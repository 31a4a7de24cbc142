"""The scheduler process of a real cluster: what `podium scheduler` adds to the scheduler's machine.

The machine is that of `podium up` and `podium simulate`; the live driver runs it over HTTP. This
package adds leader election (`leader_election.py`), limits and retries of calls (`call_queue.py`,
`retrying_api.py`), probes and metrics (`health_server.py`, `process_metrics.py`), the judgement of
another scheduler (`shadow.py`), and an orderly end (`scheduler_process.py`).
"""
