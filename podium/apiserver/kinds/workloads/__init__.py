"""Deployments, DaemonSets, StatefulSets, Jobs and CronJobs as the API server serves them."""
