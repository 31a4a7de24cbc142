"""The initial objects of an embedded cluster: simulated nodes, and the objects of manifests.

Manifests describe a cluster state, as in `podium plan -f`: objects exported from a cluster keep
their uids and statuses, and pods with a node run.
"""

from collections.abc import Callable, Iterable, Sequence
from ipaddress import IPv4Address
from typing import BinaryIO

from podium.api.codec.field_validation import FieldValidation
from podium.api.errors import FieldError, InvalidValueError
from podium.api.kinds.builtin_kinds import Kind
from podium.api.kinds.custom_kinds import DEFINITION, custom_kinds
from podium.api.objects import (
    DEFAULT_NAMESPACE,
    Object,
    annotated,
    annotations,
    namespace,
    part,
    spec_of,
    status_of,
)
from podium.api.selectors.labels import validate_label_key
from podium.api.values.quantity import NANOS_PER_UNIT, nanos
from podium.api.well_known import HOSTNAME_LABEL, REGION_LABEL, ZONE_LABEL
from podium.apiserver.admission.pod_plugins import DEFAULT_ACCOUNT
from podium.apiserver.kinds.registration.registrations import faults_of_manifest
from podium.apiserver.registry import BUILT_IN
from podium.cluster.embedded.defaults import NodeShape
from podium.cluster.manifests.manifest_sources import Manifests, read_sources
from podium.cluster.manifests.problems import ManifestError, Problem, describe
from podium.kubelet.simulated.behaviour import SIMULATED

PODS_PER_NODE = "110"
_SHAPE = "--node-shape"
_RESOURCES = ("cpu", "memory", "ephemeral-storage", "pods")
_INFO = {
    "kubeletVersion": "v1.36.2",
    "osImage": "Podium",
    "operatingSystem": "linux",
    "architecture": "amd64",
    "kernelVersion": "simulated",
    "containerRuntimeVersion": "podium://simulated",
    "kubeProxyVersion": "",
    "machineID": "",
    "systemUUID": "",
    "bootID": "",
}
_ADDRESSES = IPv4Address("172.16.0.0")


def parse_shape(text: str) -> dict[str, str]:
    """Parse resources such as `cpu=8,memory=32Gi,nvidia.com/gpu=1`; raises InvalidValueError."""
    amounts: dict[str, str] = {}
    for entry in filter(None, text.split(",")):
        name, _, amount = (part.strip() for part in entry.partition("="))
        if not name or not amount or name in amounts:
            rule = "must be NAME=AMOUNT with commas, each name once, such as cpu=8,memory=32Gi"
            raise InvalidValueError(FieldError(_SHAPE, text, rule))
        amounts[name] = amount
    return amounts


