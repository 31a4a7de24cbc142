"""kube-apiserver's internal types, which some error messages use to quote objects.

Their fields differ from the API's in names and order, and are all present.
"""

from podium.apiserver.internals.internal_form import difference, internal

__all__ = ["difference", "internal"]
