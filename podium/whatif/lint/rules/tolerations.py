"""Rules about tolerations."""

from collections.abc import Iterator

from podium.api.objects import Object
from podium.api.pod_specs import tolerations_of
from podium.api.taints import NO_EXECUTE, tolerates
from podium.whatif.lint.cluster_view import ClusterView
from podium.whatif.lint.rule import Offence, rule
from podium.whatif.lint.severity import Severity
from podium.whatif.lint.thresholds import Thresholds
from podium.whatif.lint.workload_reader import Workload

_NOT_READY, _UNREACHABLE = "node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"


@rule(
    "tolerates-everything",
    Severity.WARNING,
    "Pods tolerate every taint",
    reason=(
        "Taints keep pods off nodes that are reserved, under pressure, being drained or broken. "
        "These pods go there all the same, and stay when all others leave."
    ),
    fix="Tolerate the taints that are meant, by their keys. Agents that belong on every node are "
    "DaemonSets, to which the rule doesn't apply.",
)
def tolerates_everything(view: ClusterView, _: Thresholds) -> Iterator[Offence]:
    """A toleration of pods that aren't a DaemonSet's has no key."""
    for workload, place, one in _tolerations(view):
        if _is_of_every_key(one):
            which = f"every taint with {one['effect']}" if one.get("effect") else "every taint"
            yield Offence(workload.obj, f"its pods tolerate {which}", place)


@rule(
    "stays-on-failed-node",
    Severity.WARNING,
    "Pods stay on a node that has failed",
    reason=(
        "They tolerate forever that their node isn't ready or can't be reached. So they aren't "
        "replaced when it is lost."
    ),
    fix="Give the toleration `tolerationSeconds`, or leave it out: pods get one of five minutes.",
)
def stays_on_failed_node(view: ClusterView, _: Thresholds) -> Iterator[Offence]:
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
