"""The kinds of objects that Podium knows: what they are called, and where they stand.

To add a kind is to add a line here. What else the API server knows of a kind (defaults, rules, a
strategy, columns, selectable fields) is its `Registration`, in `podium.apiserver.kinds`.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import msgspec


class Kind(msgspec.Struct, frozen=True):
    """A kind of the API: its group, versions, resource name and subresources.

    Attributes:
        group: the API group; empty for the core group.
        name: as in an object's `kind`.
        categories: groups of kinds that kubectl can list at once, such as `all`.
        version: the version that v1.36 serves.
        also: further (group, version) pairs under which the same objects are served.
    """

    group: str
    name: str
    plural: str
    namespaced: bool = True
    short_names: tuple[str, ...] = ()
    subresources: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    version: str = "v1"
    also: tuple[tuple[str, str], ...] = ()

    @property
    def key(self) -> str:
        """What objects of the kind are stored, and watched, under; no other kind has it."""
        return self.name

    @property
    def singular(self) -> str:
        """The kind in lower case, as kubectl takes it."""
        return self.name.lower()

    @property
    def list_kind(self) -> str:
        """As in the `kind` of a list of its objects."""
        return f"{self.name}List"

    @property
    def api_version(self) -> str:
        """As in an object's `apiVersion`."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def stored_api_version(self) -> str:
        """The `apiVersion` that objects are stored in."""
        return self.api_version

    @property
    def resource(self) -> str:
        """The resource with its group, as messages name it, such as `deployments.apps`."""
        return f"{self.plural}.{self.group}" if self.group else self.plural


_STATUS = ("status",)
_SCALED = ("status", "scale")
_ALL = ("all",)
_SCHEDULING, _STORAGE, _RUNTIME = "scheduling.k8s.io", "storage.k8s.io", "node.k8s.io"
_RESOURCE, _COORDINATION = "resource.k8s.io", "coordination.k8s.io"
_ADMISSION, _FLOW = "admissionregistration.k8s.io", "flowcontrol.apiserver.k8s.io"
_EXTENSIONS = ("api-extensions",)
_NETWORKING, _RBAC = "networking.k8s.io", "rbac.authorization.k8s.io"
_POD_SUBRESOURCES = (
    "binding",
    "ephemeralcontainers",
    "eviction",
    "log",
    "resize",
    "status",
)

