"""Scenario files: what is read from them, and how faults are told."""

from pathlib import Path

import pytest

from podium.api.errors import PodiumError
from podium.cluster.virtual.cluster_options import START_S
from podium.simulation.scenario.fields import ActionTarget
from podium.simulation.scenario.scenario_document import Scenario, read_scenario
from podium.simulation.scenario.steps import Delete, Drain, Expect, Merge, Taint

_HEADER = "apiVersion: podium.dev/v1alpha1\nkind: Scenario\n"


def read(spec: str, path: str = "s.yaml") -> Scenario:
    lines = "".join(f"  {line}\n" for line in spec.splitlines())
    return read_scenario(path, f"{_HEADER}spec:\n{lines}")


def faults(spec: str) -> list[str]:
    with pytest.raises(PodiumError) as caught:
        read(spec)
    return str(caught.value).splitlines()


def test_nodes_are_made_of_templates() -> None:
    spec = "nodes: [{name: n-, count: 3, capacity: {cpu: '2'}, zones: [a, b]}, {name: lone}]"
    nodes = read(spec).objects
    assert [node["metadata"]["name"] for node in nodes] == ["n-1", "n-2", "n-3", "lone"]
    zones = [n["metadata"]["labels"].get("topology.kubernetes.io/zone") for n in nodes]
    assert zones == ["a", "b", "a", None]
    assert nodes[0]["status"]["allocatable"] == {"pods": "110", "cpu": "2"}


def test_a_scenario_starts_when_its_objects_have_come() -> None:
    pod = "{apiVersion: v1, kind: Pod, metadata: {name: p, creationTimestamp: '%s'}, spec: %s}"
    spec = "{containers: [{name: c, image: i}]}"
    manifests = f"manifests: [{pod % ('2030-01-01T00:00:07Z', spec)}]"
    assert read(manifests).options.start_s == 1893456007
    assert read(f"start: 2031-01-01T00:00:00Z\n{manifests}").options.start_s == 1924992000
    assert read("{}").options.start_s == START_S


def test_a_scenario_without_a_spec_is_refused() -> None:
    with pytest.raises(PodiumError) as caught:
        read_scenario("s.yaml", "apiVersion: podium.dev/v1alpha1\nkind: Scenario\n")
    assert str(caught.value) == "s.yaml: spec: Required value"


def test_steps_have_one_action_each() -> None:
    steps = read(
        """steps:
- {at: 1m30s, drain: {node: 'n', timeout: 1m, force: true}}
- {drain: m}
- {delete: [pod/a, shop/deploy/web]}
- {delete: {objects: pod/a, gracePeriod: 5s}}
- {taint: "n gpu=broken:NoExecute"}
- {untaint: "n gpu:NoExecute"}
- {scale: {object: deployment/web, replicas: 3}}
- {within: 1m, assert: [{pods: app=web, is: ready, atLeast: 2}]}
"""
    ).steps
    assert [step.at_s for step in steps[:2]] == [90.0, None]
    actions = [step.action for step in steps]
    assert isinstance(actions[0], Drain)
    assert (actions[0].node, actions[0].timeout_s, actions[0].force) == ("n", 60.0, True)
    assert actions[1] == Drain(node="m")
    pod = ActionTarget("Pod", "default", "a")
    assert actions[2] == Delete(objects=(pod, ActionTarget("Deployment", "shop", "web")))
    assert isinstance(actions[3], Delete)
    assert (actions[3].objects, actions[3].grace_period_s) == ((pod,), 5)
    assert actions[4] == Taint("n", {"key": "gpu", "value": "broken", "effect": "NoExecute"})
    assert actions[5] == Taint("n", {"key": "gpu", "effect": "NoExecute"}, removes=True)
    assert isinstance(actions[6], Merge)
    assert actions[6].body == {"spec": {"replicas": 3}}
    assert isinstance(actions[7], Expect)
    assert (actions[7].within_s, actions[7].checks[0].least) == (60.0, 2)


def test_manifests_stand_in_the_file_or_beside_it(tmp_path: Path) -> None:
    beside = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n"
    (tmp_path / "ns.yaml").write_text(beside)
    spec = "manifests: [ns.yaml, {apiVersion: v1, kind: ConfigMap, metadata: {name: c}}]"
    objects = read(spec, str(tmp_path / "s.yaml")).objects
    assert [obj["kind"] for obj in objects] == ["Namespace", "ConfigMap"]
    assert objects[1]["metadata"]["namespace"] == "default"


def test_the_given_seed_counts() -> None:
    text = f"{_HEADER}spec: {{seed: 3}}"
    assert read_scenario("s.yaml", text).options.seed == 3
    scenario = read_scenario("s.yaml", text, 4)
    assert scenario.options.seed == 4
    assert scenario.options.nodes is not None
    assert scenario.options.nodes.seed == 4


