"""Each kind's own rules: one fault at a time, named by field."""

from typing import Any

import pytest

from podium.apiserver.kinds.registration.registration import metadata_alone
from podium.apiserver.kinds.registration.registrations import (
    REGISTRATIONS,
    decisive_faults,
    validate,
)
from tests.apiserver.validation.samples import (
    CONTAINER,
    SELECTOR,
    TEMPLATE,
    VALID,
    an_object,
    replaced,
)

Obj = dict[str, Any]


@pytest.mark.parametrize("kind", VALID)
def test_a_small_object_is_valid(kind: str) -> None:
    assert validate(an_object(kind)) == []


def test_all_kinds_are_tried() -> None:
    own = {name for name, one in REGISTRATIONS.items() if one.validate is not metadata_alone}
    assert own == set(VALID)


def test_the_jobs_of_a_cron_job_are_judged_as_jobs_are() -> None:
    path = "spec.jobTemplate.spec.completionMode"
    wrong = replaced(an_object("CronJob"), path.split("."), "Indexed")
    (fault,) = validate(wrong)
    assert fault.field == "spec.jobTemplate.spec.completions"


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ({"data": {"a": 1}}, "data.a: Invalid value: expected a string, got 1"),
        ({"data": ["a"]}, "data: Invalid value: expected an object, got a list"),
        ({"data": {"a": "1"}}, ""),
    ],
)
def test_a_kind_without_rules_is_judged_by_its_types(content: Obj, fault: str) -> None:
    config_map = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, **content}
    assert ", ".join(map(str, decisive_faults(config_map))) == fault


def term(**changes: Any) -> Obj:
    return {"required": [{"topologyKey": "z", "labelSelector": SELECTOR, **changes}]}


def affinity(kind: str, term: Any, how: str = "required") -> Obj:
    return {kind: {f"{how}DuringSchedulingIgnoredDuringExecution": term}}


REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
SPREAD: Obj = {"maxSkew": 1, "topologyKey": "z", "whenUnsatisfiable": "DoNotSchedule"}
NODE_TERMS = f"spec.affinity.nodeAffinity.{REQUIRED}.nodeSelectorTerms[0]"


def node_terms(expression: Obj, field: str = "matchExpressions") -> Obj:
    return affinity("nodeAffinity", {"nodeSelectorTerms": [{field: [expression]}]})


