"""Kinds that only travel: bodies of requests and answers that nobody stores."""

from collections.abc import Mapping

from podium.api.kinds import Kind

BINDING = Kind("", "Binding", "bindings")
EVICTION = Kind("policy", "Eviction", "evictions", also=(("policy", "v1beta1"),))
SCALE = Kind("autoscaling", "Scale", "scales")
DELETE_OPTIONS = Kind("meta.k8s.io", "DeleteOptions", "deleteoptions", namespaced=False)

_AUTHORIZATION, _AUTHENTICATION = "authorization.k8s.io", "authentication.k8s.io"

REVIEWS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind(_AUTHORIZATION, "LocalSubjectAccessReview", "localsubjectaccessreviews"),
        Kind(_AUTHORIZATION, "SelfSubjectAccessReview", "selfsubjectaccessreviews", False),
        Kind(_AUTHORIZATION, "SelfSubjectRulesReview", "selfsubjectrulesreviews", False),
        Kind(_AUTHORIZATION, "SubjectAccessReview", "subjectaccessreviews", False),
        Kind(_AUTHENTICATION, "SelfSubjectReview", "selfsubjectreviews", False),
    )
}
"""Questions by their kind: to create one is to ask it, and the answer is all that there is."""

BODIES = (BINDING, EVICTION, SCALE, DELETE_OPTIONS, *REVIEWS.values())
"""All of them."""
