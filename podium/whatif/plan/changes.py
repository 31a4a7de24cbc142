"""What can be changed in a plan; changes are made in the order in which they are asked for."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import msgspec

from podium.api.errors import PodiumError
from podium.api.kinds.snapshot_kinds import DECISIVE_KINDS, Identity, decisive, label
from podium.api.objects import Object
from podium.api.values.message_words import likely_meant
from podium.api.workloads import TEMPLATED
from podium.simulation.scenario.drain_step import Drain

_SCALED = ("Deployment", "ReplicaSet", "StatefulSet", "ReplicationController")
_RESTARTED = ("Deployment", "StatefulSet", "DaemonSet")
_FORCE = "force"
_REPLICAS_MAX = 2**31 - 1


_SHAPE = "KIND/NAME or NAMESPACE/KIND/NAME"

WORKLOADS = frozenset({*TEMPLATED, "CronJob"})
"""Kinds that have pods, or have others that have them."""


_KINDS = {
    name + group: kind
    for kind in DECISIVE_KINDS.values()
    for name in (kind.singular, kind.plural, *kind.short_names)
    for group in ("", f".{kind.group}" if kind.group else "")
}
"""By their spellings, with and without their group."""


class TargetError(PodiumError):
    """What was to be changed can't be understood, or isn't there."""


class ChangeTarget(NamedTuple):
    """The identity of an object that a change names; without a namespace if its kind has none."""

    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return label(self)


def parse_target(text: str, namespace: str, option: str = "--delete") -> ChangeTarget:
    """The object that `KIND/NAME` or `NAMESPACE/KIND/NAME` names; raises TargetError.

    Args:
        text: has the kind in any of the spellings of kubectl.
        namespace: the default one.
    """
    parts = text.split("/")
    if len(parts) not in (2, 3) or not all(parts):
        raise TargetError(f"{option} {text}: expected {_SHAPE}, such as deployment/web")
    *places, kind_name, called = parts
    kind = _KINDS.get(kind_name.lower())
    if kind is None:
        names = ", ".join(sorted(kind.singular for kind in DECISIVE_KINDS.values()))
        raise TargetError(f"{option} {text}: there is no kind {kind_name}; known are {names}")
    if not kind.namespaced:
        if places:
            raise TargetError(f"{option} {text}: a {kind.name} stands in no namespace")
        return ChangeTarget(kind.key, "", called)
    return ChangeTarget(kind.key, places[0] if places else namespace, called)


def parse_workload(text: str, namespace: str) -> ChangeTarget | None:
    """The workload that `KIND/NAME` or `NAMESPACE/KIND/NAME` names; None if it isn't one's kind."""
    *places, kind_name, called = ["", *text.split("/")]
    kind = _KINDS.get(kind_name.lower())
    if kind is None or kind.name not in WORKLOADS or len(places) > 2 or not called:
        return None
    return ChangeTarget(kind.key, places[-1] if len(places) == 2 else namespace, called)


@dataclass(frozen=True)
class Apply:
    """Apply manifests, each object once, as `kubectl apply` does."""

    manifests: Sequence[Object]

    @cached_property
    def by_identity(self) -> Mapping[Identity, Object]:
        """Those that decisions depend on."""
        return decisive(self.manifests)


class Delete(msgspec.Struct, frozen=True):
    """Delete an object, as `kubectl delete` does; a pod at once, if by force."""

    target: ChangeTarget
    is_forced: bool = False


class Cordon(msgspec.Struct, frozen=True):
    """Let no more pods onto a node, or let them again."""

    node: str
    is_cordoned: bool = True


class Fail(msgspec.Struct, frozen=True):
    """Have a node fall silent: nothing is heard of it any more."""

    node: str


class Scale(msgspec.Struct, frozen=True):
    """Have a workload want so many pods, as `kubectl scale` does."""

    target: ChangeTarget
    replicas: int


class Restart(msgspec.Struct, frozen=True):
    """Replace a workload's pods, as `kubectl rollout restart` does."""

    target: ChangeTarget


Change = Apply | Delete | Cordon | Drain | Fail | Scale | Restart


def words(change: Change) -> str:
    """What is changed, as on a command line."""
    match change:
        case Apply():
            return f"apply {len(change.manifests)} objects"
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
    """`KIND/NAME` or `NAMESPACE/KIND/NAME`; of a pod also with `:force`; raises TargetError."""
    named = text.removesuffix(f":{_FORCE}")
    target, is_forced = parse_target(named, namespace), named != text
    if is_forced and target.kind != "Pod":
        raise TargetError(f"--delete {text}: only a pod is deleted by force")
    return Delete(target, is_forced)


def parse_cordon(text: str, _namespace: str) -> Cordon:
    """The name of a node; raises TargetError."""
    return Cordon(_node(text, "--cordon"))


def parse_drain(text: str, _namespace: str) -> Drain:
    """`NODE`, or `NODE:force` to lose pods without a controller as well; raises TargetError."""
    called, colon, option = text.partition(":")
    if colon and option != _FORCE:
        raise TargetError(f"--drain {text}: must be NODE or NODE:{_FORCE}")
    node = _node(called, "--drain")
    return Drain(node=node, force=option == _FORCE, delete_empty_dir_data=True)


def parse_scale(text: str, namespace: str) -> Scale:
    """`KIND/NAME=REPLICAS`; raises TargetError."""
    where, equals, number = text.rpartition("=")
    if not equals or not number.isascii() or not number.isdigit() or len(number) > 10:
        raise TargetError(f"--scale {text}: expected KIND/NAME=REPLICAS, such as deploy/web=10")
    if int(number) > _REPLICAS_MAX:
        raise TargetError(f"--scale {text}: must be no more than {_REPLICAS_MAX} replicas")
    return Scale(_workload(where, namespace, "--scale", _SCALED), int(number))


def parse_restart(text: str, namespace: str) -> Restart:
    """`KIND/NAME`; raises TargetError."""
    return Restart(_workload(text, namespace, "--restart", _RESTARTED))


PARSERS: dict[str, Callable[[str, str], Change]] = {
    "delete": parse_delete,
    "delete_node": lambda text, _: Delete(ChangeTarget("Node", "", _node(text, "--delete-node"))),
    "cordon": parse_cordon,
    "uncordon": lambda text, _: Cordon(_node(text, "--uncordon"), is_cordoned=False),
    "drain": parse_drain,
    "scale": parse_scale,
    "restart": parse_restart,
}
"""By what they are called on a command line; each takes a text and a namespace."""


def check(changes: Sequence[Change], state: Collection[Identity]) -> None:
    """Raise TargetError for objects that won't be there when they are to be changed."""
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
        raise TargetError("\n".join(missing))


def _node(text: str, option: str) -> str:
    called = text.removeprefix("node/").removeprefix("no/")
    if not called or "/" in called:
        raise TargetError(f"{option} {text}: expected the name of a node")
    return called


def _workload(text: str, namespace: str, option: str, kinds: Sequence[str]) -> ChangeTarget:
    target = parse_target(text, namespace, option)
    if target.kind not in kinds:
        raise TargetError(f"{option} {text}: must be a {', '.join(kinds[:-1])} or {kinds[-1]}")
    return target
