"""What `--delete` and the like name: kinds by all the names that kubectl knows them by."""

from dataclasses import dataclass

from podium.api.errors import PodiumError
from podium.api.kinds.builtin_kinds import Kind
from podium.api.kinds.decisive_kinds import DECISIVE_KINDS, label

_SHAPE = "KIND/NAME or NAMESPACE/KIND/NAME"

WORKLOADS = frozenset(
    {
        *("Deployment", "ReplicaSet", "ReplicationController", "StatefulSet", "DaemonSet"),
        *("Job", "CronJob"),
    }
)
"""Kinds that have pods, or have others that have them."""


class TargetError(PodiumError):
    """What was to be changed can't be understood, or isn't there."""


@dataclass(frozen=True, slots=True)
class ChangeTarget:
    """An object that a change names: its kind, namespace and name.

    Attributes:
        kind: its key.
        namespace: empty for what stands in none.
        name: of the object.
    """

    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return label((self.kind, self.namespace, self.name))


def parse_target(text: str, namespace: str, option: str = "--delete") -> ChangeTarget:
    """The object that a text names.

    Args:
        text: `KIND/NAME` or `NAMESPACE/KIND/NAME`; the kind in any of the spellings of kubectl.
        namespace: where a namespaced object is that doesn't say.
        option: which names it, for errors.

    Raises:
        TargetError: it names nothing.
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


def _spellings(kind: Kind) -> tuple[str, ...]:
    group = f".{kind.group}" if kind.group else ""
    names = (kind.singular, kind.plural, *kind.short_names)
    return (*names, *(name + group for name in names if group))


_KINDS = {spelling: kind for kind in DECISIVE_KINDS.values() for spelling in _spellings(kind)}
