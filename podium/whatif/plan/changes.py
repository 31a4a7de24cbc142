"""The kinds of changes that a plan can make, and their parsers."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import msgspec

from podium.api.errors import PodiumError
from podium.api.kinds.snapshot_kinds import DECISIVE_KINDS, Identity, decisive, label
from podium.api.objects import Object
from podium.api.values.message_words import count, likely_meant
from podium.api.workloads import TEMPLATED
from podium.simulation.scenario.drain_step import Drain

_SCALED = ("Deployment", "ReplicaSet", "StatefulSet", "ReplicationController")
_RESTARTED = ("Deployment", "StatefulSet", "DaemonSet")
_FORCE = "force"
_REPLICAS_MAX = 2**31 - 1
_SHAPE = "KIND/NAME or NAMESPACE/KIND/NAME"

WORKLOADS = frozenset({*TEMPLATED, "CronJob"})
"""Kinds with a template of pods, or of Jobs."""

# By all spellings that kubectl knows, with and without the group.
_KINDS = {
    name + group: kind
    for kind in DECISIVE_KINDS.values()
    for name in (kind.singular, kind.plural, *kind.short_names)
    for group in ("", f".{kind.group}" if kind.group else "")
}


class ChangeTarget(NamedTuple):
    """The identity of an object to change; the namespace is empty if its kind has none."""

    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return label(self)


def parse_target(text: str, namespace: str, option: str = "--delete") -> ChangeTarget:
    """Parse `[NAMESPACE/]KIND/NAME`, with kubectl's spellings of the kind; raises PodiumError."""
    parts = text.split("/")
    if len(parts) not in (2, 3) or not all(parts):
        raise PodiumError(f"{option} {text}: expected {_SHAPE}, such as deployment/web")
    *places, kind_name, name = parts
    kind = _KINDS.get(kind_name.lower())
    if kind is None:
        names = ", ".join(sorted(kind.singular for kind in DECISIVE_KINDS.values()))
        raise PodiumError(f"{option} {text}: there is no kind {kind_name}; known are {names}")
    if not kind.namespaced:
        if places:
            raise PodiumError(f"{option} {text}: a {kind.name} stands in no namespace")
        return ChangeTarget(kind.key, "", name)
    return ChangeTarget(kind.key, places[0] if places else namespace, name)


def parse_workload(text: str, namespace: str) -> ChangeTarget | None:
    """Parse `KIND/NAME` or `NAMESPACE/KIND/NAME`; None if the kind isn't a workload's."""
    *places, kind_name, name = ["", *text.split("/")]
    kind = _KINDS.get(kind_name.lower())
    if kind is None or kind.name not in WORKLOADS or len(places) > 2 or not name:
        return None
    return ChangeTarget(kind.key, places[-1] if len(places) == 2 else namespace, name)


@dataclass(frozen=True)
class Apply:
    """Applies manifests, as `kubectl apply` does."""

    manifests: Sequence[Object]

    @cached_property
    def by_identity(self) -> Mapping[Identity, Object]:
        """The manifests that scheduling decisions depend on, by identity."""
        return decisive(self.manifests)


class Delete(msgspec.Struct, frozen=True):
    """Deletes an object as `kubectl delete` does, or as `kubectl delete --force` does a pod."""

    target: ChangeTarget
    is_forced: bool = False


class Cordon(msgspec.Struct, frozen=True):
    """Makes a node unschedulable, or schedulable again."""

    node: str
    is_cordoned: bool = True


class Fail(msgspec.Struct, frozen=True):
    """Makes a node fail: its kubelet stops responding."""

    node: str


class Scale(msgspec.Struct, frozen=True):
    """Sets the replicas of a workload, as `kubectl scale` does."""

    target: ChangeTarget
    replicas: int


class Restart(msgspec.Struct, frozen=True):
    """Replaces the pods of a workload, as `kubectl rollout restart` does."""

    target: ChangeTarget


Change = Apply | Delete | Cordon | Drain | Fail | Scale | Restart


