"""Anonymized objects: nothing of them is left, and all is decided alike."""

import json
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from podium.api.documents.report import plain
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object
from podium.apiserver.kinds.registration.registrations import faults_of_manifest
from podium.apiserver.requests import Request, handle
from podium.apiserver.server import ApiServer
from podium.apiserver.store.store import Store
from podium.cluster.snapshot.anonymizer import Anonymizer, pseudonyms
from podium.scheduler.plugin_registry import plugin_factories
from podium.simulation.decide.stream import answers
from podium.whatif.plan.changes import Apply
from podium.whatif.plan.planner import plan
from podium.whatif.plan.request import LoadedState, PlanRequest
from tests import device_objects
from tests.conformance.comparison import read_records
from tests.conformance.test_claims import RECORDS, scenario
from tests.conftest import ROOT
from tests.objects import claim, pod, workload
from tests.properties import clusters
from tests.properties.clusters import Obj, Scenes

WORDS = st.text(alphabet="a09bdefltuAZ_", min_size=1, max_size=6)
PLUGINS = frozenset(plugin_factories())
KEPT = ("a", "default", "node", "true", *map(str, range(12)))


@given(st.sets(WORDS, max_size=30))
def test_pseudonyms_are_in_the_order_of_the_words(words: set[str]) -> None:
    ordered = sorted({*words, *KEPT, "default0", "defaultx", "node0", "10x", "1a"})
    found = pseudonyms(ordered, KEPT)
    named = [found[word] for word in ordered]
    assert named == sorted(named)
    assert len({*named}) == len(named)
    assert all(found[word] == word for word in KEPT)


@given(clusters.scenes())
def test_decisions_about_pseudonyms_are_the_decisions_under_pseudonyms(scenes: Scenes) -> None:
    for drawn, _ in islice(scenes, 1):
        lists = {field: held for field, held in drawn.items() if is_objects(held)}
        anonymizer = Anonymizer(obj for held in lists.values() for obj in held)
        hidden = {field: [*map(anonymizer.anonymized, held)] for field, held in lists.items()}
        assert decided({**drawn, **hidden}) == under(decided(drawn), anonymizer)


def is_objects(held: object) -> bool:
    return isinstance(held, list) and all(
        isinstance(one, dict) and "metadata" in one for one in held
    )


def decided(drawn: Obj) -> list[Any]:
    (line,) = answers([json.dumps(drawn).encode()])
    answer = json.loads(line)
    assert not answer["error"]
    return [decision_of(one) for one in answer["decisions"]]


def decision_of(one: Any) -> Any:
    told = {field: one[field] for field in ("pod", "feasible", "best", "bound")}
    found = one["preemption"] or {}
    weighed = {field: found.get(field) for field in ("candidates", "selected", "nominated")}
    return {**told, **weighed, "scores": [*map(list, sorted(one["scores"].items()))]}


def under(value: Any, anonymizer: Anonymizer) -> Any:
    """The same under pseudonyms; names of plugins are nobody's."""
    if isinstance(value, str):
        return value if value in PLUGINS else anonymizer.text(value)
    if isinstance(value, list | tuple):
        return [under(one, anonymizer) for one in value]
    if isinstance(value, dict):
        return {field: under(one, anonymizer) for field, one in value.items()}
    return value


@pytest.mark.parametrize(
    ("example", "change"),
    [
        ("non-preempting", "urgent"),
        ("proposal-3", "waiting"),
        ("spread-several-constraints", "mypod"),
    ],
)
def test_plans_about_pseudonyms_are_the_plans_under_pseudonyms(example: str, change: str) -> None:
    directory = ROOT / "examples" / example
    state = [one for path in sorted(directory.glob("state/*")) for one in objects_in(path)]
    applied = objects_in(directory / f"{change}.yaml")
    anonymizer = Anonymizer([*state, *applied])
    hidden = [[*map(anonymizer.anonymized, objects)] for objects in (state, applied)]
    made = under(planned(state, applied), anonymizer)
    assert planned(*hidden) == made
    assert made["placements"]


def objects_in(path: Path) -> list[Obj]:
    """The objects of a file, in their namespaces."""
    found = [one for one in yaml.safe_load_all(path.read_text()) if one]
    for obj in found:
        if KINDS[obj["kind"]].namespaced:
            obj["metadata"].setdefault("namespace", "default")
    return found


def planned(state: list[Object], applied: list[Object]) -> Any:
    made = plain(plan(PlanRequest(LoadedState(state), (Apply(applied),))))
    return {
        "placements": [[one["pod"], one["node"]] for one in made["placements"]],
        "preemptions": [
            [one["preemptor"], one["node"], [victim["pod"] for victim in one["victims"]]]
            for one in made["preemptions"]
        ],
        "pending": [one["pod"] for one in made["pending"]],
    }


