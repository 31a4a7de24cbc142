"""kube-apiserver's internal types, in which some refusals quote objects.

Their fields have other names and another order than in the API, and are all present.
"""

from podium.apiserver.internals.internal_form import difference, internal

__all__ = ["difference", "internal"]
