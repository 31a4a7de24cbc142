"""kube-scheduler v1.36: decisions over a snapshot of the cluster, and a state machine around."""
