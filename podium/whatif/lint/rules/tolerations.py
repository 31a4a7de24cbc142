"""Rules about tolerations."""

from collections.abc import Iterator

from podium.api.objects import Object
from podium.api.pod_specs import tolerations_of
from podium.api.taints import NO_EXECUTE, tolerates
from podium.whatif.lint.cluster_view import ClusterView
from podium.whatif.lint.rule import Offence, Rule
from podium.whatif.lint.workload_reader import Workload

_NOT_READY, _UNREACHABLE = "node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"


@Rule
def tolerates_everything(view: ClusterView) -> Iterator[Offence]:
    """A toleration of pods that aren't a DaemonSet's has no key."""
    for workload, place, one in _tolerations(view):
        if _is_of_every_key(one):
            which = f"every taint with {one['effect']}" if one.get("effect") else "every taint"
            yield Offence(workload.obj, f"its pods tolerate {which}", place)


@Rule
def stays_on_failed_node(view: ClusterView) -> Iterator[Offence]:
    """A toleration that names the taint of a failing node has no end."""
    failing = [{"key": key, "effect": NO_EXECUTE} for key in (_NOT_READY, _UNREACHABLE)]
    for workload, place, one in _tolerations(view):
        named = [taint["key"] for taint in failing if tolerates(one, taint)]
        if named and one.get("tolerationSeconds") is None and not _is_of_every_key(one):
            yield Offence(workload.obj, f"its pods tolerate {named[0]} forever", place)


def _tolerations(view: ClusterView) -> Iterator[tuple[Workload, str, Object]]:
    for workload in view.workloads:
        if workload.kind != "DaemonSet":
            for index, one in enumerate(tolerations_of(workload.spec)):
                yield workload, f"{workload.path}.tolerations[{index}]", one


def _is_of_every_key(toleration: Object) -> bool:
    return not toleration.get("key") and toleration.get("operator") == "Exists"
