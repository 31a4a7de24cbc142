"""An API server over HTTP: kubeconfigs, calls, lists and watches for drivers."""