SECRETS = ("acme", "paypal", "secret", "10.1.2.3", "Bob", "Franz", "kafka")


NODE = """
apiVersion: v1
kind: Node
metadata:
  name: ip-10-1-2-3.acme.com
  labels:
    kubernetes.io/hostname: ip-10-1-2-3.acme.com
    kubernetes.io/os: linux
    topology.kubernetes.io/zone: acme-1a
    acme.com/size: "16"
spec:
  providerID: acme://10.1.2.3
  taints: [{key: acme.com/only, value: Bob, effect: NoSchedule}]
status:
  capacity: {cpu: "8", acme.com/gpu: "2"}
  addresses: [{type: InternalIP, address: 10.1.2.3}]
  images: [{names: ["registry.acme.com/paypal/kafka:1.2"], sizeBytes: 5}]
"""
POD = """
apiVersion: v1
kind: Pod
metadata:
  name: kafka-0
  namespace: acme
  uid: uid-0
  labels: {app.kubernetes.io/name: kafka, acme.com/team: Bob_Franz}
  annotations: {acme.com/contact: Bob, controller.kubernetes.io/pod-deletion-cost: "-50"}
  ownerReferences: [{apiVersion: acme.com/v1, kind: PayPal, name: kafka, uid: u}]
spec:
  nodeName: ip-10-1-2-3.acme.com
  priorityClassName: system-node-critical
  schedulerName: default-scheduler
  containers:
  - name: kafka
    image: registry.acme.com/paypal/kafka:1.2@sha256:acme
    env: [{name: PASSWORD, value: secret}]
    command: [secret]
    ports: [{containerPort: 80, hostPort: 8080, hostIP: 10.1.2.3, name: acme}]
    resources: {requests: {cpu: "1", acme.com/gpu: "1"}}
    livenessProbe: {exec: {command: [secret]}}
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
        - matchExpressions: [{key: acme.com/size, operator: Gt, values: ["7"]}]
  tolerations: [{key: node.kubernetes.io/unreachable, operator: Exists}]
status:
  phase: Running
  podIP: 10.1.2.3
  startTime: "2026-01-01T00:00:00Z"
  conditions: [{type: Ready, status: "True", message: secret of Bob}]
"""


def test_nothing_of_it_is_left_but_what_decides() -> None:
    node, pod = yaml.safe_load(NODE), yaml.safe_load(POD)
    anonymizer = Anonymizer([node, pod])
    hidden, there = anonymizer.anonymized(pod), anonymizer.anonymized(node)
    text = json.dumps([hidden, there]).replace("acme.com/gpu", "").lower()
    assert [secret for secret in SECRETS if secret.lower() in text] == []
    labels = there["metadata"]["labels"]
    assert (labels["kubernetes.io/os"], "16" in labels.values()) == ("linux", True)
    assert labels["kubernetes.io/hostname"] == there["metadata"]["name"]
    assert hidden["spec"]["nodeName"] == there["metadata"]["name"]
    assert there["status"]["capacity"] == {"cpu": "8", "acme.com/gpu": "2"}
    assert hidden["spec"]["priorityClassName"] == "system-node-critical"
    assert hidden["spec"]["tolerations"][0]["key"] == "node.kubernetes.io/unreachable"
    costs = {"controller.kubernetes.io/pod-deletion-cost": "-50"}
    assert hidden["metadata"]["annotations"] == costs
    assert hidden["status"]["conditions"] == [{"type": "Ready", "status": "True"}]


def test_controllers_know_their_pods_and_claims_by_name() -> None:
    sets = workload("StatefulSet", "kafka", replicas=3)
    sets["spec"]["volumeClaimTemplates"] = [claim("logs", "disks")]
    pods = [pod(f"kafka-{n}", owner=sets) for n in range(3)]
    anonymizer = Anonymizer([sets, *pods, claim("logs-kafka-11", "disks")])
    called = anonymizer.text("kafka")
    names = [anonymizer.anonymized(one)["metadata"]["name"] for one in pods]
    assert names == [f"{called}-{n}" for n in range(3)]
    template = anonymizer.anonymized(sets)["spec"]["volumeClaimTemplates"][0]["metadata"]["name"]
    claimed = anonymizer.anonymized(claim("logs-kafka-11", "disks"))["metadata"]["name"]
    assert claimed == f"{template}-{called}-11"


