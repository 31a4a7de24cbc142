"""Objects as they will be once decisions have been carried out: upstream's assume cache.

A plugin that reserves something writes it into the listers, so that the next pod sees it, and
takes it back if the pod isn't bound after all. An object that has been replaced meanwhile, because
the API told of a newer one, is left alone.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from podium.api.meta import name, namespace
from podium.core.listers import CLUSTER_SCOPED, Listers

Object = Mapping[str, Any]
Change = tuple[Object, Object]


class AssumedObjects:
    """Changes of objects, by the pod for which they were assumed.

    Args:
        listers: where the objects are.
    """

    def __init__(self, listers: Listers) -> None:
        self._listers = listers
        self._changes: dict[str, list[Change]] = {}

    def assume(self, pod_key: str, changes: Iterable[Change]) -> None:
        """Replace objects: pairs of what is there and what to assume."""
        self._forget_replaced()
        listed = list(changes)
        for _, after in listed:
            self._listers.set(after)
        if listed:
            self._changes[pod_key] = listed

    def of(self, pod_key: str) -> list[Object]:
        """What was assumed for a pod, and still is there as assumed."""
        return [after for _, after in self._changes.get(pod_key, ()) if self._is_there(after)]

    def revert(self, pod_key: str) -> None:
        """Take back what was assumed for a pod, if anything."""
        for before, after in self._changes.pop(pod_key, ()):
            if self._is_there(after):
                self._listers.set(before)

    def _forget_replaced(self) -> None:
        self._changes = {
            pod_key: changes
            for pod_key, changes in self._changes.items()
            if any(self._is_there(after) for _, after in changes)
        }

    def _is_there(self, obj: Object) -> bool:
        place = "" if obj["kind"] in CLUSTER_SCOPED else namespace(obj)
        return self._listers.get(obj["kind"], name(obj), place) is obj
