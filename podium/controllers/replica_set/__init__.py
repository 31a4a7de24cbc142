"""The ReplicaSet controller, and that of ReplicationControllers."""
