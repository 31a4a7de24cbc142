"""How kube-apiserver writes its own structures, which some refusals quote.

Inside, it has types of its own: fields are named and ordered otherwise than in the API, and none
is left out.
"""

from podium.apiserver.internals.internal_form import difference, internal

__all__ = ["difference", "internal"]
