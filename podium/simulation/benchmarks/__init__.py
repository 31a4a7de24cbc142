"""Workloads of kube-scheduler's performance suite, and a runner that measures them in process."""