POD_FAULTS: list[tuple[str, Any, str, str]] = [
    ("metadata.labels", {"a b": "c"}, "metadata.labels", "name part must consist of"),
    ("metadata.labels", {"a": 7}, "metadata.labels[a]", "must be a string, so quote it"),
    ("metadata.labels", {"on": True}, "metadata.labels[on]", "must be a string, so quote it"),
    ("metadata.namespace", "A", "metadata.namespace", "RFC 1123 label"),
    ("metadata.annotations", {"a": 7}, "metadata.annotations[a]", "must be a string"),
    ("metadata.deletionTimestamp", "now", "metadata.deletionTimestamp", "RFC 3339"),
    ("metadata.creationTimestamp", 5, "metadata.creationTimestamp", "RFC 3339"),
    ("metadata.ownerReferences", [{}], "metadata.ownerReferences.uid", "must not be empty"),
    ("spec", None, "spec", "Required value"),
    ("spec", [], "spec", "Required value"),
    ("spec.containers", {}, "spec.containers", "Required value"),
    ("spec.containers", ["c"], "spec.containers[0]", "must be an object"),
    ("spec.containers.0.name", "", "spec.containers[0].name", "Required value"),
    ("spec.containers.0.name", "C", "spec.containers[0].name", "RFC 1123 label"),
    ("spec.containers.0.resources", [], "spec.containers[0].resources", "must be an object"),
    (
        "spec.containers.0.resources.requests",
        {"cpu": "-1"},
        "spec.containers[0].resources.requests[cpu]",
        "must be greater than or equal to 0",
    ),
    (
        "spec.containers.0.resources.requests",
        {"cpu": True},
        "spec.containers[0].resources.requests[cpu]",
        "must be a string or a number",
    ),
    (
        "spec.containers.0.resources.requests",
        {"example.com/gpu": 1},
        "spec.containers[0].resources.limits",
        "Limit must be set",
    ),
    (
        "spec.containers.0.resources",
        {"requests": {"example.com/gpu": 1}, "limits": {"example.com/gpu": 2}},
        "spec.containers[0].resources.requests",
        "must be equal to example.com/gpu limit of 2",
    ),
    ("spec.containers.0.ports", [{}], "spec.containers[0].ports[0].containerPort", "Required"),
    (
        "spec.containers.0.ports",
        [{"containerPort": 80, "hostPort": 80}, {"containerPort": 81, "hostPort": 80}],
        "spec.containers[0].ports[1].hostPort",
        'Duplicate value: "TCP//80"',
    ),
    (
        "spec.containers.0.ports",
        [{"containerPort": 80, "protocol": "tcp"}],
        "spec.containers[0].ports[0].protocol",
        'supported values: "SCTP", "TCP", "UDP"',
    ),
    ("spec.initContainers", [CONTAINER], "spec.initContainers[0].name", 'Duplicate value: "c"'),
    ("spec.nodeName", "Not A Node", "spec.nodeName", "RFC 1123 subdomain"),
    ("spec.priority", 2**31, "spec.priority", "must be between"),
    ("spec.priority", "high", "spec.priority", "must be an integer"),
    ("spec.preemptionPolicy", "None", "spec.preemptionPolicy", '"PreemptLowerPriority", "Never"'),
    ("spec.overhead", {"cpu": "x"}, "spec.overhead[cpu]", "quantities must match"),
    ("spec.hostNetwork", "yes", "spec.hostNetwork", "must be true or false"),
    (
        "spec.tolerations",
        [{"operator": "Exists", "value": "v"}],
        "spec.tolerations[0].operator",
        "",
    ),
    ("spec.tolerations", [{"key": "k", "effect": "No"}], "spec.tolerations[0].effect", "NoExecute"),
    (
        "spec.topologySpreadConstraints",
        [{**SPREAD, "maxSkew": 0}],
        "spec.topologySpreadConstraints[0].maxSkew",
        "must be greater than zero",
    ),
    (
        "spec.topologySpreadConstraints",
        [{**SPREAD, "minDomains": 0}],
        "spec.topologySpreadConstraints[0].minDomains",
        "must be greater than 0",
    ),
    (
        "spec.topologySpreadConstraints",
        [{**SPREAD, "nodeTaintsPolicy": "Maybe"}],
        "spec.topologySpreadConstraints[0].nodeTaintsPolicy",
        'supported values: "Honor", "Ignore"',
    ),
    (
        "spec.topologySpreadConstraints",
        [SPREAD, SPREAD],
        "spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}",
        'Duplicate value: "{z, DoNotSchedule}"',
    ),
    (
        "spec.affinity",
        affinity("podAffinity", [{"topologyKey": "z", "matchLabelKeys": ["a"]}]),
        f"spec.affinity.podAffinity.{REQUIRED}[0].matchLabelKeys",
        "Forbidden",
    ),
    (
        "spec.affinity",
        affinity("podAntiAffinity", [{"weight": 0, "podAffinityTerm": {}}], "preferred"),
        f"spec.affinity.podAntiAffinity.{PREFERRED}[0].weight",
        "must be in the range 1-100",
    ),
    (
        "spec.affinity",
        node_terms({"key": "a", "operator": "Like", "values": ["b"]}),
        f"{NODE_TERMS}.matchExpressions[0].operator",
        "not a valid selector operator",
    ),
    (
        "spec.affinity",
        node_terms({"key": "a", "operator": "Exists", "values": ["b"]}),
        f"{NODE_TERMS}.matchExpressions[0].values",
        "Forbidden",
    ),
    (
        "spec.affinity",
        node_terms({"key": "spec.x", "operator": "In", "values": ["b"]}, "matchFields"),
        f"{NODE_TERMS}.matchFields[0].key",
        "not a valid field selector key",
    ),
    (
        "spec.affinity",
        node_terms({"key": "metadata.name", "operator": "In", "values": []}, "matchFields"),
        f"{NODE_TERMS}.matchFields[0].values",
        "must be only one value",
    ),
    (
        "spec.resources",
        {"requests": {"example.com/gpu": 1}, "limits": {"example.com/gpu": 1}},
        "spec.resources.requests[example.com/gpu]",
        '"cpu", "hugepages-<size>", "memory"',
    ),
    (
        "spec.volumes",
        [{"name": "v", "persistentVolumeClaim": {}}],
        "spec.volumes[0].persistentVolumeClaim.claimName",
        "Required value",
    ),
    ("spec.schedulingGates", [{"name": "a"}, {}], "spec.schedulingGates[1]", "non-empty"),
    ("status.phase", "Dead", "status.phase", '"Pending", "Running"'),
    ("status.conditions", [{"type": "Ready"}], "status.conditions[0].status", "Required value"),
    (
        "status.containerStatuses",
        [{"name": "c", "allocatedResources": {"cpu": "x"}}],
        "status.containerStatuses[0].allocatedResources[cpu]",
        "quantities must match",
    ),
]


