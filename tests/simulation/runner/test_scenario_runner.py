"""Scenarios that are played: what happens when, what is asserted, and that seeds repeat it all."""

import json
from pathlib import Path

import pytest

from podium.simulation.runner.scenario_runner import Simulation, simulate
from podium.simulation.runner.simulation_report import simulation_report
from podium.simulation.scenario.scenario_document import Scenario, read_scenario
from podium.simulation.timeline.facts import TimelineEntry
from podium.simulation.timeline.timeline_sentences import clock, sentences
from tests.conftest import ROOT

EXAMPLES = ROOT / "examples" / "scenarios"


def example(name: str, seed: int | None = None) -> Scenario:
    path = EXAMPLES / name
    return read_scenario(str(path), path.read_text(), seed)


def played(spec: str) -> Simulation:
    lines = "".join(f"  {line}\n" for line in spec.splitlines())
    header = "apiVersion: podium.dev/v1alpha1\nkind: Scenario\n"
    return simulate(read_scenario("s.yaml", f"{header}spec:\n{lines}"))


def told(simulation: Simulation) -> list[str]:
    return [f"{clock(at_s)} {text}" for at_s, text in sentences(simulation.entries)]


def test_faults_and_latencies_are_repeated_by_the_seed() -> None:
    spec = """seed: 5
nodes: [{name: n-, count: 3, capacity: {cpu: "2", memory: 8Gi}}]
latencies: {calls: 20ms, answers: 10ms, watches: 10ms, distribution: exponential}
faults: {refused: 0.1, unanswered: 0.1, brokenWatches: 0.1, restarts: 0.05}
manifests: [EXAMPLES/classes.yaml, EXAMPLES/shop.yaml]
steps:
- {at: 30s, down: n-1}
- {at: 2m, faults: {refused: 0, unanswered: 0, brokenWatches: 0, restarts: 0}}
- {within: 2m, assert: [{pods: app=shop, is: running, atLeast: 2}]}
""".replace("EXAMPLES", str(EXAMPLES))
    first, second = played(spec), played(spec)
    assert first.failures == 0
    assert simulation_report(first) == simulation_report(second)


def test_an_assertion_that_fails_says_what_is_the_case() -> None:
    simulation = played(
        """nodes: [{name: 'n', capacity: {cpu: "1"}}]
steps:
- at: 5s
  assert: [{node: 'n', is: cordoned}, {pod: a, is: ready}, {node: 'n', is: ready}]
"""
    )
    assert simulation.failures == 2
    assert told(simulation) == [
        "t+5s FAILED: node n is cordoned, but it is ready and schedulable (spec.steps[0])",
        "t+5s FAILED: pod a is ready, but it isn't there (spec.steps[0])",
        "t+5s PASSED: node n is ready",
    ]


def test_steps_may_stand_between_seconds() -> None:
    simulation = played("""nodes: [{name: 'n', capacity: {cpu: "1"}}]
until: 1300ms
steps: [{at: 1123ms, cordon: 'n'}, {at: 1123ms, uncordon: 'n'}]
""")
    assert {at_s for at_s, _ in sentences(simulation.entries)} == {1.123}
    assert simulation.ended_s == pytest.approx(1.3)


def test_waiting_ends_as_soon_as_all_assertions_hold() -> None:
    simulation = played(
        """nodes: [{name: 'n', capacity: {cpu: "1"}}]
pods: {startup: 3s, readyAfter: 4s}
steps:
- apply:
    apiVersion: v1
    kind: Pod
    metadata: {name: a}
    spec: {containers: [{name: c, image: i}]}
- {within: 1m, assert: [{pod: a, is: running}, {pod: a, is: ready}]}
"""
    )
    assert simulation.ended_s == 7.0
    assert simulation.failures == 0


@pytest.mark.parametrize(
    ("step", "failures"),
    [
        ("{delete: pod/a}", 1),
        ('{delete: pod/a, refused: pods "a" not found}', 0),
        ("{delete: pod/a, refused: other}", 1),
        ("{cordon: 'n', refused: 'no'}", 1),
    ],
)
def test_a_step_fails_if_its_refusal_is_not_the_expected_one(step: str, failures: int) -> None:
    simulation = played(f"nodes: [{{name: 'n', capacity: {{cpu: '1'}}}}]\nsteps: [{step}]")
    assert simulation.failures == failures


