"""Counting change by change, held together with counting all."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from podium.api.pods import is_active, is_ready
from podium.controllers.kit.workload_fields import available_from_s
from podium.controllers.replica_set import ReplicaCounts, ReplicaSetController
from podium.machines.events import Change
from tests.controllers.builders import NOW_S, Obj, pod

OWNERS = ("r", "s")
TIMES = ("2025-12-31T23:59:00Z", "2026-01-01T00:00:00Z", "2026-01-01T00:00:20Z")


def owner(name: str, min_ready_s: int = 0, **labels: str) -> Obj:
    return {
        "kind": "ReplicaSet",
        "metadata": {"name": name, "namespace": "default", "uid": f"uid-{name}"},
        "spec": {
            "selector": {"matchLabels": {"app": "a"}},
            "template": {"metadata": {"labels": {"app": "a", **labels}}},
            "minReadySeconds": min_ready_s,
        },
    }


@st.composite
def pods(draw: st.DrawFn) -> Obj:
    fields: dict[str, Any] = {"labels": draw(st.sampled_from([{}, {"app": "a"}, {"app": "b"}]))}
    if draw(st.booleans()):
        fields["labels"] = {**fields["labels"], "tier": "t"}
    held_by = draw(st.sampled_from([*OWNERS, ""]))
    if held_by:
        reference = {"kind": "ReplicaSet", "name": held_by, "uid": f"uid-{held_by}"}
        fields["ownerReferences"] = [{**reference, "controller": True}]
    if draw(st.booleans()):
        fields["deletionTimestamp"] = TIMES[0]
    made = pod(draw(st.sampled_from("pqxyz")), ready=draw(st.booleans()), **fields)
    for condition in made["status"]["conditions"]:
        condition["lastTransitionTime"] = draw(st.sampled_from(TIMES))
    if draw(st.booleans()):
        made["status"]["phase"] = draw(st.sampled_from(["Failed", "Running"]))
    return made


def counts(known: ReplicaCounts, now_s: float) -> tuple[int, ...]:
    available = known.available(now_s)
    return known.active, known.fully_labeled, known.ready, available, known.terminating


def counted(subject: Obj, found: list[Any], now_s: float) -> tuple[int, ...]:
    """The same from all pods at once."""
    found = [one for one in found if one["metadata"]["labels"].get("app") == "a"]
    active = [one for one in found if is_active(one)]
    wanted = subject["spec"]["template"]["metadata"]["labels"].items()
    min_ready_s = subject["spec"]["minReadySeconds"]
    from_s = [available_from_s(one, min_ready_s) for one in active]
    leaving = [one for one in found if one["metadata"].get("deletionTimestamp")]
    return (
        len(active),
        sum(wanted <= one["metadata"]["labels"].items() for one in active),
        sum(map(is_ready, active)),
        sum(one is not None and one <= now_s for one in from_s),
        sum(one["status"]["phase"] != "Failed" for one in leaving),
    )


@given(st.lists(st.tuples(pods(), st.booleans()), max_size=12), st.integers(0, 30))
def test_it_agrees_with_counting_all(changes: list[tuple[Obj, bool]], min_ready_s: int) -> None:
    controller = ReplicaSetController()
    objects = controller.objects
    subject = owner("r", min_ready_s, tier="t")
    for number, (made, stays) in enumerate(changes):
        version = {**made["metadata"], "uid": f"uid-{number}", "resourceVersion": str(number)}
        made = {**made, "metadata": version}
        before = objects.get("Pod", made["metadata"]["name"], "default")
        change = Change("Pod", before, made if stays or before is None else None)
        objects.apply(change)
        controller.follow(before, change.new)
        # Time never goes back: what is yet to come is looked at when all has happened.
        for now_s in (NOW_S, NOW_S + 45) if number == len(changes) - 1 else (NOW_S,):
            found = list(objects.by("Pod", "owner", "uid-r"))
            known = controller.counts_of(subject)
            assert counts(known, now_s) == counted(subject, found, now_s)
            others = [o["metadata"]["name"] for o in found if not _is_selected(o)]
            assert sorted(name for _, name in known.mismatched) == sorted(others)


def test_a_change_of_the_spec_counts_anew() -> None:
    controller = ReplicaSetController()
    objects = controller.objects
    reference = {"kind": "ReplicaSet", "name": "r", "uid": "uid-r", "controller": True}
    ready = pod("p", ready=True, labels={"app": "a"}, ownerReferences=[reference])
    ready["status"]["conditions"][0]["lastTransitionTime"] = TIMES[1]
    objects.observe("Pod", ready)
    objects.observe("Pod", pod("orphan", labels={"app": "a"}))
    assert controller.counts_of(owner("r")).available(NOW_S) == 1
    later = controller.counts_of(owner("r", 30))
    assert later.available(NOW_S) == 0
    assert later.next_available_s() == NOW_S + 30
    assert later.available(NOW_S + 30) == 1
    assert list(later.orphans) == [("default", "orphan")]


def _is_selected(obj: Any) -> bool:
    return bool(obj["metadata"]["labels"].get("app") == "a")
