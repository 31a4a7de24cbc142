"""Replays: as it was, and what would have gone otherwise."""

from pathlib import Path

import pytest
import yaml

from podium.simulation.recordings.comparison import ReplayReport, compare
from podium.simulation.recordings.replay import replay
from podium.simulation.recordings.segments import RecordedChange, Recording, identity_of
from podium.ui.inputs.configurations import read_scheduler_config
from tests.conftest import ROOT
from tests.device_objects import GPU_CLASS, TEMPLATE, USE, USE_SHARED, gpus, shared_claim
from tests.replacing import replace
from tests.simulation.recordings.recorded import (
    NO_PREEMPTION,
    Step,
    busy,
    deployment,
    pod,
    record,
    scenario,
)

ONE_NODE = [{"name": "n-1", "capacity": {"cpu": "4", "memory": "16Gi", "pods": "110"}}]
WITHOUT_PREEMPTION = [{"configuration": yaml.safe_load(NO_PREEMPTION)}]
SCENARIOS = (
    *("colours", "drain-stuck", "drain-waits", "mistaken-class", "node-failure"),
    *("non-preempting", "proposal-2", "proposal-4", "taint-eviction", "two-schedulers"),
)


def replayed(recording: Recording, configuration: str = "") -> ReplayReport:
    if not configuration:
        return compare(replay(recording))
    loaded = read_scheduler_config("configuration", text=configuration)
    assert loaded is not None
    return compare(replay(recording, loaded.configuration))


@pytest.mark.parametrize("seed", [1, 11])
def test_the_same_configuration_decides_alike(tmp_path: Path, seed: int) -> None:
    report = replayed(record(tmp_path, busy(seed)))
    assert not report.has_differences, report
    assert report.alike == report.pods > 20
    assert report.recorded_preemptions == report.replayed_preemptions > 3


@pytest.mark.seeds(0, 200)
def test_the_same_configuration_decides_alike_for_many_seeds(tmp_path: Path, seed: int) -> None:
    assert not replayed(record(tmp_path, busy(seed))).has_differences


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_scenarios_of_the_examples_go_alike(tmp_path: Path, name: str) -> None:
    path = ROOT / f"examples/scenarios/{name}.yaml"
    recording = record(tmp_path, path.read_text(), path=str(path))
    assert not replayed(recording).has_differences


def test_without_preemption_a_victim_stays_and_needs_no_replacement(tmp_path: Path) -> None:
    web = deployment("web", 2, "low", "1")
    steps: list[Step] = [
        {"at": "10s", "apply": pod("urgent", "high", "3")},
        {"at": "60s", "delete": "pod/urgent"},
    ]
    text = scenario(steps, nodes=ONE_NODE, manifests=[web], until="2m")
    report = replayed(record(tmp_path, text), NO_PREEMPTION)
    (preemption,) = report.preemptions
    assert (preemption.only, preemption.preemptor) == ("recorded", "default/urgent")
    assert (preemption.node, len(preemption.victims)) == ("n-1", 1)
    assert preemption.otherwise.startswith("stays pending: 0/1 nodes are available: 1 Insuffi")
    (waits, stays) = report.placements
    assert (waits.pod, waits.recorded, waits.replayed) == ("default/urgent", "n-1", "")
    assert stays.replayed == "n-1"
    assert f"default/{stays.instead}" in preemption.victims
    assert (report.recorded_preemptions, report.replayed_preemptions) == (1, 0)


def test_with_preemption_a_victim_gets_a_replacement(tmp_path: Path) -> None:
    web = deployment("web", 2, "low", "1")
    steps: list[Step] = [
        {"at": "10s", "apply": pod("urgent", "high", "3")},
        {"at": "60s", "scale": {"object": "deployment/web", "replicas": 1}},
    ]
    text = scenario(
        steps, nodes=ONE_NODE, manifests=[web], until="2m", schedulers=WITHOUT_PREEMPTION
    )
    recording = record(tmp_path, text, NO_PREEMPTION)
    assert not replayed(recording, recording.configuration).preemptions
    report = replayed(recording)
    (preemption,) = report.preemptions
    assert (preemption.only, preemption.preemptor) == ("replayed", "default/urgent")
    assert preemption.reason.startswith("0/1 nodes are available: 1 Insufficient cpu.")
    assert preemption.otherwise.startswith("placed on n-1 at t+1m")
    (waited,) = report.waits
    assert waited.pod == "default/urgent"
    assert waited.recorded_seconds > waited.replayed_seconds


