"""HTTP client of an API server: kubeconfigs, calls, lists and watches."""