@pytest.mark.parametrize(
    ("spec", "fault"),
    [
        ("sed: 1", "spec.sed: Forbidden: unknown field; known: description, seed,"),
        ("steps: [{at: 5, cordon: 'n'}]", "spec.steps[0].at: Invalid value: 5: must be a duration"),
        ("steps: [{at: 1m}]", "spec.steps[0]: Invalid value: []: must have exactly one of apply,"),
        (
            "steps: [{at: 1m, cordon: 'n'}, {at: 30s, cordon: 'n'}]",
            'spec.steps[1].at: Invalid value: "30s": must not be before the step before it',
        ),
        (
            "steps: [{delete: web}]",
            'spec.steps[0].delete: Invalid value: "web": must be KIND/NAME or NAMESPACE/KIND/NAME',
        ),
        (
            "steps: [{delete: gadget/a}]",
            'spec.steps[0].delete: Invalid value: "gadget/a": there is no kind gadget; there are',
        ),
        (
            "steps: [{scale: {object: pod/a, replicas: 1}}]",
            'spec.steps[0].scale.object: Invalid value: "pod/a": kinds that can be scaled: Depl',
        ),
        (
            "steps: [{taint: 'n'}]",
            'spec.steps[0].taint: Invalid value: "n": must be `NODE KEY[=VALUE]:EFFECT`',
        ),
        (
            "steps: [{assert: [{pod: a, is: fine}]}]",
            'spec.steps[0].assert[0].is: Unsupported value: "fine": supported values: "there",',
        ),
        (
            "steps: [{behave: {object: pod/a, annotations: {run-duration: x}}}]",
            "spec.steps[0].behave.annotations: Invalid value: ",
        ),
        ("steps: [{drain: {timeout: 1m}}]", "spec.steps[0].drain.node: Required value: the name"),
        ("controllers: {enabled: [x]}", 'spec.controllers.enabled[0]: Unsupported value: "x":'),
        ("faults: {refused: 2}", "spec.faults.refused: Invalid value: 2: must be a number from 0"),
        ("pods: {startup: fast}", 'spec.pods.startup: Invalid value: "fast": must be a duration'),
        (
            "nodes: [{name: Big}]",
            'spec.nodes[0]: Invalid value: "Node Big": metadata.name: Invalid value: "Big": a low',
        ),
        (
            "nodes: [{name: 'n', taints: [{key: a, effect: Go}]}]",
            'spec.nodes[0]: Invalid value: "Node n": metadata.taints[0].effect: Unsupported value:',
        ),
        (
            "nodes: [{name: 'n', capacity: {cpu: much}}]",
            'spec.nodes[0].capacity.cpu: Invalid value: "much": quantities must match',
        ),
        (
            "nodes: [{name: 'n', annotations: {podium.dev/down: maybe}}]",
            "spec.nodes[0].annotations: Invalid value: ",
        ),
        ("manifests: [none.yaml]", 'spec.manifests[0]: Invalid value: "none.yaml": none.yaml: can'),
        ("start: now", 'spec.start: Invalid value: "now": must be a time such as'),
        (
            "schedulers: [{configuration: {kind: Policy}}]",
            "spec.schedulers[0].documents[0].kind: Invalid value",
        ),
        (
            "manifests: [{apiVersion: v1, kind: Pod, metadata: {name: a}}]",
            'spec.manifests[0]: Invalid value: "Pod default/a": spec: Required value',
        ),
        (
            "manifests: [{apiVersion: x/v1, kind: Gadget, metadata: {name: a}}]",
            'spec.manifests[0]: Unsupported value: "Gadget": known kinds: Pod,',
        ),
    ],
)
def test_a_fault_names_the_field_and_what_would_do(spec: str, fault: str) -> None:
    (line,) = faults(spec)
    assert line.startswith(f"s.yaml: {fault}")


def test_how_long_volumes_take_is_told_beside_the_latencies() -> None:
    assert read("latencies: {volumes: 2m}").options.provisioning_s == 120.0
    assert read("latencies: {volumes: 0s, calls: 1s}").options.provisioning_s == 0.0
    assert read("latencies: {calls: 1s}").options.provisioning_s == 1.0
    assert len(faults("latencies: fast")) == 1


def test_all_faults_are_told_at_once() -> None:
    assert len(faults("seed: x\nuntil: y\nsteps: [{cordon: 'n', at: z}]")) == 3


def test_another_kind_is_no_scenario() -> None:
    with pytest.raises(PodiumError) as caught:
        read_scenario("s.yaml", "kind: Pod\n")
    assert str(caught.value).splitlines() == [
        "s.yaml: apiVersion: Required value: podium.dev/v1alpha1",
        's.yaml: kind: Unsupported value: "Pod": supported values: "Scenario"',
        "s.yaml: spec: Required value",
    ]


def test_what_is_not_yaml_is_told_with_its_line() -> None:
    with pytest.raises(PodiumError, match=r"^s\.yaml, line 4: not valid YAML: "):
        read_scenario("s.yaml", f"{_HEADER}spec: {{nodes: [\n")
