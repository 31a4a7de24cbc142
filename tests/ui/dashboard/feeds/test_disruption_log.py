"""Disruptions are noted as they begin, and kept when their pods are gone."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.json import decode

from podium.api.process.private_files import FileError
from podium.ui.dashboard.feeds.disruption_log import DisruptionLog
from tests.objects import Obj, budget, node, pod, workload

CREATED, GOES = "2026-01-01T00:00:00Z", "2026-01-01T00:01:30Z"
GOES_S = 1767225660.0
OWNERS = {
    kind: workload(kind, "web", uid="owner") for kind in ("ReplicaSet", "StatefulSet", "DaemonSet")
}


class NodesAndBudgets:
    """A cluster that has a cordoned node, another one, and a budget."""

    def find(self, kind: str, _: str, name: str) -> Obj | None:
        return node(name, unschedulable=name == "cordoned")

    def known(self, kind: str) -> Sequence[Obj]:
        if kind == "Pod":
            return [pod("vip", uid="vip-uid", priority=1000)]
        counts = {"disruptionsAllowed": 1, "currentHealthy": 3, "desiredHealthy": 2}
        return [budget("web", status={**counts, "expectedPods": 3}), budget("other")]

    def machines(self) -> Sequence[Any]:
        return ()


def log_of(path: Path | None = None) -> DisruptionLog:
    return DisruptionLog(NodesAndBudgets(), path)


def running(name: str, kind: str = "ReplicaSet", on: str = "node-1", **status: Any) -> Obj:
    owner = OWNERS[kind]
    return pod(name, on=on, uid=name, created=CREATED, owner=owner, status={**status})


def target(reason: str) -> Obj:
    return {"conditions": [{"type": "DisruptionTarget", "status": "True", "reason": reason}]}


def going(obj: Obj, reason: str) -> Obj:
    metadata = {**obj["metadata"], "deletionTimestamp": GOES, "deletionGracePeriodSeconds": 30}
    return {**obj, "metadata": metadata, "status": target(reason)}


def lose(log: DisruptionLog, name: str, **of: Any) -> None:
    one = running(name, **of)
    log.pod_changed(one, going(one, "PreemptionByScheduler"), GOES_S)


def kept(log: DisruptionLog) -> list[Obj]:
    return [decode(one) for one in log.before(log.number + 1)]


@pytest.mark.parametrize(
    ("on", "after", "cause"),
    [
        ("node-1", target("EvictionByEvictionAPI"), "Evicted"),
        ("cordoned", target("EvictionByEvictionAPI"), "Drained"),
        ("node-1", target("DeletionByTaintManager"), "Tainted"),
        ("node-1", target("DeletionByPodGC"), "NodeDeleted"),
        ("node-1", {**target("TerminationByKubelet"), "reason": "Evicted"}, "EvictedByNode"),
        ("node-1", {"reason": "OutOfcpu", "message": "Pod was rejected: no CPU"}, "Rejected"),
        (
            "node-1",
            {"containerStatuses": [{"state": {"terminated": {"reason": "OOMKilled"}}}]},
            "OOMKilled",
        ),
    ],
)
def test_each_cause_of_a_pods_end_is_told(on: str, after: Obj, cause: str) -> None:
    log = log_of()
    before = running("web-1", on=on)
    failed = {**before, "status": {**after, "phase": "Failed"}}
    log.pod_changed(before, failed, GOES_S)
    # Its deletion adds nothing.
    log.pod_changed(failed, None, GOES_S + 30)
    (one,) = kept(log)
    assert (one["number"], one["atS"], one["cause"]) == (1, GOES_S, cause)
    assert (one["pod"]["node"], one["preemptor"], one["replacement"]) == (on, "", "")
    assert [(each["name"], each["allowed"]) for each in one["budgets"]] == [("web", 1)]


def test_what_a_user_deletes_and_what_fails_by_itself_is_no_disruption() -> None:
    log = log_of()
    before = running("web-1")
    log.pod_changed(before, None, GOES_S)
    log.pod_changed(before, {**before, "status": {"phase": "Failed", "message": "exit 1"}}, GOES_S)
    assert kept(log) == []


def test_the_pod_that_a_controller_makes_next_is_the_replacement() -> None:
    log = log_of()
    lose(log, "web-1")
    lose(log, "web-2")
    version = log.version
    for name in ("web-3", "web-4", "web-5"):
        new = running(name)
        log.pod_changed(
            None, {**new, "metadata": {**new["metadata"], "creationTimestamp": GOES}}, 0
        )
    assert [one["replacement"] for one in kept(log)] == ["default/web-3", "default/web-4"]
    assert [decode(one)["number"] for one in log.since(version)] == [1, 2]


@pytest.mark.parametrize(
    ("kind", "name", "on"), [("StatefulSet", "web-2", "node-9"), ("DaemonSet", "web-9", "node-2")]
)
def test_a_replacement_has_the_name_or_the_node(kind: str, name: str, on: str) -> None:
    log = log_of()
    for number in (1, 2):
        lose(log, f"web-{number}", kind=kind, on=f"node-{number}")
    new = running(name, kind, on)
    log.pod_changed(None, {**new, "metadata": {**new["metadata"], "creationTimestamp": GOES}}, 0)
    assert [one["replacement"] for one in kept(log)] == ["", f"default/{name}"]


def test_a_pod_that_was_there_before_replaces_none() -> None:
    log = log_of()
    lose(log, "web-1")
    log.pod_changed(None, running("web-2"), GOES_S)
    assert kept(log)[0]["replacement"] == ""


def preempted(victim: str, record: Obj | None = None, uid: str = "") -> Obj:
    """The Event of a victim; `record` as another Podium annotates it."""
    return {
        "metadata": {
            "annotations": {"podium.dev/preemption": json.dumps(record)} if record else {}
        },
        "reason": "Preempted",
        "involvedObject": {"namespace": "default", "name": victim, "uid": uid or victim},
        "message": "Preempted by pod vip-uid on node node-1",
    }


def record(*victims: str) -> Obj:
    references = [{"namespace": "default", "name": v, "uid": v, "priority": 0} for v in victims]
    preemptor = {"namespace": "shop", "name": "big", "uid": "big-uid", "priority": 7}
    numbers = {"pdbViolations": 0, "candidates": 3, "alternatives": []}
    named = {"schedulerName": "other", "preemptor": preemptor, "node": "node-1"}
    return {**named, **numbers, "victims": references}


@pytest.mark.parametrize("is_first", [False, True])
@pytest.mark.parametrize(
    ("event", "preemptor", "candidates"),
    [
        (preempted("web-1", record("web-1")), "shop/big", 3),
        # As kube-scheduler writes it; and an annotation that is about others.
        (preempted("web-1"), "default/vip", None),
        (preempted("web-1", record("web-9")), "default/vip", None),
        # Another pod of the name; and what is no preemption.
        (preempted("web-1", uid="earlier"), "", None),
        ({**preempted("web-1"), "reason": "Killing"}, "", None),
    ],
)
def test_the_event_of_another_scheduler_names_the_preemptor(
    event: Obj, preemptor: str, candidates: int | None, is_first: bool
) -> None:
    log = log_of()
    if is_first:
        log.event_written(event)
    lose(log, "web-1")
    lose(log, "web-2")
    if not is_first:
        log.event_written(event)
    decision = log.decision("default/web-1")
    assert [one["preemptor"] for one in kept(log)] == [preemptor, ""]
    assert (decision and decision.candidates) == candidates
    assert log.knows("shop/big") == (preemptor == "shop/big")


def test_the_last_disruptions_are_kept_and_read_page_by_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("podium.ui.dashboard.feeds.disruption_log.KEPT_MAX", 5)
    monkeypatch.setattr("podium.ui.dashboard.feeds.disruption_log.PAGE_MAX", 3)
    log = log_of()
    for number in range(1, 9):
        lose(log, f"web-{number}")
    assert [one["number"] for one in kept(log)] == [6, 7, 8]
    assert [decode(one)["number"] for one in log.before(6)] == [4, 5]
    assert log.before(4) == []


def test_a_file_keeps_disruptions_for_the_next_process(tmp_path: Path) -> None:
    log = log_of(tmp_path / "disruptions.db")
    lose(log, "web-1")
    log.close()
    assert (tmp_path / "disruptions.db").stat().st_mode & 0o077 == 0
    again = log_of(tmp_path / "disruptions.db")
    lose(again, "web-2")
    assert [(one["number"], one["pod"]["name"]) for one in kept(again)] == [
        (1, "web-1"),
        (2, "web-2"),
    ]
    again.close()
    (tmp_path / "damaged.db").write_bytes(b"no database" * 1000)
    with pytest.raises(FileError, match=r"damaged\.db: can't keep disruptions"):
        log_of(tmp_path / "damaged.db")
