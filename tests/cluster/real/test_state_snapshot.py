"""Plans about a real cluster: from a snapshot of it, and without any file in between."""

import json
from pathlib import Path

from tests.cluster.real.conftest import READER
from tests.cluster.real.world import World, pod
from tests.processes import run_podium


def podium(world: World, *arguments: str, token: str = "admintoken") -> str:
    done = run_podium(*arguments, KUBECONFIG=str(world.plane.kubeconfig(token)))
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_a_plan_is_made_for_what_is_there(world: World, tmp_path: Path) -> None:
    world.priority("high", 1000)
    world.node("a", cpu="2")
    world.create(pod("low-1", cpu="2", nodeName="a"))
    release, saved = tmp_path / "release.json", tmp_path / "state.json"
    release.write_text(json.dumps(pod("vip-1", cpu="2", priorityClassName="high")))
    podium(world, "snapshot", "-o", str(saved))
    apply = ("--apply", str(release), "-o", "json")
    of_file = json.loads(podium(world, "plan", "-f", str(saved), *apply))
    assert [one["pod"] for one in of_file["preemptions"][0]["victims"]] == ["default/low-1"]
    config = str(world.plane.kubeconfig())
    assert json.loads(podium(world, "plan", "--kubeconfig", config, *apply)) == of_file
    assert json.loads(podium(world, "plan", *apply)) == of_file
    told = podium(world, "explain", "--context", "c", "low-1")
    assert "a" in told
    assert world.places() == {"low-1": "a"}
    lint = [
        json.loads(podium(world, "lint", "-o", "json", *where))
        for where in (("--context", "c"), ("-f", str(saved)))
    ]
    live, filed = ([(one["rule"], one["name"]) for one in found["findings"]] for found in lint)
    assert live == filed
    assert ("bare-pod", "low-1") in live


def test_what_may_not_be_read_is_left_out_and_told(world: World, tmp_path: Path) -> None:
    saved = tmp_path / "state.json"
    told = podium(world, "snapshot", "-o", str(saved), token=READER)
    assert "Pod is left out" in told
    assert json.loads(saved.read_text())["items"] == []