def test_what_is_applied_is_told_of_where_it_stands() -> None:
    node = "{apiVersion: v1, kind: Node, metadata: {name: node-a}}"
    budget = "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b}, spec: {}}"
    simulation = played(f"steps: [{{apply: [{node}, {budget}]}}]")
    applied = [entry for entry in simulation.entries if entry.type == "Applied"]
    assert [(entry.kind, entry.namespace) for entry in applied] == [
        ("Node", ""),
        ("PodDisruptionBudget", "default"),
    ]


@pytest.mark.parametrize("action", ["drain", "cordon", "down"])
def test_a_misspelt_node_is_an_error_that_names_a_similar_one(action: str) -> None:
    nodes = "nodes: [{name: worker-, count: 2, capacity: {cpu: '1'}}]"
    simulation = played(f"{nodes}\nsteps: [{{{action}: wroker-1}}]")
    assert simulation.failures == 1
    assert told(simulation) == [
        't+0s spec.steps[0] FAILED, it is refused: 404 nodes "wroker-1" not found; is worker-1 '
        "meant?"
    ]


def test_a_pod_that_has_a_node_starts_and_is_not_pending() -> None:
    spec = """nodes: [{name: 'n', capacity: {cpu: "1"}}]
pods: {startup: 1m}
until: 5s
steps:
- apply:
  - {apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: c, image: i}]}}
  - {apiVersion: v1, kind: Pod, metadata: {name: b}, spec: {nodeSelector: {on: other},
      containers: [{name: c, image: i}]}}
- assert: [{pod: a, is: running}]
"""
    simulation = played(spec)
    end = simulation_report(simulation).end
    assert (end.pods, [one.pod for one in end.pending]) == (
        {"Pending": 1, "Starting": 1},
        ["default/b"],
    )
    assert "a is running, but it is starting on n (spec.steps[1])" in told(simulation)[-1]


def test_a_drain_leaves_bare_pods_alone_unless_it_is_forced() -> None:
    spec = """nodes: [{name: 'n', capacity: {cpu: "1"}}]
manifests:
- apiVersion: v1
  kind: Pod
  metadata: {name: bare}
  spec: {nodeName: 'n', terminationGracePeriodSeconds: 5, containers: [{name: c, image: i}]}
steps:
- {at: 1s, drain: 'n'}
- assert: [{drain: 'n', is: failed}, {pod: bare, is: running}]
- {drain: {node: 'n', force: true}}
- {within: 1m, assert: [{drain: 'n', is: done}]}
"""
    simulation = played(spec)
    assert simulation.failures == 0
    assert simulation.ended_s == 7.0
    assert (
        "t+1s node n isn't drained: there are pods that no controller will recreate "
        "(--force loses them, NODE:force in a plan, force: true in a scenario): default/bare"
    ) in told(simulation)


def test_a_drain_that_two_budgets_forbid_names_both() -> None:
    spec = """nodes: [{name: 'n', capacity: {cpu: "4", memory: 8Gi}}]
manifests:
- EXAMPLES/classes.yaml
- EXAMPLES/shop.yaml
- apiVersion: policy/v1
  kind: PodDisruptionBudget
  metadata: {name: another}
  spec: {maxUnavailable: 1, selector: {matchLabels: {app: shop}}}
steps:
- {within: 1m, assert: [{pods: app=shop, is: ready, count: 2}]}
- {drain: 'n'}
- {within: 1m, assert: [{drain: 'n', is: failed}]}
""".replace("EXAMPLES", str(EXAMPLES))
    simulation = played(spec)
    assert simulation.failures == 0
    (failed,) = [entry for entry in simulation.entries if entry.type == "DrainFailed"]
    assert len(failed.details["pods"]) == 2
    (remedy, _) = failed.details["remedies"]
    assert remedy.startswith("budgets another and shop both select shop-")
    assert remedy.endswith("to let one go, keep budget another or shop alone, which allows it")


