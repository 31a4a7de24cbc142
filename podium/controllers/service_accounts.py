"""The controller of default service accounts: `serviceaccount` in v1.36."""

from collections.abc import Hashable, Iterator, Sequence

from podium.api.objects import Object, is_terminating, name, namespace
from podium.machines.effects import Create, Effect
from podium.machines.events import Change
from podium.machines.reconciler.reconciler import Reconciler

_NAMESPACE, _KIND, _DEFAULT = "Namespace", "ServiceAccount", "default"


class ServiceAccountsController(Reconciler):
    """Creates the service account `default` in each namespace."""

    name = "serviceaccount-controller"
    kinds = frozenset({_NAMESPACE, _KIND})

    def keys_of(self, change: Change, before: Object | None) -> Iterator[Hashable]:
        yield name(change.obj) if change.kind == _NAMESPACE else namespace(change.obj)

    def reconcile(self, key: Hashable, now_s: float) -> Sequence[Effect]:
        place = self.objects.get(_NAMESPACE, str(key))
        if place is None or is_terminating(place):
            return ()
        if self.objects.get(_KIND, _DEFAULT, str(key)) is not None:
            return ()
        metadata = {"name": _DEFAULT, "namespace": str(key)}
        account = {"apiVersion": "v1", "kind": _KIND, "metadata": metadata}
        return (Create(kind=_KIND, obj=account),)
