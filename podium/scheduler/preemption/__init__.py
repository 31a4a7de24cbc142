"""Preemption as in kube-scheduler v1.36, and policies that Kubernetes doesn't have.

`victim_table` orders potential victims (by `victim_order` and `go_sort`), `dry_run` finds candidate
nodes, and `choice` compares them. The plugin DefaultPreemption combines these modules with the
policies that options enable; `policy` has the protocol of policies.
"""