@pytest.mark.parametrize(("path", "value", "field", "text"), POD_FAULTS)
def test_fault_of_a_pod(path: str, value: Any, field: str, text: str) -> None:
    assert_fault("Pod", path, value, field, text)


FAULTS: list[tuple[str, str, Any, str, str]] = [
    ("Node", "spec.taints", [{"key": "k"}], "metadata.taints[0].effect", "Required value"),
    (
        "Node",
        "spec.taints",
        [{"key": "k", "effect": "NoSchedule"}] * 2,
        "metadata.taints[1]",
        "taints must be unique by key and effect pair",
    ),
    ("Node", "status.allocatable", {"pods": "1500m"}, "status.allocatable.pods", "an integer"),
    ("Node", "status.allocatable", {"cpu": "-1"}, "status.allocatable.cpu", "greater than"),
    ("Node", "spec.unschedulable", "no", "spec.unschedulable", "true or false"),
    ("Node", "status.images", [{"names": "x"}], "status.images[0].names", "must be a list"),
    ("Namespace", "metadata.name", "a.b", "metadata.name", "must not contain dots"),
    ("Service", "spec.selector", {"a": 1}, "spec.selector[a]", "must be a string"),
    ("PodDisruptionBudget", "spec.maxUnavailable", 1, "spec", "cannot be both set"),
    ("PodDisruptionBudget", "spec.minAvailable", -1, "spec.minAvailable", "greater than or equal"),
    ("PodDisruptionBudget", "spec.minAvailable", 1.5, "spec.minAvailable", "or a percentage"),
    (
        "PodDisruptionBudget",
        "spec.selector",
        {"matchExpressions": [{"key": "a", "operator": "Gt", "values": ["1"]}]},
        "spec.selector.matchExpressions[0].operator",
        "not a valid selector operator",
    ),
    (
        "PodDisruptionBudget",
        "spec.unhealthyPodEvictionPolicy",
        "Never",
        "spec.unhealthyPodEvictionPolicy",
        'supported values: "AlwaysAllow", "IfHealthyBudget"',
    ),
    ("PodDisruptionBudget", "status.disruptedPods", {"p": 1}, "status.disruptedPods[p]", "3339"),
    ("PriorityClass", "value", "high", "value", "must be an integer"),
    ("PriorityClass", "value", 2**31, "value", "must be between"),
    ("PriorityClass", "metadata.name", "system-x", "metadata.name", "not a known system priority"),
    (
        "PriorityClass",
        "metadata.name",
        "system-node-critical",
        "metadata.name",
        "must be 2000001000",
    ),
    ("Deployment", "spec.replicas", -1, "spec.replicas", "must be greater than or equal to 0"),
    ("Deployment", "spec.replicas", 1.5, "spec.replicas", "must be an integer"),
    ("Deployment", "spec.selector", None, "spec.selector", "Required value"),
    (
        "Deployment",
        "spec.selector",
        {"matchLabels": {"app": "b"}},
        "spec.template.metadata.labels",
        "`selector` does not match template `labels`",
    ),
    (
        "Deployment",
        "spec.template.spec.restartPolicy",
        "Never",
        "spec.template.spec.restartPolicy",
        'supported values: "Always"',
    ),
    (
        "Deployment",
        "spec.template.spec.containers.0.resources.requests",
        {"memory": "1Q"},
        "spec.template.spec.containers[0].resources.requests[memory]",
        "quantities must match",
    ),
    (
        "Deployment",
        "spec.strategy",
        {"rollingUpdate": {"maxSurge": "x"}},
        "spec.strategy.rollingUpdate.maxSurge",
        "percent",
    ),
    ("ReplicaSet", "spec.template", None, "spec.template.spec.containers", "Required value"),
    (
        "ReplicationController",
        "spec.selector",
        {"app": "b"},
        "spec.template.metadata.labels",
        "does not match",
    ),
    ("StatefulSet", "spec.podManagementPolicy", "x", "spec.podManagementPolicy", "Parallel"),
    ("StatefulSet", "spec.ordinals", {"start": -1}, "spec.ordinals.start", "greater than"),
    (
        "StatefulSet",
        "spec.volumeClaimTemplates",
        [{"metadata": {"name": "d"}, "spec": {"resources": {"requests": {"storage": "x"}}}}],
        "spec.volumeClaimTemplates[0].spec.resources.requests[storage]",
        "quantities must match",
    ),
    ("DaemonSet", "spec.updateStrategy", {"type": "x"}, "spec.updateStrategy", "OnDelete"),
    ("Job", "spec.template", TEMPLATE, "spec.template.spec.restartPolicy", '"OnFailure", "Never"'),
    ("Job", "spec.completionMode", "Indexed", "spec.completions", "when completion mode"),
    ("PersistentVolumeClaim", "spec.accessModes", ["x"], "spec.accessModes", "ReadWriteOnce"),
    (
        "PersistentVolume",
        "spec.nodeAffinity",
        {"required": {}},
        "spec.nodeAffinity.required.nodeSelectorTerms",
        "must have at least one node selector term",
    ),
    ("StorageClass", "volumeBindingMode", "Later", "volumeBindingMode", "WaitForFirstConsumer"),
    ("StorageClass", "provisioner", None, "provisioner", "Required value"),
    (
        "CSINode",
        "spec.drivers.0.allocatable",
        {"count": -1},
        "spec.drivers[0].allocatable.count",
        "",
    ),
    ("CSIDriver", "spec.attachRequired", 1, "spec.attachRequired", "true or false"),
    ("CSIStorageCapacity", "capacity", "x", "capacity", "quantities must match"),
    ("RuntimeClass", "overhead", {"podFixed": {"cpu": "x"}}, "overhead.podFixed[cpu]", "quantit"),
]


