"""The objects that a cluster starts with: simulated nodes, and those of manifests.

Manifests stand for a state, as for `podium plan -f`: what comes from a real cluster stays as it
is, uids and statuses included, and pods that are on a node run.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
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
from podium.cluster.manifests import ManifestError, Manifests, Problem, read_sources
from podium.cluster.manifests.problems import describe
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
    """The resources of `cpu=8,memory=32Gi,nvidia.com/gpu=1`; raises InvalidValueError."""
    found: dict[str, str] = {}
    for entry in filter(None, text.split(",")):
        name, _, amount = (one.strip() for one in entry.partition("="))
        if not name or not amount or name in found:
            rule = "must be NAME=AMOUNT with commas, each name once, such as cpu=8,memory=32Gi"
            raise InvalidValueError(FieldError(_SHAPE, text, rule))
        found[name] = amount
    return found


def simulated_nodes(count: int, shape: NodeShape) -> list[Object]:
    """Nodes `podium-1` to `podium-COUNT`, all alike but for their zones.

    Raises:
        InvalidValueError: the shape isn't made of resources and quantities.
    """
    _check("--node-cpu", shape.cpu)
    _check("--node-memory", shape.memory)
    for name, amount in shape.resources.items():
        where = f"{_SHAPE} {name}"
        is_known = name in _RESOURCES or name.startswith("hugepages-")
        if not is_known and ("/" not in name or validate_label_key(name)):
            known = ", ".join(_RESOURCES)
            rule = f"isn't a resource: must be {known}, or have a domain, such as nvidia.com/gpu"
            raise InvalidValueError(FieldError(where, amount, rule))
        if _check(where, amount) % NANOS_PER_UNIT and not is_known:
            raise InvalidValueError(FieldError(where, amount, "must be an integer"))
    own = {"cpu": shape.cpu, "memory": shape.memory, "pods": PODS_PER_NODE}
    amounts = {**own, **shape.resources}
    return [_node(number, amounts, shape.zones) for number in range(1, count + 1)]


def _check(field: str, text: str) -> int:
    try:
        amount = nanos(text)
    except InvalidValueError as error:
        raise error.under(field) from None
    if amount < 0:
        raise InvalidValueError(FieldError(field, text, "must not be negative"))
    return amount


class InitialKinds:
    """Finds the kind of an object: one that is served, or that a definition seen before brings."""

    def __init__(self, serves: Callable[[Object], Kind | None]) -> None:
        self._serves = serves
        self._defined: dict[tuple[str, str], Kind] = {}

    def __call__(self, obj: Object) -> Kind | None:
        kind = self._serves(obj)
        if kind is DEFINITION and not faults_of_manifest(obj):
            for one in custom_kinds(obj):
                self._defined[one.api_version, one.name] = one
        return kind or self._defined.get((str(obj.get("apiVersion")), str(obj.get("kind"))))


def read_manifests(
    paths: Sequence[str],
    stdin: BinaryIO | None = None,
    serves: Callable[[Object], Kind | None] = BUILT_IN.of,
    validation: FieldValidation = FieldValidation.STRICT,
) -> Manifests:
    """The objects of files and directories, judged as the API would judge them.

    Args:
        stdin: what `-` stands for.
        serves: the kind of an object, if it is served already.

    Raises:
        ManifestError: anything is wrong; file, object and field of all that is.
    """
    if not paths:
        return Manifests()
    kinds = InitialKinds(serves)
    found = read_sources(paths, stdin, validation=validation, kind_of=kinds)
    problems = [
        Problem(loaded.source, describe(loaded.obj), str(fault))
        for loaded in found.objects
        if not loaded.obj["metadata"].get("uid")
        for fault in faults_of_manifest(loaded.obj)
    ]
    if problems:
        raise ManifestError(problems)
    known = [loaded for loaded in found.objects if kinds(loaded.obj) is not None]
    return Manifests(known, found.notes, found.warnings)


def simulated(obj: Object) -> Object:
    """The object; a node is marked as simulated, unless it says otherwise.

    What such a node runs is told, if nothing is.
    """
    if obj.get("kind") != "Node":
        return obj
    said = annotations(obj).get(SIMULATED, "true")
    node, status = annotated(obj, {SIMULATED: said}), status_of(obj)
    if said != "true" or part(status, "nodeInfo").get("kubeletVersion"):
        return node
    return {**node, "status": {**status, "nodeInfo": _INFO}}


def with_service_accounts(objects: Iterable[Object]) -> list[Object]:
    """Add the ServiceAccounts that pods name, if the objects have no ServiceAccount at all.

    Else nobody could make these pods again.
    """
    found = [*objects]
    if any(obj.get("kind") == "ServiceAccount" for obj in found):
        return found
    named = ((namespace(obj) or DEFAULT_NAMESPACE, _pod_spec(obj)) for obj in found)
    wanted = {
        (place, spec["serviceAccountName"]): None
        for place, spec in named
        if ((spec.get("serviceAccountName") or DEFAULT_ACCOUNT) != DEFAULT_ACCOUNT)
    }
    accounts = (
        {
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": {"name": called, "namespace": place},
        }
        for place, called in wanted
    )
    return [*accounts, *found]


def _pod_spec(obj: Object) -> Object:
    """The spec of a pod, or of those that a workload makes; empty if it makes none."""
    spec = spec_of(obj)
    if obj.get("kind") == "Pod":
        return spec
    made = spec_of(part(spec, "jobTemplate")) or spec
    return spec_of(part(made, "template"))


def _node(number: int, amounts: Mapping[str, str], zones: int) -> Object:
    name = f"podium-{number}"
    labels = {
        HOSTNAME_LABEL: name,
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
    }
    if zones:
        labels |= {REGION_LABEL: "podium", ZONE_LABEL: f"zone-{(number - 1) % zones + 1}"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "spec": {},
        "status": {
            "capacity": amounts,
            "allocatable": amounts,
            "addresses": [
                {"type": "InternalIP", "address": str(_ADDRESSES + number)},
                {"type": "Hostname", "address": name},
            ],
            "nodeInfo": _INFO,
        },
    }
