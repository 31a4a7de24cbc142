"""The controllers of kube-controller-manager, as state machines."""