def words(change: Change) -> str:
    """Describe a change in the words of the command line."""
    match change:
        case Apply():
            return f"apply {count(len(change.manifests), 'object')}"
        case Delete():
            return f"delete {change.target}{' by force' if change.is_forced else ''}"
        case Cordon():
            return f"{'cordon' if change.is_cordoned else 'uncordon'} {change.node}"
        case Drain():
            return f"drain {change.node}"
        case Fail():
            return f"fail {change.node}"
        case Scale():
            return f"scale {change.target} to {change.replicas}"
        case Restart():
            return f"restart {change.target}"


def parse_delete(text: str, namespace: str) -> Delete:
    """Parse `[NAMESPACE/]KIND/NAME`; `:force` may follow the name of a pod; raises PodiumError."""
    named = text.removesuffix(f":{_FORCE}")
    target, is_forced = parse_target(named, namespace), named != text
    if is_forced and target.kind != "Pod":
        raise PodiumError(f"--delete {text}: only a pod is deleted by force")
    return Delete(target, is_forced)


def parse_drain(text: str, _namespace: str) -> Drain:
    """Parse `NODE`, or `NODE:force` to evict also pods without a controller; raises PodiumError."""
    name, colon, option = text.partition(":")
    if colon and option != _FORCE:
        raise PodiumError(f"--drain {text}: must be NODE or NODE:{_FORCE}")
    node = _node(name, "--drain")
    return Drain(node=node, force=option == _FORCE, delete_empty_dir_data=True)


def _parse_scale(text: str, namespace: str) -> Scale:
    where, equals, number = text.rpartition("=")
    if not equals or not number.isascii() or not number.isdigit() or len(number) > 10:
        raise PodiumError(f"--scale {text}: expected KIND/NAME=REPLICAS, such as deploy/web=10")
    if int(number) > _REPLICAS_MAX:
        raise PodiumError(f"--scale {text}: must be no more than {_REPLICAS_MAX} replicas")
    return Scale(_workload(where, namespace, "--scale", _SCALED), int(number))


PARSERS: dict[str, Callable[[str, str], Change]] = {
    "delete": parse_delete,
    "delete_node": lambda text, _: Delete(ChangeTarget("Node", "", _node(text, "--delete-node"))),
    "cordon": lambda text, _: Cordon(_node(text, "--cordon")),
    "uncordon": lambda text, _: Cordon(_node(text, "--uncordon"), is_cordoned=False),
    "drain": parse_drain,
    "scale": _parse_scale,
    "restart": lambda text, namespace: Restart(_workload(text, namespace, "--restart", _RESTARTED)),
}
"""Parsers of changes, by the name of the option; each takes a text and the default namespace."""


def check(changes: Sequence[Change], state: Collection[Identity]) -> None:
    """Check that each object to change is in the state, or created before; raises PodiumError."""
    missing = []
    is_there: dict[Identity, bool] = {}
    for change in changes:
        if isinstance(change, Apply):
            is_there.update(dict.fromkeys(change.by_identity, True))
            continue
        if isinstance(change, Cordon | Drain | Fail):
            target = ChangeTarget("Node", "", change.node)
        else:
            target = change.target
        if not is_there.get(target, target in state):
            verb = words(change).partition(" ")[0]
            of_kind = [target.kind, target.namespace]
            others = (one for *place, one in (*state, *is_there) if place == of_kind)
            missing.append(
                f"--{verb}: the state has no {target}{likely_meant(target.name, others)}"
            )
        if isinstance(change, Delete):
            is_there[target] = False
    if missing:
        raise PodiumError("\n".join(missing))


def _node(text: str, option: str) -> str:
    name = text.removeprefix("node/").removeprefix("no/")
    if not name or "/" in name:
        raise PodiumError(f"{option} {text}: expected the name of a node")
    return name


def _workload(text: str, namespace: str, option: str, kinds: Sequence[str]) -> ChangeTarget:
    target = parse_target(text, namespace, option)
    if target.kind not in kinds:
        raise PodiumError(f"{option} {text}: must be a {', '.join(kinds[:-1])} or {kinds[-1]}")
    return target
