"""Carries out the actions of a scenario's users, as calls of the API."""

from collections.abc import Mapping

from msgspec.structs import replace

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import name, spec_of
from podium.apiserver.attributes import Attributes
from podium.apiserver.decoding import PatchType
from podium.apiserver.server import DeleteOptions, PatchRequest
from podium.cluster.virtual import Cluster
from podium.cluster.virtual.kubectl_apply import apply
from podium.simulation.runner.drain import Drainer
from podium.simulation.scenario.drain_step import Drain
from podium.simulation.scenario.fields import ActionTarget, FaultRates
from podium.simulation.scenario.steps import Action, Delete, Expect, Merge, ServerSideApply, Taint
from podium.simulation.timeline import Observer

_MANAGER = "podium-simulate"


class ActionRunner:
    """Carries out actions of users, and remembers their drains."""

    def __init__(self, cluster: Cluster, observer: Observer) -> None:
        self._cluster = cluster
        self._server = cluster.server
        self._driver = cluster.driver
        self._observer = observer
        self._drainers: dict[str, Drainer] = {}

    def drain_states(self) -> Mapping[str, str]:
        return {node: drainer.state for node, drainer in self._drainers.items()}

    def act(self, action: Action) -> None:
        """Carry an action out, now; raises RefusedError if the API turns it down."""
        match action:
            case ServerSideApply():
                for obj in action.objects:
                    written = apply(self._cluster, obj, _MANAGER)
                    about = (
                        str(obj["kind"]),
                        str(obj["metadata"].get("namespace") or ""),
                        name(obj),
                    )
                    self._observer.note("Applied", {"created": written.created}, about=about)
            case Delete():
                how = DeleteOptions(grace_period_s=action.grace_period_s)
                for target in action.objects:
                    self._find(target)
                    self._observer.note("Deleting", about=_about(target))
                    self._server.delete(
                        Attributes(
                            KINDS[target.kind], target.namespace, target.name, self._driver.now_s
                        ),
                        how,
                    )
            case Merge():
                self._change(action)
            case Taint():
                node = self._server.get(KINDS["Node"], "", action.node)
                wanted = (action.taint["key"], action.taint["effect"])
                spec = spec_of(node)
                taints = [
                    one for one in spec.get("taints") or () if (one["key"], one["effect"]) != wanted
                ]
                if not action.removes:
                    taints.append(dict(action.taint))
                tainted = {**node, "spec": {**spec, "taints": taints}}
                self._server.replace(
                    Attributes(KINDS["Node"], "", action.node, self._driver.now_s), tainted
                )
            case Drain():
                drainer = Drainer(self._cluster, self._observer, action)
                self._drainers[action.node] = drainer
                drainer.start()
            case FaultRates():
                rates = action.rates()
                self._driver.faults = replace(self._driver.faults, **rates)
                self._observer.note("FaultsSet", rates)
            case Expect():
                raise ValueError("assertions aren't actions upon the cluster")
        self._observer.look()

    def _change(self, action: Merge) -> None:
        target = action.target
        self._find(target)
        self._observer.note("Changing", {"what": action.words}, about=_about(target))
        request = PatchRequest(PatchType.STRATEGIC, action.body)
        self._server.patch(
            Attributes(KINDS[target.kind], target.namespace, target.name, self._driver.now_s),
            request,
        )

    def _find(self, target: ActionTarget) -> None:
        self._server.get(KINDS[target.kind], target.namespace, target.name)


def _about(target: ActionTarget) -> tuple[str, str, str]:
    return target.kind, target.namespace, target.name
