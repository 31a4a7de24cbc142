"""The behaviour of simulated pods and nodes, as scripted by annotations.

A pod's annotations come before those of its node, which apply to all pods on it, and both before
the simulation's defaults. Names and meanings are listed in docs/simulated-nodes.md.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

import msgspec
from msgspec.structs import replace

from podium.api.errors import FieldError, InvalidValueError, PodiumError, aggregate, unsupported
from podium.api.objects import Object, annotations
from podium.api.values.durations import duration_seconds
from podium.api.values.integers import parse_count
from podium.kubelet.eviction.eviction_manager import EvictionConfig
from podium.kubelet.kubelet_config import read_eviction_config

ENDLESS_S = math.inf

_RULE = (
    "must be a duration (10s), a range of durations (10s..1m), each as likely, "
    "or the average of exponentially distributed ones (~1m)"
)


class ScriptedDurationError(InvalidValueError):
    """A text that isn't a scripted duration."""


@dataclass(frozen=True, slots=True)
class ScriptedDuration:
    """A fixed or random duration.

    Attributes:
        most_s: `ENDLESS_S` if it never ends.
        mean_s: the average of an exponentially distributed duration; else None.
    """

    least_s: float
    most_s: float
    mean_s: float | None = None

    @property
    def is_fixed(self) -> bool:
        return self.least_s == self.most_s

    def draw(self, rng: Random) -> float:
        if self.mean_s is not None:
            return rng.expovariate(1 / self.mean_s)
        return self.least_s if self.is_fixed else rng.uniform(self.least_s, self.most_s)


def fixed(duration_s: float) -> ScriptedDuration:
    """A duration of a fixed number of seconds."""
    return ScriptedDuration(duration_s, duration_s)


NO_TIME = fixed(0.0)
ENDLESS = fixed(ENDLESS_S)


def parse_scripted_duration(text: str, endless: str = "") -> ScriptedDuration:
    """Parse a duration such as `10s`, `10s..1m` or `~1m`; raises ScriptedDurationError.

    Args:
        endless: the word for a duration that never ends, where one is allowed.
    """
    if endless and text == endless:
        return ENDLESS
    if text.startswith("~"):
        mean_s = _seconds(text[1:])
        if mean_s:
            return ScriptedDuration(0.0, ENDLESS_S, mean_s)
    else:
        least, dots, most = text.partition("..")
        least_s = _seconds(least)
        most_s = _seconds(most) if dots else least_s
        if least_s is not None and most_s is not None and least_s <= most_s:
            return ScriptedDuration(least_s, most_s)
    rule = f"{_RULE}, or {endless}" if endless else _RULE
    raise ScriptedDurationError(FieldError("", text, rule))


def _seconds(text: str) -> float | None:
    seconds = duration_seconds(text)
    return seconds if seconds is not None and seconds >= 0 else None


PREFIX = "podium.dev/"
DOWN = PREFIX + "down"
CONDITIONS = PREFIX + "conditions"
SIMULATED = PREFIX + "simulated"
READY_AFTER = PREFIX + "ready-after"
STUCK = PREFIX + "stuck"
UNDELETABLE = PREFIX + "undeletable"

_BOOLEANS: Mapping[str, bool] = {"true": True, "false": False}
_STATUSES = ("True", "False", "Unknown")
_CONDITION_RULE = "must be TYPE=STATUS, several separated by commas, such as MemoryPressure=True"
_EXIT_CODE_MAX = 255


class BehaviourError(PodiumError):
    """Invalid annotations; the text names each of them and what would be accepted."""


class Behaviour(msgspec.Struct, frozen=True, kw_only=True):
    """The behaviour of a simulated pod on its node, as far as it is scripted.

    Attributes:
        startup: from its admission until its images are pulled and its network is set up.
        init: the time that each init container runs.
        ready_after: from the start of its containers until they are ready.
        run: from the start of its containers until they exit by themselves.
        termination: from SIGTERM until its containers exit; the grace period at most.
    """

    startup: ScriptedDuration = NO_TIME
    init: ScriptedDuration = NO_TIME
    ready_after: ScriptedDuration = NO_TIME
    run: ScriptedDuration = ENDLESS
    exit_code: int = 0
    termination: ScriptedDuration = ENDLESS


class NodeBehaviour(msgspec.Struct, frozen=True, kw_only=True):
    """The behaviour of a simulated node, as far as it is scripted.

    Attributes:
        down: whether the node is silent, while its pods go on.
        conditions: statuses by type of conditions that differ from a healthy node's.
    """

    down: bool = False
    conditions: Mapping[str, str] = msgspec.field(default_factory=dict)


AT_ONCE = Behaviour()
# If pods were ready at once, a rollout would be over in a moment, and the pods that it displaces in
# its course would go unseen.
DEFAULT_BEHAVIOUR = Behaviour(startup=fixed(2.0))
"""The default behaviour of pods in plans, in scenarios and in `podium up`."""


class NodeSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of all simulated nodes of a cluster.

    Attributes:
        behaviour: the default behaviour of pods.
        seed: for random durations and usage.
        records_lives: whether starts, exits and restarts of containers are recorded as events;
            rejections and preemptions by nodes always are.
        writes_heartbeats: whether Leases are renewed, for other readers than Podium's own
            controller (see `podium.api.node_heartbeats`).
        simulates_all: whether all nodes are simulated, or only those with the annotation
            `podium.dev/simulated: "true"`, as others have their own kubelets, or none.
        gathers_s: the time between two syncs for which changes are gathered, which costs less than
            a sync for each.
    """

    behaviour: Behaviour = AT_ONCE
    eviction: EvictionConfig = msgspec.field(default_factory=lambda: read_eviction_config({}))
    seed: int = 0
    records_lives: bool = False
    writes_heartbeats: bool = False
    simulates_all: bool = True
    gathers_s: float = 0.0


def _exit_code(text: str) -> int:
    code = parse_count(text, range(_EXIT_CODE_MAX + 1))
    if code is None:
        raise InvalidValueError(
            FieldError("", text, f"must be a number from 0 to {_EXIT_CODE_MAX}")
        )
    return code


_READERS: Mapping[str, tuple[str, Callable[[str], object]]] = {
    PREFIX + "startup": ("startup", parse_scripted_duration),
    PREFIX + "init-duration": ("init", parse_scripted_duration),
    READY_AFTER: ("ready_after", lambda text: parse_scripted_duration(text, "never")),
    PREFIX + "run-duration": ("run", lambda text: parse_scripted_duration(text, "forever")),
    PREFIX + "exit-code": ("exit_code", _exit_code),
    PREFIX + "termination": ("termination", lambda text: parse_scripted_duration(text, "grace")),
}


def is_scripted(obj: Object) -> bool:
    """Whether annotations of a pod, or of a node for its pods, script behaviour."""
    written = annotations(obj).keys()
    return STUCK in written or not written.isdisjoint(_READERS)


def is_stuck(pod: Object) -> bool:
    """Whether the containers of a pod stay as in its status."""
    return annotations(pod).get(STUCK) == "true"


def is_undeletable(pod: Object) -> bool:
    """Whether the containers of a pod go on though it is deleted."""
    return annotations(pod).get(UNDELETABLE) == "true"


def behaviour_of(obj: Object, otherwise: Behaviour = AT_ONCE) -> Behaviour:
    """The behaviour that annotations of a pod, or of a node for its pods, script.

    Raises:
        BehaviourError: annotations are invalid.
    """
    found: dict[str, Any] = {}
    faults: list[FieldError] = []
    written = annotations(obj)
    for key, (attribute, read) in _READERS.items():
        if key not in written:
            continue
        try:
            found[attribute] = read(written[key])
        except InvalidValueError as invalid:
            faults.append(invalid.under(f"metadata.annotations[{key}]").error)
    if faults:
        raise BehaviourError(aggregate(faults))
    return replace(otherwise, **found) if found else otherwise


def node_behaviour_of(node: Object) -> NodeBehaviour:
    """The behaviour that annotations of a node script; raises BehaviourError."""
    written = annotations(node)
    down, conditions = written.get(DOWN, "false"), written.get(CONDITIONS, "")
    faults = []
    if down not in _BOOLEANS:
        faults.append(unsupported(f"metadata.annotations[{DOWN}]", down, _BOOLEANS))
    pairs = (one.partition("=") for one in conditions.split(",") if conditions)
    statuses = {kind.strip(): status.strip() for kind, _, status in pairs}
    if not all(kind and status in _STATUSES for kind, status in statuses.items()):
        where = f"metadata.annotations[{CONDITIONS}]"
        faults.append(FieldError(where, conditions, _CONDITION_RULE))
    if faults:
        raise BehaviourError(aggregate(faults))
    return NodeBehaviour(down=_BOOLEANS[down], conditions=statuses)


def is_marked(node: Object) -> bool:
    """Whether a node is annotated as simulated, where not all nodes are."""
    return annotations(node).get(SIMULATED) == "true"


class Script(msgspec.Struct, frozen=True):
    """The behaviour of a pod with durations, in seconds, that are drawn by a seed.

    Each duration is the same whenever, and in whichever order, it is drawn.
    """

    behaviour: Behaviour
    seed: str

    def startup_s(self) -> float:
        return self._draw(self.behaviour.startup, "startup")

    def init_s(self, number: int) -> float:
        return self._draw(self.behaviour.init, f"init/{number}")

    def ready_after_s(self, restarts: int) -> float:
        return self._draw(self.behaviour.ready_after, f"ready/{restarts}")

    def run_s(self, restarts: int) -> float:
        return self._draw(self.behaviour.run, f"run/{restarts}")

    def termination_s(self) -> float:
        return self._draw(self.behaviour.termination, "termination")

    def _draw(self, duration: ScriptedDuration, what: str) -> float:
        if duration.is_fixed:
            return duration.least_s
        return duration.draw(Random(f"{self.seed}/{what}"))