_KINDS = (
    Kind("", "Pod", "pods", True, ("po",), _POD_SUBRESOURCES, _ALL),
    Kind("", "Node", "nodes", False, ("no",), _STATUS),
    Kind("", "Namespace", "namespaces", False, ("ns",), ("finalize", "status")),
    Kind("", "Service", "services", True, ("svc",), _STATUS, _ALL),
    Kind("", "Endpoints", "endpoints", True, ("ep",)),
    Kind("", "ReplicationController", "replicationcontrollers", True, ("rc",), _SCALED, _ALL),
    Kind("", "PodTemplate", "podtemplates"),
    Kind("", "ResourceQuota", "resourcequotas", True, ("quota",), _STATUS),
    Kind("", "LimitRange", "limitranges", True, ("limits",)),
    Kind("", "PersistentVolume", "persistentvolumes", False, ("pv",), _STATUS),
    Kind("", "PersistentVolumeClaim", "persistentvolumeclaims", True, ("pvc",), _STATUS),
    Kind("", "ConfigMap", "configmaps", True, ("cm",)),
    Kind("", "Secret", "secrets"),
    Kind("", "ServiceAccount", "serviceaccounts", True, ("sa",), ("token",)),
    Kind("", "Event", "events", True, ("ev",), also=(("events.k8s.io", "v1"),)),
    Kind(_ADMISSION, "MutatingAdmissionPolicy", "mutatingadmissionpolicies", False),
    Kind(_ADMISSION, "MutatingAdmissionPolicyBinding", "mutatingadmissionpolicybindings", False),
    Kind(
        _ADMISSION,
        "MutatingWebhookConfiguration",
        "mutatingwebhookconfigurations",
        False,
        categories=_EXTENSIONS,
    ),
    Kind(
        _ADMISSION, "ValidatingAdmissionPolicy", "validatingadmissionpolicies", False, (), _STATUS
    ),
    Kind(
        _ADMISSION, "ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings", False
    ),
    Kind(
        _ADMISSION,
        "ValidatingWebhookConfiguration",
        "validatingwebhookconfigurations",
        False,
        categories=_EXTENSIONS,
    ),
    Kind("apiregistration.k8s.io", "APIService", "apiservices", False, (), _STATUS, _EXTENSIONS),
    Kind(
        "certificates.k8s.io",
        "CertificateSigningRequest",
        "certificatesigningrequests",
        False,
        ("csr",),
        ("approval", "status"),
    ),
    Kind(_FLOW, "FlowSchema", "flowschemas", False, (), _STATUS),
    Kind(_FLOW, "PriorityLevelConfiguration", "prioritylevelconfigurations", False, (), _STATUS),
    Kind(
        "apiextensions.k8s.io",
        "CustomResourceDefinition",
        "customresourcedefinitions",
        False,
        ("crd", "crds"),
        _STATUS,
        _EXTENSIONS,
    ),
    Kind("apps", "Deployment", "deployments", True, ("deploy",), _SCALED, _ALL),
    Kind("apps", "ReplicaSet", "replicasets", True, ("rs",), _SCALED, _ALL),
    Kind("apps", "StatefulSet", "statefulsets", True, ("sts",), _SCALED, _ALL),
    Kind("apps", "DaemonSet", "daemonsets", True, ("ds",), _STATUS, _ALL),
    Kind("apps", "ControllerRevision", "controllerrevisions"),
    Kind(
        "autoscaling",
        "HorizontalPodAutoscaler",
        "horizontalpodautoscalers",
        True,
        ("hpa",),
        _STATUS,
        _ALL,
        version="v2",
    ),
    Kind("batch", "Job", "jobs", True, (), _STATUS, _ALL),
    Kind("batch", "CronJob", "cronjobs", True, ("cj",), _STATUS, _ALL),
    Kind("discovery.k8s.io", "EndpointSlice", "endpointslices"),
    Kind(_NETWORKING, "Ingress", "ingresses", True, ("ing",), _STATUS),
    Kind(_NETWORKING, "IngressClass", "ingressclasses", False),
    Kind(_NETWORKING, "NetworkPolicy", "networkpolicies", True, ("netpol",)),
    Kind(_RBAC, "ClusterRole", "clusterroles", False),
    Kind(_RBAC, "ClusterRoleBinding", "clusterrolebindings", False),
    Kind(_RBAC, "Role", "roles"),
    Kind(_RBAC, "RoleBinding", "rolebindings"),
    Kind("policy", "PodDisruptionBudget", "poddisruptionbudgets", True, ("pdb",), _STATUS),
    Kind(_SCHEDULING, "PriorityClass", "priorityclasses", False, ("pc",)),
    Kind(_RUNTIME, "RuntimeClass", "runtimeclasses", False),
    Kind(_COORDINATION, "Lease", "leases"),
    Kind(_STORAGE, "StorageClass", "storageclasses", False, ("sc",)),
    Kind(_STORAGE, "VolumeAttributesClass", "volumeattributesclasses", False, ("vac",)),
    Kind(_STORAGE, "CSINode", "csinodes", False),
    Kind(_STORAGE, "CSIDriver", "csidrivers", False),
    Kind(_STORAGE, "CSIStorageCapacity", "csistoragecapacities"),
    Kind(_STORAGE, "VolumeAttachment", "volumeattachments", False, (), _STATUS),
    Kind(_RESOURCE, "ResourceClaim", "resourceclaims", True, (), _STATUS),
    Kind(_RESOURCE, "ResourceClaimTemplate", "resourceclaimtemplates"),
    Kind(_RESOURCE, "ResourceSlice", "resourceslices", False),
    Kind(_RESOURCE, "DeviceClass", "deviceclasses", False),
)

KINDS: Mapping[str, Kind] = {kind.name: kind for kind in _KINDS}
"""All kinds by name; names are unique across groups."""


class OptionalKind(Kind, frozen=True):
    """A kind that API servers serve only if somebody asks for it, by a gate or a definition."""

    @property
    def key(self) -> str:
        return self.resource


_ALPHA, _PLUGINS = "v1alpha2", "scheduling.x-k8s.io"
POD_GROUP = OptionalKind(_SCHEDULING, "PodGroup", "podgroups", True, (), _STATUS, version=_ALPHA)
WORKLOAD = OptionalKind(_SCHEDULING, "Workload", "workloads", version=_ALPHA)
POD_GROUP_OF_PLUGINS = OptionalKind(
    _PLUGINS, "PodGroup", "podgroups", True, ("pg", "pgs"), _STATUS, version="v1alpha1"
)
OPTIONAL_KINDS: Mapping[str, Kind] = {
    kind.key: kind for kind in (POD_GROUP, WORKLOAD, POD_GROUP_OF_PLUGINS)
}
"""These kinds by key."""

ALL_KINDS: Mapping[str, Kind] = {**KINDS, **OPTIONAL_KINDS}
"""All kinds by key, optional ones included."""


def kind_of(obj: Mapping[str, Any]) -> Kind | None:
    """The kind of a raw object by its API group and `kind`, whatever its version, if known."""
    return _kind_of(str(obj.get("kind", "")), str(obj.get("apiVersion", "")))


def optional_kind_of(obj: Mapping[str, Any]) -> Kind | None:
    """The same of kinds that an API server may or may not serve."""
    called = obj.get("apiVersion"), obj.get("kind")
    return next((k for k in OPTIONAL_KINDS.values() if (k.api_version, k.name) == called), None)


@lru_cache(maxsize=512)
def _kind_of(called: str, api_version: str) -> Kind | None:
    kind = KINDS.get(called)
    group = api_version.rpartition("/")[0]
    if kind is None or group not in (kind.group, *(other for other, _ in kind.also)):
        return None
    return kind
