"""Pods, pod templates and pod groups as the API server serves them."""
