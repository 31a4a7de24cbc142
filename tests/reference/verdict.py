"""What a scalar twin says of one node: a code and reasons, or None if the pod fits."""

Verdict = tuple[str, tuple[str, ...]] | None

UNSCHEDULABLE = "Unschedulable"
UNRESOLVABLE = "UnschedulableAndUnresolvable"
