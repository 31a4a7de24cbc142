"""Kinds that only travel: bodies of requests and answers that nobody stores."""

from podium.api.kinds import Kind

BINDING = Kind("", "Binding", "bindings")
EVICTION = Kind("policy", "Eviction", "evictions", also=(("policy", "v1beta1"),))
SCALE = Kind("autoscaling", "Scale", "scales")
DELETE_OPTIONS = Kind("meta.k8s.io", "DeleteOptions", "deleteoptions", namespaced=False)

BODIES = (BINDING, EVICTION, SCALE, DELETE_OPTIONS)
