"""Whom a victim is told of that the scheduler names for two preemptors in turn."""

import json

import pytest

from tests.objects import budget, node, pod, priority_class

HIGH = priority_class("high", 100)
STATE = [
    HIGH,
    node("n", "4"),
    pod("low-1", "2", on="n", status={"startTime": "2026-01-01T08:00:00Z"}),
    pod("low-2", "2", on="n", status={"startTime": "2026-01-01T09:00:00Z"}),
]
NEWS = [pod(name, "2", priorityClassName="high") for name in ("high-1", "high-2")]


@pytest.fixture
def files(write) -> list[str]:
    return ["-f", write("state.yaml", *STATE), "--apply", write("news.yaml", *NEWS)]


def test_each_gives_way_once_and_to_the_first(podium, files) -> None:
    report = json.loads(podium("plan", *files, "-o", "json").output)
    causes = {one["pod"]: one["by"] for one in report["disruptions"]}
    assert causes == {"default/low-2": "default/high-1", "default/low-1": "default/high-2"}
    by_moment = {m["pod"]: m["by"] for m in report["timeline"] if m["event"] == "terminating"}
    assert by_moment == causes


def test_each_is_counted_once(podium, files) -> None:
    lines = podium("plan", *files, "-o", "wide").output.splitlines()
    assert lines[1].startswith("2 pods placed, 2 preempted,")
    start = lines.index("PREEMPTIONS") + 2
    rows = [line.split() for line in lines[start : lines.index("", start)]]
    assert [(row[0], row[3]) for row in rows] == [
        ("default/low-2", "default/high-1"),
        ("default/low-1", "default/high-2"),
    ]
    assert "default/low-1, default/low-2 (leaving)" in "\n".join(lines)


def test_the_scheduler_names_it_again(podium, files) -> None:
    report = json.loads(podium("plan", *files, "-o", "json").output)
    first, second = ([v["pod"] for v in p["victims"]] for p in report["preemptions"])
    assert (first, second) == (["default/low-2"], ["default/low-1", "default/low-2"])
    leaving = [v.get("leaving", False) for p in report["preemptions"] for v in p["victims"]]
    assert leaving == [False, False, True]


def test_who_leaves_anyway_breaks_no_budget(podium, write) -> None:
    """That a pod is going already can't be held against whoever needs its room."""
    leaves = {"deletionTimestamp": "2026-01-01T00:00:30Z", "deletionGracePeriodSeconds": 30}
    going = pod("low", on="n", created="2026-01-01T00:00:00Z", metadata=leaves)
    state = [HIGH, node("n", "1"), budget("low", minAvailable=1), going]
    new = pod("new", priorityClassName="high")
    files = ["-f", write("state.yaml", *state), "--apply", write("new.yaml", new)]
    result = podium("plan", *files, "--fail-on", "preemption,pdb-violation")
    assert result.exit_code == 0
    assert "0 preempted" in result.output
