"""Recorded snapshots of real clusters, one change each, and what a plan of each foresees.

A scene was played on the real control plane. Before its last step, all objects of its namespace
were read as `kubectl get` prints them; the plan gets these and that step. Pods are compared by
when they were created, bound, ready, marked for deletion and gone, in seconds after the snapshot.
"""

import gzip
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from podium.apiserver.patching.patch_result import merge_patched
from podium.whatif.plan.changes import PARSERS, Apply, Change
from podium.whatif.plan.plan_report import Plan
from podium.whatif.plan.planner import plan
from podium.whatif.plan.request import LoadedState, PlanRequest
from tests.conformance.controller_scenes import localised
from tests.conformance.scene_comparison import cost_of_times, matched
from tests.conftest import ROOT
from tests.replacing import replace

Json = dict[str, Any]

DATA = ROOT / "tests/conformance/data/snapshots"
UNTIL_S = 25.0
TOLERANCE_S, TOLERANCE = 2.5, 0.05
# The record ends with the scene; what falls into its last moments may be cut off.
CUT_OFF_S = 3.0

TIMES = ("created", "bound", "ready", "deleting", "gone")
_EVENTS = {one: one for one in TIMES} | {"terminating": "deleting"}
_NEVER_S = 99.0
# By these annotations the kubelets of the scenes went, and simulated nodes go by those.
_DURATIONS = {
    "t/start": "startup",
    "t/ready": "ready-after",
    "t/run": "run-duration",
    "t/stop": "termination",
}


class Scene(msgspec.Struct, frozen=True):
    """A scene and its record.

    Attributes:
        name: also of its namespace.
        step: the last one, as recorded: an operation and its arguments.
        snapshot: the objects before it.
        pods: the history of each pod, by uid; its times are of the scene.
        at_s: when the snapshot was taken.
        end_s: until when both sides are compared, in seconds after the snapshot.
        picked: the pod that a step means which says which of several.
        has_deployments: whether its ReplicaSets are of Deployments, and any number of them.
    """

    name: str
    step: Sequence[Any]
    snapshot: Sequence[Json]
    pods: Mapping[str, Json]
    at_s: float
    end_s: float
    picked: str | None
    has_deployments: bool


class Lived(msgspec.Struct):
    """A pod, foreseen or real.

    Attributes:
        name: of the pod.
        owner: kind of its controller; `Pod` if it has none.
        is_old: whether the snapshot has it.
        at_s: when it was created, bound and so on, in seconds after the snapshot.
    """

    name: str
    owner: str
    is_old: bool
    at_s: dict[str, float]


def scenes() -> Iterator[Scene]:
    """The scenes whose last step a plan can make: it has an object, and isn't an orphaning."""
    drawn = {one["name"]: one for one in _read("scenes")}
    for name, record in sorted(_read("real").items()):
        scene = Scene(
            name=name,
            step=drawn[name]["steps"][-1][1:],
            snapshot=record["snapshot"],
            pods=record["pods"],
            at_s=record["snapped"],
            end_s=drawn[name]["until"] - record["snapped"] - CUT_OFF_S,
            picked=record["picked"],
            has_deployments=any(one.startswith("deployments/") for one in record["things"]),
        )
        if _is_possible(scene):
            yield scene


def foreseen(scene: Scene, *beside: Json) -> Plan:
    """The plan of a scene's snapshot and its last step, with other objects beside it."""
    found = plan(
        PlanRequest(LoadedState([*scene.snapshot, *beside]), [_change(scene)], until_s=UNTIL_S)
    )
    own = tuple(one for one in found.timeline if one.namespace == scene.name)
    return replace(found, timeline=own)


def differences(scene: Scene, found: Plan) -> list[str]:
    """What a plan foresees otherwise than it happened, in words: real time / foreseen time."""
    real = {uid: _as_recorded(scene, one) for uid, one in scene.pods.items() if _lives(scene, one)}
    groups: dict[tuple[str, str, bool], tuple[list[Lived], list[Lived]]] = defaultdict(
        lambda: ([], [])
    )
    for side, pods in enumerate((real.values(), _as_foreseen(real, found))):
        for one in pods:
            if one.at_s.get("created", 0.0) <= scene.end_s - TOLERANCE_S:
                groups[_part(scene, one)][side].append(one)
    return [text for group in sorted(groups) for text in _compared(scene, group, *groups[group])]


def _read(name: str) -> Any:
    with gzip.open(DATA / f"{name}.json.gz") as file:
        return json.load(file)


def _object(scene: Scene, kind: str, name: str) -> Json | None:
    found = (one for one in scene.snapshot if one["kind"] == kind)
    return next((one for one in found if one["metadata"]["name"] == name), None)


def _is_possible(scene: Scene) -> bool:
    operation, *arguments = scene.step
    if operation == "kill":
        return scene.picked is not None
    if operation == "delete" and {"propagationPolicy": "Orphan"} in arguments:
        return False
    if operation in ("delete", "patch", "scale"):
        return _object(scene, *arguments[:2]) is not None
    return True