def simulated_nodes(count: int, shape: NodeShape) -> list[Object]:
    """Make nodes `podium-1` and so on, of the given resources and zones."""

    def checked(field: str, text: str) -> int:
        try:
            amount = nanos(text)
        except InvalidValueError as error:
            raise error.under(field) from None
        if amount < 0:
            raise InvalidValueError(FieldError(field, text, "must not be negative"))
        return amount

    checked("--node-cpu", shape.cpu)
    checked("--node-memory", shape.memory)
    for name, amount in shape.resources.items():
        where = f"{_SHAPE} {name}"
        is_known = name in _RESOURCES or name.startswith("hugepages-")
        if not is_known and ("/" not in name or validate_label_key(name)):
            known = ", ".join(_RESOURCES)
            rule = f"isn't a resource: must be {known}, or have a domain, such as nvidia.com/gpu"
            raise InvalidValueError(FieldError(where, amount, rule))
        if checked(where, amount) % NANOS_PER_UNIT and not is_known:
            raise InvalidValueError(FieldError(where, amount, "must be an integer"))
    own = {"cpu": shape.cpu, "memory": shape.memory, "pods": PODS_PER_NODE}
    amounts = {**own, **shape.resources}
    nodes: list[Object] = []
    for number in range(1, count + 1):
        name = f"podium-{number}"
        labels = {HOSTNAME_LABEL: name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64"}
        if shape.zones:
            zone = f"zone-{(number - 1) % shape.zones + 1}"
            labels |= {REGION_LABEL: "podium", ZONE_LABEL: zone}
        addresses = {"InternalIP": str(_ADDRESSES + number), "Hostname": name}
        status = {
            "capacity": amounts,
            "allocatable": amounts,
            "addresses": [{"type": kind, "address": text} for kind, text in addresses.items()],
            "nodeInfo": _INFO,
        }
        metadata = {"name": name, "labels": labels}
        header = {"apiVersion": "v1", "kind": "Node", "metadata": metadata}
        nodes.append({**header, "spec": {}, "status": status})
    return nodes


class InitialKinds:
    """Finds the kind of an object among served kinds and CustomResourceDefinitions before it."""

    def __init__(self, serves: Callable[[Object], Kind | None]) -> None:
        self._serves = serves
        self._defined: dict[tuple[str, str], Kind] = {}

    def __call__(self, obj: Object) -> Kind | None:
        kind = self._serves(obj)
        if kind is DEFINITION and not faults_of_manifest(obj):
            for custom in custom_kinds(obj):
                self._defined[custom.api_version, custom.name] = custom
        return kind or self._defined.get((str(obj.get("apiVersion")), str(obj.get("kind"))))


def read_manifests(
    paths: Sequence[str],
    stdin: BinaryIO | None = None,
    serves: Callable[[Object], Kind | None] = BUILT_IN.of,
    validation: FieldValidation = FieldValidation.STRICT,
) -> Manifests:
    """Read objects from files and directories, validated as by the API server.

    `serves` returns the kind of an object; None if the cluster doesn't serve it yet.
    """
    if not paths:
        return Manifests()
    kinds = InitialKinds(serves)
    manifests = read_sources(paths, stdin, validation=validation, kind_of=kinds)
    problems = [
        Problem(loaded.source, describe(loaded.obj), str(fault))
        for loaded in manifests.objects
        if not loaded.obj["metadata"].get("uid")
        for fault in faults_of_manifest(loaded.obj)
    ]
    if problems:
        raise ManifestError(problems)
    known = [loaded for loaded in manifests.objects if kinds(loaded.obj) is not None]
    return Manifests(known, manifests.notes, manifests.warnings)


def simulated(obj: Object) -> Object:
    """Annotate a node as simulated, unless it has the annotation; other objects don't change.

    A simulated node without `nodeInfo` gets that of Podium's nodes.
    """
    if obj.get("kind") != "Node":
        return obj
    is_simulated = annotations(obj).get(SIMULATED, "true")
    node, status = annotated(obj, {SIMULATED: is_simulated}), status_of(obj)
    if is_simulated != "true" or part(status, "nodeInfo").get("kubeletVersion"):
        return node
    return {**node, "status": {**status, "nodeInfo": _INFO}}


def with_service_accounts(objects: Iterable[Object]) -> list[Object]:
    """Add the ServiceAccounts of pods and workloads, if the objects have no ServiceAccount.

    Without ServiceAccounts, admission would refuse the replacements of the pods.
    """
    given = [*objects]
    if any(obj.get("kind") == "ServiceAccount" for obj in given):
        return given
    accounts: dict[tuple[str, str], Object] = {}
    for obj in given:
        spec = spec_of(obj)
        if obj.get("kind") != "Pod":
            spec = spec_of(part(spec_of(part(spec, "jobTemplate")) or spec, "template"))
        name = spec.get("serviceAccountName") or DEFAULT_ACCOUNT
        if name != DEFAULT_ACCOUNT:
            metadata = {"name": name, "namespace": namespace(obj) or DEFAULT_NAMESPACE}
            accounts[metadata["namespace"], name] = {
                "apiVersion": "v1",
                "kind": "ServiceAccount",
                "metadata": metadata,
            }
    return [*accounts.values(), *given]
