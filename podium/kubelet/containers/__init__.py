"""The containers of a pod, their probes, and the pod worker that runs them."""
