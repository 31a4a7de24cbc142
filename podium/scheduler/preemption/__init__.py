"""Preemption as kube-scheduler v1.36 does it; what Kubernetes doesn't have is in `policies/`.

`eligibility` says whether a pod may preempt, `victim_table` which pods could go in which order
(`victim_order`, `go_sort`), `dry_run` on which nodes that helps, `candidates` how many of them are
looked at, and `choice` which one is taken. The plugin DefaultPreemption puts these together with
the policies that options enable (`policy` is their protocol), and `result` is its answer.
"""
