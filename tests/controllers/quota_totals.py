"""What is used of a quota, counted from nothing; running counts are held to it."""

from collections.abc import Callable, Iterable

from podium.api.kinds.builtin_kinds import Kind
from podium.api.objects import Object, spec_of
from podium.api.policy import quota_usage


def total_usage(
    quota: Object,
    objects_of: Callable[[Kind], Iterable[Object]],
    kinds: Iterable[Kind],
    now_s: float,
) -> quota_usage.Quantities:
    """What is used of a quota, counted anew.

    Args:
        quota: the quota; what its spec limits is counted.
        objects_of: the objects of a kind in the quota's namespace.
        kinds: all kinds that there are.
        now_s: the time, in seconds since the epoch.
    """
    hard = quota_usage.read(spec_of(quota).get("hard"))
    total = dict.fromkeys(hard, quota_usage.NONE)
    for kind in kinds:
        if not quota_usage.is_counted(kind) or not quota_usage.tracked(kind, hard):
            continue
        for obj in objects_of(kind):
            if quota_usage.matches(quota, kind, obj, hard):
                total = quota_usage.added(
                    total, quota_usage.masked(quota_usage.usage(kind, obj, now_s), hard)
                )
    return total