DEFAULTED = """
apiVersion: v1
kind: Pod
metadata: {name: kafka, namespace: default}
spec:
  containers:
  - name: kafka
    image: kafka
    terminationMessagePolicy: File
    resizePolicy: [{resourceName: cpu, restartPolicy: NotRequired}]
  volumes:
  - name: info
    downwardAPI:
      items:
      - {path: labels, fieldRef: {fieldPath: metadata.labels}}
      - {path: cpu, resourceFieldRef: {containerName: kafka, resource: limits.cpu, divisor: 1m}}
  - name: data
    image: {reference: acme, pullPolicy: IfNotPresent}
  - name: disk
    azureDisk: {diskName: acme, diskURI: acme, cachingMode: ReadWrite, kind: Managed}
"""


def test_the_api_server_accepts_an_anonymized_pod() -> None:
    """Replacements of pods in a plan are created by templates with pseudonyms."""
    original = yaml.safe_load(DEFAULTED)
    body = json.dumps(Anonymizer([original]).anonymized(original)).encode()
    server = ApiServer(Store(), Random(1))
    server.bootstrap(0.0)
    response = handle(server, Request("POST", "/api/v1/namespaces/default/pods", {}, body), 0.0)
    assert (response.code, response.body.get("message")) == (201, None)


def test_declared_features_of_nodes_stay() -> None:
    declaring = yaml.safe_load(NODE)
    declaring["status"]["declaredFeatures"] = ["RestartAllContainersOnContainerExits"]
    hidden = Anonymizer([declaring]).anonymized(declaring)
    assert hidden["status"]["declaredFeatures"] == ["RestartAllContainersOnContainerExits"]


def test_names_of_devices_are_hidden_and_what_selectors_read_is_kept() -> None:
    shown = device_objects.device("gpu-secret", {"memory": "40Gi"}, model="A100", serial="secret")
    shown["taints"] = [{"key": "hidden.example.com/secret", "effect": "NoSchedule"}]
    request = device_objects.exactly("secret", capacity={"requests": {"memory": "1"}})
    attribute = f"{device_objects.DRIVER}/serial"
    constraint = {"requests": ["secret"], "matchAttribute": attribute}
    wish = {"devices": {"requests": [request], "constraints": [constraint]}}
    claimed = {
        "apiVersion": device_objects.API,
        "kind": "ResourceClaim",
        "metadata": {"name": "secret", "namespace": "default"},
        "spec": wish,
    }
    expression = 'device.attributes["gpu.example.com"].model.matches("^A")'
    objects = [
        device_objects.resource_slice("n", [shown]),
        claimed,
        device_objects.device_class("gpu", expression),
    ]
    hidden = [*map(Anonymizer(objects).anonymized, objects)]
    assert "secret" not in str(hidden)
    (device,) = hidden[0]["spec"]["devices"]
    assert device["attributes"]["model"] == {"string": "A100"}
    assert device["capacity"] == {"memory": {"value": "40Gi"}}
    (asked,), (matched,) = (hidden[1]["spec"]["devices"][part] for part in wish["devices"])
    assert matched == {"requests": [asked["name"]], "matchAttribute": attribute}
    assert asked["exactly"]["capacity"] == {"requests": {"memory": "1"}}
    assert [faults_of_manifest(one) for one in hidden] == [[], [], []]


def test_recorded_decisions_about_devices_are_the_same_under_pseudonyms() -> None:
    def devices(drawn: Obj) -> list[Any]:
        (line,) = answers([json.dumps(drawn).encode()])
        allocations = json.loads(line)["decisions"][0].get("allocations", {})
        return [
            [node, [[one["pool"], one["device"]] for claim in claims.values() for one in claim]]
            for node, claims in allocations.items()
        ]

    for record in read_records(RECORDS)[::20]:
        asked = scenario(record)
        lists = {field: held for field, held in asked.items() if is_objects(held)}
        anonymizer = Anonymizer(obj for held in lists.values() for obj in held)
        hidden = asked | {
            field: [*map(anonymizer.anonymized, held)] for field, held in lists.items()
        }
        assert decided(hidden) == under(decided(asked), anonymizer)
        assert devices(hidden) == under(devices(asked), anonymizer)


def test_names_of_device_classes_stay_as_names_of_resources_contain_them() -> None:
    hard = {"gpu.deviceclass.resource.k8s.io/devices": "1"}
    quota = {"kind": "ResourceQuota", "metadata": {"name": "q"}, "spec": {"hard": hard}}
    reserved = [{"resource": "pods", "name": "p", "uid": "u"}]
    shared = device_objects.claim("c", reservedFor=reserved)
    objects = [device_objects.device_class("gpu"), quota, shared]
    of_class, limited, held = map(Anonymizer(objects).anonymized, objects)
    assert of_class["metadata"]["name"] == "gpu"
    assert limited["spec"]["hard"] == hard
    assert held["status"]["reservedFor"][0]["resource"] == "pods"
