"""The quota controller: keeps the usage of each ResourceQuota in its status.

Admission adds created objects to the usage. Like v1.36's `resourcequota` controller, this one
recomputes all usage every five minutes, and in between adjusts it as objects change.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence

import msgspec

from podium.api.kinds.builtin_kinds import KINDS, Kind
from podium.api.kinds.custom_kinds import DEFINITION
from podium.api.objects import Object, Place, place_of, spec_of, status_of
from podium.api.policy.quota_usage import (
    NONE,
    Quantities,
    is_counted,
    masked,
    matches,
    read,
    tracked,
    usage,
    written,
)
from podium.machines.effects import Effect, Replace
from podium.machines.events import Change
from podium.machines.reconciler.indexer import KnownKinds, by_namespace
from podium.machines.reconciler.reconciler import Reconciler

RESYNC_S = 300.0
_QUOTA = "ResourceQuota"
_COUNTED = tuple(kind for kind in KINDS.values() if is_counted(kind))


class _Count(msgspec.Struct):
    # The usage of one quota: the sum of what each object uses of it, by kind and place.

    hard: frozenset[str]
    kinds: frozenset[str]
    total: Quantities
    at_s: float
    parts: dict[tuple[str, Place], Quantities] = msgspec.field(default_factory=dict)

    def put(self, item: tuple[str, Place], part: Quantities) -> bool:
        """Set the usage of an object; return whether the sum changes."""
        before = self.parts.pop(item, {})
        if part:
            self.parts[item] = part
        if before == part:
            return False
        for name, amount in before.items():
            self.total[name] -= amount
        for name, amount in part.items():
            self.total[name] += amount
        return True


class ResourceQuotaController(Reconciler):
    """Keeps the statuses of ResourceQuotas up to date."""

    name = "resourcequota-controller"
    kinds = frozenset({DEFINITION.key, *(kind.key for kind in _COUNTED)})
    indexes = tuple(by_namespace(kind.key) for kind in _COUNTED)

    def __init__(self) -> None:
        super().__init__()
        self._known = KnownKinds()
        self._counts: dict[Hashable, _Count] = {}

    def keys_of(self, change: Change, before: Object | None) -> Iterator[Hashable]:
        if change.kind == DEFINITION.key:
            new_kind = self._known.learn(change)
            if new_kind is not None and is_counted(new_kind):
                # Quotas may count objects of the kind that has just been defined.
                self.objects.add_index(*by_namespace(new_kind.key))
                self.kinds |= {new_kind.key}
                self._counts.clear()
                yield from map(place_of, self.objects.all(_QUOTA))
            return
        obj = change.obj
        place = place_of(obj)
        if change.kind == _QUOTA:
            yield place
        for quota in self.objects.by(_QUOTA, "namespace", place[0]):
            count = self._counts.get(place_of(quota))
            if count is None or change.kind not in count.kinds:
                continue
            kind, now = self._known.named(change.kind), self.objects.at(change.kind, place)
            part = {} if now is None else _part(count, quota, kind, now, self._now_s)
            if count.put((change.kind, place), part):
                yield place_of(quota)

    def reconcile(self, key: Hashable, now_s: float) -> Sequence[Effect]:
        quota = self.objects.at(_QUOTA, key)
        if quota is None:
            self._counts.pop(key, None)
            return ()
        hard: Mapping[str, str] = spec_of(quota).get("hard") or {}
        count = self._counts.get(key)
        if count is None or count.hard != hard.keys() or now_s >= count.at_s + RESYNC_S:
            kinds = [kind for kind in self._known if is_counted(kind) and tracked(kind, hard)]
            count = self._counts[key] = _Count(
                hard=frozenset(hard),
                kinds=frozenset(kind.key for kind in kinds),
                total=dict.fromkeys(hard, NONE),
                at_s=now_s,
            )
            for kind in kinds:
                for obj in self.objects.by(kind.key, "namespace", place_of(quota)[0]):
                    count.put((kind.key, place_of(obj)), _part(count, quota, kind, obj, now_s))
            self.look_again(key, now_s + RESYNC_S)
        status = status_of(quota)
        known = status.get("used")
        has_limits = read(status.get("hard")) == read(hard)
        if has_limits and known is not None and read(known) == count.total:
            return ()
        used = {"hard": hard, "used": written(count.total)}
        return [Replace(kind=_QUOTA, obj={**quota, "status": used}, subresource="status")]


def _part(count: _Count, quota: Object, kind: Kind, obj: Object, now_s: float) -> Quantities:
    counts = matches(quota, kind, obj, count.hard)
    return masked(usage(kind, obj, now_s), count.hard) if counts else {}
