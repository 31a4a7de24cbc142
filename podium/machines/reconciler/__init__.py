"""The reconcile loop of controllers and kubelets: dirty keys, retries, delays, and an index of objects."""
