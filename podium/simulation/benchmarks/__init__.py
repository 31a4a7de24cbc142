"""Workloads of kube-scheduler's performance suite, measured in process, on a server, or live."""