def _change(scene: Scene) -> Change:
    operation, *arguments = scene.step
    match operation:
        case "create":
            return Apply([localised(_scripted(arguments[0]), scene.name)])
        case "patch":
            kind, name, patch = arguments[:3]
            return Apply([_patched(_object(scene, kind, name) or {}, _scripted(patch))])
        case "scale":
            text = f"{arguments[0]}/{arguments[1]}={arguments[2]}"
        case "delete":
            text = f"{arguments[0]}/{arguments[1]}"
        case "kill":
            operation, text = "delete", f"pod/{scene.picked}"
        case _:
            text = f"{scene.name}-{arguments[0]}"
    return PARSERS[operation](text, scene.name)


def _patched(obj: Json, patch: Json) -> Json:
    metadata = {
        field: value
        for field, value in obj["metadata"].items()
        if field in ("name", "namespace", "labels", "annotations")
    }
    manifest = {**{field: obj[field] for field in ("apiVersion", "kind", "spec")}}
    return dict(merge_patched({**manifest, "metadata": metadata}, patch))


def _scripted(value: Any) -> Any:
    """A step's value, with what kubelets went by also in the words of simulated nodes."""
    if isinstance(value, list):
        return [*map(_scripted, value)]
    if not isinstance(value, dict):
        return value
    value = {field: _scripted(inner) for field, inner in value.items()}
    for theirs, ours in _DURATIONS.items():
        if (text := value.get(theirs)) is not None:
            duration = text if text == "never" else f"{round(float(text) * 1000)}ms"
            value[f"podium.dev/{ours}"] = duration
    if "t/exit" in value:
        value["podium.dev/exit-code"] = value["t/exit"]
    return value


def _lives(scene: Scene, pod: Json) -> bool:
    """Whether a recorded pod was there at the snapshot or later."""
    return bool(pod.get("gone", _NEVER_S) > scene.at_s)


def _as_recorded(scene: Scene, pod: Json) -> Lived:
    at_s = {one: round(pod[one] - scene.at_s, 2) for one in TIMES if one in pod}
    owner = pod["owner"].partition("/")[0]
    return Lived(pod["name"], owner, pod["created"] <= scene.at_s, at_s)


def _as_foreseen(real: Mapping[str, Lived], found: Plan) -> Iterable[Lived]:
    """The pods of the snapshot, and those that come."""
    pods = {
        uid: replace(one, at_s={event: at_s for event, at_s in one.at_s.items() if at_s <= 0})
        for uid, one in real.items()
        if one.is_old
    }
    for moment in found.timeline:
        if event := _EVENTS.get(moment.event):
            owner = moment.workload.partition(" ")[0] or "Pod"
            new = Lived(moment.pod.partition("/")[2], owner, False, {})
            pods.setdefault(moment.uid, new).at_s.setdefault(event, moment.at)
    return pods.values()


def _part(scene: Scene, pod: Lived) -> tuple[str, str, bool]:
    """The pods that play the same part: which of them chance takes doesn't count."""
    owner = "Deployment" if pod.owner == "ReplicaSet" and scene.has_deployments else pod.owner
    return owner, pod.name if owner == "StatefulSet" else "", pod.is_old


def _compared(
    scene: Scene, part: tuple[str, str, bool], real: list[Lived], fore: list[Lived]
) -> Iterator[str]:
    owner, name, is_old = part
    label = f"{'old' if is_old else 'new'} pod of {owner} {name}".rstrip()
    if len(real) != len(fore):
        created = [sorted(one.at_s.get("created", -1.0) for one in side) for side in (real, fore)]
        yield f"{label}: {len(real)} / {len(fore)}, created at {created[0]} / {created[1]}"
        return
    for _, was, foreseen_pod in matched(real, fore, lambda x, y: cost_of_times(x.at_s, y.at_s)):
        for event in TIMES:
            if _differs(scene, event, was, foreseen_pod):
                yield f"{label}: {event} {was.at_s.get(event)} / {foreseen_pod.at_s.get(event)}"


def _differs(scene: Scene, event: str, real: Lived, fore: Lived) -> bool:
    at_s, fore_s = (
        None if one is None or one > scene.end_s else one
        for one in (real.at_s.get(event), fore.at_s.get(event))
    )
    if at_s is not None and fore_s is not None:
        is_before = at_s <= 0 and fore_s <= 0
        return not is_before and abs(at_s - fore_s) > TOLERANCE_S + TOLERANCE * at_s
    only_s = fore_s if at_s is None else at_s
    if only_s is None or (at_s is not None and at_s <= 0):
        return False
    if only_s > scene.end_s - TOLERANCE_S:
        return False
    return not _is_race(event, real, fore)


def _is_race(event: str, real: Lived, fore: Lived) -> bool:
    """Whether milliseconds decide if it happens to a pod at all."""
    real_s, fore_s = real.at_s, fore.at_s
    if event == "deleting" and "bound" not in real_s:
        # A pod that never ran goes at once.
        return abs(real_s.get("gone", _NEVER_S) - fore_s.get("gone", -_NEVER_S)) < TOLERANCE_S
    if event in ("bound", "deleting", "gone") and real.owner == "Pod":
        # Adopted, and deleted at once as surplus.
        is_short = real_s.get("deleting", _NEVER_S) < real_s["created"] + 0.5
        return is_short or fore_s.get("gone", _NEVER_S) < fore_s.get("created", 0.0) + 0.5
    if event == "ready":
        late_s = (one.get("ready", _NEVER_S) + 1 for one in (real_s, fore_s))
        marked_s = (one.get("deleting", _NEVER_S) for one in (real_s, fore_s))
        return any(marked < late for marked, late in zip(marked_s, late_s, strict=True))
    return False
