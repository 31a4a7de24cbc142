"""How far a rollout may go beyond the wanted number of pods, and how far below."""

from podium.api.integers import scaled
from podium.api.objects import Object
from podium.controllers.kit.workloads import replicas_of

NO_DEADLINE_S = 2**31 - 1
"""The progress deadline that stands for none."""


def is_rolling(deployment: Object) -> bool:
    """Whether pods are replaced little by little, not all at once."""
    return bool(_strategy(deployment).get("type") != "Recreate")


def max_surge(deployment: Object) -> int:
    """How many more pods than wanted there may be; percentages are rounded up."""
    if not is_rolling(deployment):
        return 0
    return _resolved(deployment, "maxSurge", up=True)


def max_unavailable(deployment: Object) -> int:
    """How many of the wanted pods may be unavailable; percentages are rounded down.

    It is one where neither this nor the surge would let the rollout begin.
    """
    replicas = replicas_of(deployment)
    if not is_rolling(deployment) or not replicas:
        return 0
    unavailable = _resolved(deployment, "maxUnavailable", up=False)
    if not unavailable and not max_surge(deployment):
        return 1
    return min(unavailable, replicas)


def progress_deadline_s(deployment: Object) -> int | None:
    """After how long without progress a rollout has failed; None if never."""
    deadline_s = deployment["spec"].get("progressDeadlineSeconds")
    return None if deadline_s is None or deadline_s == NO_DEADLINE_S else int(deadline_s)


def _strategy(deployment: Object) -> Object:
    return deployment["spec"].get("strategy") or {}


def _resolved(deployment: Object, field: str, *, up: bool) -> int:
    bound = (_strategy(deployment).get("rollingUpdate") or {}).get(field) or 0
    return scaled(bound, replicas_of(deployment), rounds_up=up)
