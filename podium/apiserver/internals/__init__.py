"""kube-apiserver's internal types, which some error messages use to quote objects."""

from podium.apiserver.internals.internal_form import difference, internal

__all__ = ["difference", "internal"]