def test_what_happens_to_very_many_at_once_is_summed_up() -> None:
    entries = [
        TimelineEntry(1.0, "PodBound", "Pod", "default", f"p{i}", "", {"node": "n"})
        for i in range(50)
    ]
    lines = [
        text for _, text in sentences([*entries, TimelineEntry(2.0, "NodeReady", "Node", "", "n")])
    ]
    assert len(lines) == 6
    assert lines[4:] == ["pod p4 is bound to n; and likewise 45 more", "node n is ready"]


def test_a_step_after_the_end_is_not_taken() -> None:
    spec = "until: 1m\nnodes: [{name: 'n', capacity: {cpu: '1'}}]\nsteps: [{at: 2m, cordon: 'n'}]"
    simulation = played(spec)
    assert simulation.ended_s == 60.0
    assert told(simulation) == []


def test_a_step_that_interrupts_leaves_what_is_known() -> None:
    def interrupt(passed_s: float, entries: int) -> None:
        if passed_s >= 30:
            raise KeyboardInterrupt

    simulation = simulate(example("proposal-1.yaml"), interrupt)
    assert simulation.interrupted
    assert simulation.ended_s == 40.0
    assert simulation_report(simulation).interrupted is True
    assert len(simulation.entries) > 5


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "t+0s"), (10.07, "t+10.07s"), (90, "t+1m30s"), (3600, "t+1h0m0s"), (7261.5, "t+2h1m1.5s")],
)
def test_clock(seconds: float, text: str) -> None:
    assert clock(seconds) == text


def test_jobs_that_make_no_pods_say_why(tmp_path: Path) -> None:
    template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}
    specs = {"own": {}, "waits": {"suspend": True}, "foreign": {"managedBy": "example.com/queue"}}
    for name, spec in specs.items():
        job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name}}
        job |= {"spec": {"template": template, **spec}}
        (tmp_path / f"{name}.json").write_text(json.dumps(job))
    simulation = played(f"until: 2s\nsteps: [{{at: 1s, apply: [{tmp_path}]}}]")
    assert [text for text in told(simulation) if " job " in text] == [
        "t+1s job foreign is created, and makes no pods: example.com/queue, which spec.managedBy "
        "names, makes them and isn't played",
        "t+1s job own is created",
        "t+1s job waits is created, and makes no pods: it is suspended",
    ]


def test_pods_that_no_event_wakes_are_said_to_have_been_tried_late(tmp_path: Path) -> None:
    """The selector of namespaces isn't resolved by the hint, so that the store wakes nobody."""
    term = {
        "topologyKey": "kubernetes.io/hostname",
        "labelSelector": {"matchLabels": {"app": "store"}},
        "namespaceSelector": {"matchLabels": {"tier": "back"}},
    }
    near = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    container = {"name": "c", "image": "i"}
    objects = {
        "a": ("Namespace", {"name": "back", "labels": {"tier": "back"}}, {}),
        "b": ("Pod", {"name": "client"}, {"affinity": near, "containers": [container]}),
        "c": (
            "Pod",
            {"name": "store", "namespace": "back", "labels": {"app": "store"}},
            {"containers": [container]},
        ),
    }
    for name, (kind, metadata, spec) in objects.items():
        text = json.dumps({"apiVersion": "v1", "kind": kind, "metadata": metadata, "spec": spec})
        (tmp_path / f"{name}.json").write_text(text)
    paths = [str(tmp_path / f"{name}.json") for name in objects]
    spec = f"""nodes: [{{name: 'n', capacity: {{cpu: "4"}}}}]
steps:
- {{at: 1s, apply: [{paths[0]}, {paths[1]}]}}
- {{at: 30s, apply: [{paths[2]}]}}
"""
    late = [text for text in told(played(f"until: 6m\n{spec}")) if "client is bound" in text]
    waited = "no event had woken it, and it was tried only because it had waited for 5m29s"
    assert late == [f"t+5m30s pod client is bound to n: {waited}"]
    (pending,) = simulation_report(played(f"until: 1m\n{spec}")).end.pending
    assert (pending.pod, pending.fits_on, pending.tried_at) == ("default/client", "n", 330.0)
