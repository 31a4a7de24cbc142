"""What is used of a quota, counted from nothing; running counts are held to it."""

from collections.abc import Callable, Iterable

from podium.api.kinds.builtin_kinds import Kind
from podium.api.objects import Object, spec_of
from podium.api.policy.quota_usage import (
    NONE,
    Quantities,
    added,
    is_counted,
    masked,
    matches,
    read,
    tracked,
    usage,
)


def total_usage(
    quota: Object,
    objects_of: Callable[[Kind], Iterable[Object]],
    kinds: Iterable[Kind],
    now_s: float,
) -> Quantities:
    """What is used of a quota, counted anew.

    Args:
        quota: the quota; what its spec limits is counted.
        objects_of: the objects of a kind in the quota's namespace.
        kinds: all kinds that there are.
        now_s: the time, in seconds since the epoch.
    """
    hard = read(spec_of(quota).get("hard"))
    total = dict.fromkeys(hard, NONE)
    for kind in kinds:
        if not is_counted(kind) or not tracked(kind, hard):
            continue
        for obj in objects_of(kind):
            if matches(quota, kind, obj, hard):
                total = added(total, masked(usage(kind, obj, now_s), hard))
    return total
