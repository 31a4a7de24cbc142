"""The aggregation of ClusterRoles, as by v1.36's `clusterrole-aggregation-controller`.

A role with an `aggregationRule` gets the rules of all roles that its selectors match, sorted by the
roles' names, each rule once.
"""

from collections.abc import Hashable, Iterator, Sequence

from podium.api.objects import Object, entries, labels, name, part, place_of
from podium.api.selectors.labels import label_selector
from podium.machines.effects import Effect, patch_of
from podium.machines.events import Change
from podium.machines.reconciler.reconciler import Reconciler

_KIND = "ClusterRole"


class ClusterRoleAggregationController(Reconciler):
    """Fills in the rules of aggregated ClusterRoles."""

    name = "clusterrole-aggregation-controller"
    kinds = frozenset({_KIND})

    def keys_of(self, change: Change, before: Object | None) -> Iterator[Hashable]:
        yield from (place_of(role) for role in self.objects.all(_KIND) if _selectors(role))

    def reconcile(self, key: Hashable, now_s: float) -> Sequence[Effect]:
        role = self.objects.at(_KIND, key)
        if role is None or not _selectors(role):
            return ()
        rules: list[Object] = []
        others = sorted(self.objects.all(_KIND), key=name)
        for selector in map(label_selector, _selectors(role)):
            for other in others:
                if name(other) != name(role) and selector.matches(labels(other)):
                    rules += (rule for rule in other.get("rules") or () if rule not in rules)
        is_same = rules == entries(role, "rules")
        return () if is_same else (patch_of(_KIND, role, {"rules": rules}),)


def _selectors(role: Object) -> Sequence[Object]:
    return entries(part(role, "aggregationRule"), "clusterRoleSelectors")
