"""Compares two records of the same scene.

Pods are told apart by the part they play: their owner, its revision and their index. Among several
that play one part it is up to chance which is chosen, so those that are most alike are matched.
Times may differ a little.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

Json = dict[str, Any]

TOLERANCE_S = 1.2
TOLERANCE_SHARE = 0.03

TIMES = ("created", "bound", "ready", "unready", "ended", "deleting", "gone")
_WORDS = ("phase", "disrupted", "reason", "grace", "finalizers")
_RACED = frozenset({"bound", "ready", "ended", "unready"})
_MISSING_COST = 60.0
_WORD_COST = 40.0
_LATE = 999.0
# What a status says of the one play rather than of the scene.
_UNCOMPARED_STATUS = frozenset({
    "observedGeneration", "conditions", "startTime", "completionTime", "currentRevision",
    "updateRevision", "collisionCount", "uncountedTerminatedPods", "disruptedPods",
    "lastScheduleTime",
})  # fmt: skip
_NAME_OF_POD = re.compile(
    r'((?:pods|replicasets\.apps|replicasets)\s+\\*")([\w.#-]+?)-[a-z0-9]{5}(\\*")'
)
_TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:]+Z")

Part = tuple[str, str, str]
T = TypeVar("T")


@dataclass(frozen=True)
class _Canonical:
    """A record in which generated names are replaced by what they stand for.

    Attributes:
        pods: by owner, revision and index.
        things: other objects.
        scrub: replaces generated names in a text.
    """

    pods: Mapping[Part, Sequence[Json]]
    things: Mapping[str, Json]
    scrub: Callable[[object], object]


def differences(real: Json, other: Json, tolerance_s: float = TOLERANCE_S) -> list[str]:
    """How a record differs from a real one, in sentences; none if it is alike."""
    ours, theirs = _canonical(real), _canonical(other)
    return [
        *_pod_differences(ours, theirs, tolerance_s),
        *_thing_differences(ours, theirs, tolerance_s),
        *_drain_differences(real, other, tolerance_s),
        *_answer_differences(real, other, ours, theirs),
    ]


def _pod_differences(real: _Canonical, other: _Canonical, tolerance_s: float) -> Iterator[str]:
    for part in sorted(real.pods.keys() | other.pods.keys()):
        label = " ".join(filter(None, part))
        ours, theirs = real.pods.get(part, ()), other.pods.get(part, ())
        if len(ours) != len(theirs):
            created = [[pod["created"] for pod in pods] for pods in (ours, theirs)]
            yield f"{label}: {len(ours)} pods, not {len(theirs)}, created {created[0]}/{created[1]}"
            continue
        for number, our, their in matched(ours, theirs, _cost):
            for field in TIMES:
                if not _is_race(field, our, their) and _differ(
                    our.get(field), their.get(field), tolerance_s
                ):
                    yield f"{label} pod {number}: {field} {our.get(field)}/{their.get(field)}"
            for field in _WORDS:
                is_gone = "gone" in our or "gone" in their
                if our.get(field) != their.get(field) and not (field == "finalizers" and is_gone):
                    yield f"{label} pod {number}: {field} {our.get(field)}/{their.get(field)}"
            if real.scrub(our.get("disruption")) != other.scrub(their.get("disruption")):
                words = f"{our.get('disruption')}/{their.get('disruption')}"
                yield f"{label} pod {number}: disruption {words}"


def _thing_differences(real: _Canonical, other: _Canonical, tolerance_s: float) -> Iterator[str]:
    for key in sorted(real.things.keys() | other.things.keys()):
        our, their = real.things.get(key), other.things.get(key)
        if our is None or their is None:
            yield f"{key}: is {'there' if our is None else 'missing'}"
            continue
        if our["gone"] is None or their["gone"] is None:
            for field in ("status", "conditions", "spec_replicas", "revision", "times"):
                if our[field] != their[field]:
                    yield f"{key} {field}: {json.dumps(our[field])}/{json.dumps(their[field])}"
        for field in ("gone", "deleting"):
            if _differ(our[field], their[field], tolerance_s):
                yield f"{key}: {field} {our[field]}/{their[field]}"
        seen = [sorted(str(one[1:]) for one in thing["series"]) for thing in (our, their)]
        if seen[0] != seen[1]:
            yield f"{key} conditions seen: {our['series']}/{their['series']}"


def _drain_differences(real: Json, other: Json, tolerance_s: float) -> Iterator[str]:
    ours, theirs = (sorted(one.get("drained", ()), key=str) for one in (real, other))
    are_alike = [one[0] for one in ours] == [one[0] for one in theirs] and all(
        (our[1] is None) == (their[1] is None)
        and (not our[1] or abs(our[1] - their[1]) <= tolerance_s + 1)
        for our, their in zip(ours, theirs, strict=True)
    )
    if not are_alike:
        yield f"drained {ours}/{theirs}"


def _answer_differences(
    real: Json, other: Json, ours: _Canonical, theirs: _Canonical
) -> Iterator[str]:
    told = [ours.scrub(json.dumps(one[1:])) for one in real["answers"]]
    if told != [theirs.scrub(json.dumps(one[1:])) for one in other["answers"]]:
        yield f"answers: {real['answers']}/{other['answers']}"


def _differ(real_s: float | None, other_s: float | None, tolerance_s: float) -> bool:
    if real_s is None or other_s is None:
        return real_s is not other_s
    return abs(real_s - other_s) > tolerance_s + TOLERANCE_SHARE * real_s


def _is_race(field: str, our: Json, their: Json) -> bool:
    """Whether only milliseconds decide that one of two pods came to a moment and the other not."""
    ours_s, theirs_s = our.get(field), their.get(field)
    if field not in _RACED or (ours_s is None) == (theirs_s is None):
        return False
    at_s = theirs_s if ours_s is None else ours_s
    return any(
        pod.get("gone", _LATE) - pod["created"] < 1 or abs(pod.get("deleting", -9) - at_s) < 0.5
        for pod in (our, their)
    )


def matched(
    ours: Sequence[T], theirs: Sequence[T], cost: Callable[[T, T], float]
) -> Iterator[tuple[int, T, T]]:
    """Pairs, the most alike first matched, in the order of the first ones."""
    left, right = set(range(len(ours))), set(range(len(theirs)))
    costs = sorted((cost(ours[one], theirs[two]), one, two) for one in left for two in right)
    pairs: list[tuple[int, int]] = []
    for _, one, two in costs:
        if one in left and two in right:
            left.remove(one)
            right.remove(two)
            pairs.append((one, two))
    for one, two in sorted(pairs):
        yield one, ours[one], theirs[two]


def cost_of_times(ours_s: Mapping[str, Any], theirs_s: Mapping[str, Any]) -> float:
    """How much the moments of two pods differ."""
    cost = 0.0
    for field in TIMES:
        our_s, their_s = ours_s.get(field), theirs_s.get(field)
        if our_s is None or their_s is None:
            cost += 0.0 if our_s is their_s else _MISSING_COST
        elif abs(our_s - their_s) > 0.3:
            cost += min(abs(our_s - their_s), 50.0) ** 2
    return cost


def _cost(our: Json, their: Json) -> float:
    words = sum(_WORD_COST for field in _WORDS if our.get(field) != their.get(field))
    return words + cost_of_times(our, their)


def _canonical(record: Json) -> _Canonical:
    numbers = _numbers_of_revisions(record)
    names = {
        name: f"{name.removesuffix('-' + thing['hash'])}#{numbers[thing['hash']]}"
        for name, thing in _replica_sets(record)
    }
    generated = {
        pod["name"]: "POD"
        for pod in record["pods"].values()
        if not pod["owner"].startswith(("Pod/", "StatefulSet/"))
    }
    replaced = [
        *((name, names[name]) for name in sorted(names, key=len, reverse=True)),
        *((name, generated[name]) for name in sorted(generated, key=len, reverse=True)),
        *((revision, f"#{number}") for revision, number in numbers.items()),
    ]

    def scrub(text: object) -> object:
        if not isinstance(text, str):
            return text
        for name, word in replaced:
            text = text.replace(name, word)
        return _TIME.sub("TIME", _NAME_OF_POD.sub(r"\1\2-POD\3", text))

    pods: dict[Part, list[Json]] = {}
    for pod in record["pods"].values():
        kind, name = pod["owner"].split("/")
        revision = f"#{numbers[pod['hash']]}" if pod["hash"] else ""
        part = (f"{kind}/{names.get(name, name)}", revision, pod["index"])
        pods.setdefault(part, []).append(pod)
    for group in pods.values():
        group.sort(key=_moments)
    things = {}
    for key, thing in record["things"].items():
        plural, name = key.split("/")
        known = names.get(name, name) if plural == "replicasets" else name
        things[f"{plural}/{known}"] = _canonical_thing(thing, scrub)
    return _Canonical(pods, things, scrub)


def _moments(pod: Json) -> list[float]:
    fields = ("deleting", "gone", "ready", "ended")
    return [pod["created"], *(pod.get(field, _LATE) for field in fields)]


def _replica_sets(record: Json) -> Iterator[tuple[str, Json]]:
    for key, thing in record["things"].items():
        plural, name = key.split("/")
        if plural == "replicasets" and thing.get("hash"):
            yield name, thing


def _numbers_of_revisions(record: Json) -> dict[str, int]:
    """The revisions of pod templates, numbered in the order in which they appear."""
    pods = sorted(record["pods"].values(), key=lambda pod: pod["created"])
    things = sorted(record["things"].items(), key=lambda item: item[1].get("created", 0))
    hashes: Iterable[str] = (
        *(pod["hash"] for pod in pods),
        *(thing.get("hash") for _, thing in things),
    )
    return {
        revision: number for number, revision in enumerate(dict.fromkeys(filter(None, hashes)), 1)
    }


def _canonical_thing(thing: Json, scrub: Callable[[object], object]) -> Json:
    status = thing.get("status") or {}
    conditions = sorted(
        [one["type"], one["status"], one.get("reason", ""), scrub(one.get("message", ""))]
        for one in status.get("conditions") or ()
    )
    return {
        "status": {key: status[key] for key in status.keys() - _UNCOMPARED_STATUS},
        "conditions": conditions,
        "spec_replicas": thing.get("spec_replicas"),
        "revision": thing.get("revision"),
        "gone": thing.get("gone"),
        "deleting": thing.get("deleting"),
        "times": {
            field: status.get(field) is not None for field in ("startTime", "completionTime")
        },
        "series": thing.get("series", []),
    }
