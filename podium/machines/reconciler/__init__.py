"""The reconcile loop of controllers and kubelets: work queue, retries, delays and indexer."""
