"""What is filled into limit ranges and quotas."""

from podium.api.objects import Object
from podium.apiserver.defaulting.amounts import amounts
from podium.apiserver.defaulting.copying import each, inside

_LISTS = ("max", "min", "default", "defaultRequest", "maxLimitRequestRatio")


def limit_range(limit_range: Object) -> Object:
    """A LimitRange: what containers are limited to and request follows from the bounds."""

    def spec(spec: Object) -> Object:
        return inside(spec, limits=each(_limit))

    return inside(limit_range, spec=spec)


def _limit(limit: Object) -> Object:
    limit = inside(limit, **dict.fromkeys(_LISTS, amounts))
    if limit.get("type") != "Container":
        return limit
    default = {**(limit.get("max") or {}), **(limit.get("default") or {})}
    request = {**(limit.get("min") or {}), **default, **(limit.get("defaultRequest") or {})}
    filled = {
        name: value
        for name, value in (("default", default), ("defaultRequest", request))
        if value != (limit.get(name) or {})
    }
    return {**limit, **filled} if filled else limit


def resource_quota(quota: Object) -> Object:
    """A ResourceQuota."""
    return inside(
        quota,
        spec=lambda spec: inside(spec, hard=amounts),
        status=lambda status: inside(status, hard=amounts, used=amounts),
    )
