"""The behaviour of simulated pods and nodes, as scripted by annotations.

A node's annotations apply to all pods on the node, unless a pod has annotations of its own; both
override the defaults of the simulation. docs/simulated-nodes.md lists the annotations.
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
from podium.api.values.integers import parse_count
from podium.api.values.times import duration_seconds
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
    """A fixed or random duration."""

    least_s: float
    most_s: float
    """Upper bound in seconds; `ENDLESS_S` if the duration never ends."""
    mean_s: float | None = None
    """Mean of an exponentially distributed duration; None for other durations."""

    @property
    def is_fixed(self) -> bool:
        return self.least_s == self.most_s

    def draw(self, rng: Random) -> float:
        if self.mean_s is not None:
            return rng.expovariate(1 / self.mean_s)
        return self.least_s if self.is_fixed else rng.uniform(self.least_s, self.most_s)


def fixed(duration_s: float) -> ScriptedDuration:
    """Return a duration of a fixed number of seconds."""
    return ScriptedDuration(duration_s, duration_s)


NO_TIME = fixed(0.0)
ENDLESS = fixed(ENDLESS_S)


def parse_scripted_duration(text: str, endless: str = "") -> ScriptedDuration:
    """Parse a duration such as `10s`, `10s..1m` or `~1m`; raises ScriptedDurationError.

    `endless` is the word for a duration that never ends; empty if that isn't allowed.
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
    """Invalid scripting annotations; the message has the accepted values."""


class Behaviour(msgspec.Struct, frozen=True, kw_only=True):
    """The behaviour of a simulated pod."""

    startup: ScriptedDuration = NO_TIME
    """Time from admission until images are pulled and the network is set up."""
    init: ScriptedDuration = NO_TIME
    """Time that each init container runs."""
    ready_after: ScriptedDuration = NO_TIME
    """Time from the start of containers until they are ready."""
    run: ScriptedDuration = ENDLESS
    """Time from the start of containers until they exit by themselves."""
    exit_code: int = 0
    termination: ScriptedDuration = ENDLESS
    """Time from SIGTERM until containers exit, at most the grace period."""


AT_ONCE = Behaviour()
# If pods were ready at once, a rollout would be over in a moment, and the pods that it displaces in
# its course would go unseen.
DEFAULT_BEHAVIOUR = Behaviour(startup=fixed(2.0))
"""The default behaviour of pods in plans, in scenarios and in `podium up`."""


class NodeSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of all simulated nodes of a cluster."""

    behaviour: Behaviour = AT_ONCE
    """Default behaviour of pods."""
    eviction: EvictionConfig = msgspec.field(default_factory=lambda: read_eviction_config({}))
    seed: int = 0
    """Seed of random durations and usage."""
    records_lives: bool = False
    """Whether starts, exits and restarts of containers are recorded as Events; rejections and
    preemptions by nodes always are."""
    writes_heartbeats: bool = False
    """Whether Leases are renewed, for other readers than Podium's own controller (see
    `podium.api.nodes`)."""
    simulates_all: bool = True
    """Whether all nodes are simulated; otherwise only nodes with the annotation
    `podium.dev/simulated: "true"`."""
    gathers_s: float = 0.0
    """Seconds for which changes are gathered before a sync, to save syncs."""


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
    """Return whether a pod or node has annotations that script the behaviour of pods."""
    written = annotations(obj).keys()
    return STUCK in written or not written.isdisjoint(_READERS)


def is_stuck(pod: Object) -> bool:
    """Return whether a pod's containers never leave the states in the pod's status."""
    return annotations(pod).get(STUCK) == "true"


def is_undeletable(pod: Object) -> bool:
    """Return whether a pod's containers ignore its deletion."""
    return annotations(pod).get(UNDELETABLE) == "true"


def behaviour_of(obj: Object, otherwise: Behaviour = AT_ONCE) -> Behaviour:
    """Read the behaviour of pods from the annotations of a pod or node; raises BehaviourError."""
    settings: dict[str, Any] = {}
    faults: list[FieldError] = []
    written = annotations(obj)
    for key, (attribute, read) in _READERS.items():
        if key not in written:
            continue
        try:
            settings[attribute] = read(written[key])
        except InvalidValueError as invalid:
            faults.append(invalid.under(f"metadata.annotations[{key}]").error)
    if faults:
        raise BehaviourError(aggregate(faults))
    return replace(otherwise, **settings) if settings else otherwise


def node_behaviour_of(node: Object) -> tuple[bool, dict[str, str]]:
    """Read from annotations whether a kubelet is down, and its unusual conditions by type.

    The pods of a node whose kubelet is down continue to run. Raises BehaviourError.
    """
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
    return _BOOLEANS[down], statuses


def is_marked(node: Object) -> bool:
    """Return whether a node is annotated as simulated."""
    return annotations(node).get(SIMULATED) == "true"


class Script(msgspec.Struct, frozen=True):
    """Draws the durations of a pod's behaviour by a seed, in seconds.

    A duration doesn't depend on when it is drawn, or which durations were drawn before.
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
