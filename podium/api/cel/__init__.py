"""The Common Expression Language (CEL), as Kubernetes v1.36 evaluates selectors of devices."""
