"""The annotation by which a pod says what its deletion costs."""

import re

from podium.api.objects import Object, annotations
from podium.api.values.integers import INT32, parse_int

DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"

# As upstream reads it: no plus sign, no leading zeros.
_WHOLE_NUMBER = re.compile("0|-?[1-9][0-9]*", re.ASCII)


def parse_cost(text: str) -> int | None:
    """The cost that an annotation states; None if it isn't an integer of 32 bits."""
    return parse_int(text, INT32) if _WHOLE_NUMBER.fullmatch(text) else None


def deletion_cost(pod: Object) -> int:
    """The cost that the pod's annotation puts on its deletion; 0 if there is none to be read."""
    return parse_cost(annotations(pod).get(DELETION_COST, "0")) or 0