def test_pods_of_other_schedulers_go_where_they_went(tmp_path: Path) -> None:
    other = pod("other", "high", "1", schedulerName="other")
    profile = NO_PREEMPTION.replace("- plugins", "- schedulerName: other\n  plugins")
    schedulers = [{}, {"configuration": yaml.safe_load(profile)}]
    steps: list[Step] = [
        {"at": "10s", "apply": other},
        {"at": "20s", "apply": pod("big", "low", "4")},
    ]
    text = scenario(steps, nodes=ONE_NODE, until="1m", schedulers=schedulers)
    recording = record(tmp_path, text)
    assert replayed(recording).pods == 1
    replay_of_both = replay(recording)
    (found,) = [p for p in replay_of_both.pods.values() if p.node]
    assert found.node == "n-1"


def test_a_pod_runs_and_ends_as_long_after_it_was_placed(tmp_path: Path) -> None:
    steps: list[Step] = [
        {"at": "1s", "apply": pod("first", "low", "4", restartPolicy="Never")},
        {"at": "5s", "apply": pod("second", "low", "4", restartPolicy="Never")},
    ]
    text = scenario(steps, nodes=ONE_NODE, until="2m", pods={"runDuration": "20s"})
    recording = record(tmp_path, text)
    report = replayed(recording)
    assert not report.has_differences, report
    assert [one.recorded_median_seconds for one in report.classes] == [
        one.replayed_median_seconds for one in report.classes
    ]


def test_of_equal_nodes_the_recorded_one_is_taken(tmp_path: Path) -> None:
    recording = record(tmp_path, scenario([{"at": "1s", "apply": pod("p", "low", "1")}]))
    elsewhere = [
        type(one)(one.kind, one.old, _moved(one.new), one.at_s) for one in recording.changes
    ]
    moved = replace(recording, changes=elsewhere)
    report = replayed(moved)
    assert (report.alike, report.has_differences) == (1, False)
    (placed,) = replay(moved).pods.values()
    assert placed.node == "n-3"


def _moved(obj: object) -> object:
    if isinstance(obj, dict) and obj.get("spec", {}).get("nodeName"):
        return {**obj, "spec": {**obj["spec"], "nodeName": "n-3"}}
    return obj


def test_claims_are_allocated_shared_and_freed_as_recorded(tmp_path: Path) -> None:
    train = deployment("train", 2, "low", "1")
    train["spec"]["template"]["spec"]["resourceClaims"] = [USE]
    named = {**GPU_CLASS, "spec": {**GPU_CLASS["spec"], "extendedResourceName": "example.com/gpu"}}
    extended = pod("extended", "low", "1")
    extended["spec"]["containers"][0]["resources"]["limits"] = {"example.com/gpu": "1"}
    steps: list[Step] = [
        {"at": "10s", "apply": shared_claim()},
        {"at": "11s", "apply": pod("s1", "mid", "500m", resourceClaims=[USE_SHARED])},
        {"at": "12s", "apply": pod("s2", "mid", "500m", resourceClaims=[USE_SHARED])},
        {"at": "13s", "apply": extended},
        {"at": "14s", "apply": pod("last", "low", "100m", resourceClaims=[USE])},
        {"at": "60s", "delete": "pod/s1"},
        {"at": "70s", "delete": "pod/s2"},
        {"at": "110s", "delete": "pod/extended"},
    ]
    manifests = [named, TEMPLATE, gpus("n-1", 3), train]
    text = scenario(steps, nodes=ONE_NODE, manifests=manifests, until="4m")
    recording = record(tmp_path, text)
    bound = {
        change.obj["metadata"]["name"]: change.at_s - recording.started_s
        for change in reversed(recording.changes)
        if change.obj.get("spec", {}).get("nodeName") and change.kind == "Pod"
    }
    assert bound["extended"] >= 70
    assert bound["last"] >= 110
    report = replayed(recording)
    assert (report.alike, report.has_differences) == (6, False), report