@pytest.mark.parametrize(("kind", "path", "value", "field", "text"), FAULTS)
def test_fault(kind: str, path: str, value: Any, field: str, text: str) -> None:
    assert_fault(kind, path, value, field, text)


def assert_fault(kind: str, path: str, value: Any, field: str, text: str) -> None:
    found = [str(fault) for fault in validate(an_object(kind, path, value))]
    assert [fault for fault in found if fault.startswith(f"{field}: ") and text in fault], found


def test_a_system_class_is_known() -> None:
    obj = an_object("PriorityClass", "value", 2_000_000_000)
    assert validate({**obj, "metadata": {"name": "system-cluster-critical"}}) == []
    (fault,) = validate(
        {**obj, "metadata": {"name": "system-cluster-critical"}, "globalDefault": True}
    )
    assert "globalDefault" in fault.message


def test_pod_level_requests_cover_the_containers() -> None:
    obj = an_object("Pod", "spec.containers.0.resources", {"requests": {"cpu": "2"}})
    obj = replaced(obj, ["spec", "resources"], {"requests": {"cpu": "1", "memory": "1Gi"}})
    (fault,) = validate(obj)
    assert fault.field == "spec.resources.requests[cpu]"


def test_ports_in_the_nodes_network_have_one_number() -> None:
    ports = [{"containerPort": 80, "hostPort": 81}]
    obj = replaced(
        an_object("Pod", "spec.hostNetwork", True),
        ["spec", "containers"],
        [{**CONTAINER, "ports": ports}],
    )
    (fault,) = validate(obj)
    assert fault.field == "spec.containers[0].ports[0].hostPort"


def test_kinds_of_other_groups_are_unknown() -> None:
    assert validate({"apiVersion": "serving.knative.dev/v1", "kind": "Service"}) == []
