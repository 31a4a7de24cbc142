"""The containers of a pod, their probes and their pod worker."""
