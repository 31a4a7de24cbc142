"""What a scalar twin says of one node: a code and reasons, or None if the pod fits."""

from collections.abc import Mapping
from typing import Any

Object = Mapping[str, Any]
Verdict = tuple[str, tuple[str, ...]] | None

UNSCHEDULABLE = "Unschedulable"
UNRESOLVABLE = "UnschedulableAndUnresolvable"
