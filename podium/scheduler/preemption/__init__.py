"""Preemption as kube-scheduler v1.36 does it; what Kubernetes doesn't have is in `policies/`.

`victim_table` says which pods could go in which order (`victim_order`, `go_sort`), `dry_run` on
which nodes that helps, and `choice` which one is taken. The plugin DefaultPreemption says whether a
pod may preempt, and puts these together with the policies that options enable (`policy` is their
protocol).
"""