def test_the_replacement_of_a_pod_has_a_claim_of_its_own(tmp_path: Path) -> None:
    train = deployment("train", 2, "low", "1")
    train["spec"]["template"]["spec"]["resourceClaims"] = [USE]
    steps: list[Step] = [
        {"at": "10s", "apply": pod("urgent", "high", "3")},
        {"at": "60s", "delete": "pod/urgent"},
        {"at": "120s", "apply": pod("late", "low", "1", resourceClaims=[USE])},
    ]
    manifests = [GPU_CLASS, TEMPLATE, gpus("n-1", 2), train]
    for schedulers, configuration in (([{}], NO_PREEMPTION), (WITHOUT_PREEMPTION, "")):
        text = scenario(steps, nodes=ONE_NODE, manifests=manifests, schedulers=schedulers)
        whole = record(tmp_path / f"{len(configuration)}", text)
        for recording in (whole, _from(whole, 5)):
            report = replayed(recording, configuration)
            assert len(report.preemptions) == 1
            # The devices are taken all the same.
            assert "default/late" not in [one.pod for one in report.placements]


def _from(recording: Recording, passed_s: float) -> Recording:
    """A recording without its beginning."""
    started_s = recording.started_s + passed_s
    state = {identity_of(obj): obj for obj in recording.state}
    for change in recording.changes:
        if change.at_s <= started_s and change.new is not None:
            state[identity_of(change.new)] = change.new
    changes = [change for change in recording.changes if change.at_s > started_s]
    return replace(recording, started_s=started_s, state=[*state.values()], changes=changes)


def test_devices_that_other_schedulers_gave_are_taken(tmp_path: Path) -> None:
    other = pod("other", "high", "1", schedulerName="other", resourceClaims=[USE])
    profile = NO_PREEMPTION.replace("- plugins", "- schedulerName: other\n  plugins")
    schedulers = [{}, {"configuration": yaml.safe_load(profile)}]
    steps: list[Step] = [
        {"at": "10s", "apply": other},
        {"at": "20s", "apply": pod("own", "low", "1", resourceClaims=[USE])},
        {"at": "60s", "delete": "pod/other"},
    ]
    manifests = [GPU_CLASS, TEMPLATE, gpus("n-1", 1)]
    text = scenario(steps, nodes=ONE_NODE, manifests=manifests, schedulers=schedulers)
    recording = record(tmp_path, text)
    (own,) = (one for one in replay(recording).records.values() if one.key == "default/own")
    assert own.bound_s is not None
    assert own.bound_s - recording.started_s >= 60
    report = replayed(recording)
    assert (report.alike, report.has_differences) == (1, False), report


def test_drivers_report_of_devices_as_long_after_the_allocation(tmp_path: Path) -> None:
    slow = gpus("n-1", 1)
    slow["spec"]["devices"][0] |= {
        "bindingConditions": ["attached"],
        "bindingFailureConditions": ["broken"],
    }
    steps: list[Step] = [{"at": "10s", "apply": pod("p", "low", "1", resourceClaims=[USE])}]
    text = scenario(steps, nodes=ONE_NODE, manifests=[GPU_CLASS, TEMPLATE, slow], until="2m")
    recording = record(tmp_path, text)
    (allocated,) = (
        change.new
        for change in recording.changes
        if change.kind == "ResourceClaim" and (change.new or {}).get("status", {}).get("allocation")
    )
    assert not replayed(recording).has_differences
    condition = {"type": "attached", "status": "True"}
    device = {"driver": "gpu.example.com", "pool": "n-1", "device": "gpu-0"}
    reported = {**allocated["status"], "devices": [{**device, "conditions": [condition]}]}
    change = RecordedChange(
        "ResourceClaim", allocated, {**allocated, "status": reported}, recording.started_s + 40
    )
    (placed,) = replay(replace(recording, changes=[*recording.changes, change])).pods.values()
    assert placed.bound_s is not None
    assert 30 <= placed.bound_s - recording.started_s - 10 <= 35
    # What was never allocated in the recording needs no driver.
    unallocated = [
        change
        for change in recording.changes
        if not (change.new or {}).get("status", {}).get("allocation")
    ]
    (placed,) = replay(replace(recording, changes=unallocated)).pods.values()
    assert placed.bound_s is not None
    assert placed.bound_s - recording.started_s <= 15
