"""The reconcile loop of controllers and kubelets: dirty keys, retries, delays, indexed objects."""
