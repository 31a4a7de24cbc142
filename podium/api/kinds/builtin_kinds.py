"""The built-in kinds of objects: their names, groups, versions and scopes.

A new kind is a line here. Its defaults, validation, strategy, columns and selectable fields are in
its `Registration`, in `podium.apiserver.kinds`.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, TypeVar

import msgspec


class Kind(msgspec.Struct, frozen=True):
    """A kind of the API: its group (empty for the core group), versions, name and subresources."""

    group: str
    name: str
    plural: str
    namespaced: bool = True
    short_names: tuple[str, ...] = ()
    subresources: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    """Names by which kubectl lists several kinds at once, such as `all`."""
    version: str = "v1"
    also: tuple[tuple[str, str], ...] = ()
    """Further (group, version) pairs that serve the same objects."""

    @property
    def key(self) -> str:
        """The unique key under which objects of the kind are stored and watched."""
        return self.name

    @property
    def singular(self) -> str:
        """The kind in lower case, which kubectl accepts."""
        return self.name.lower()

    @property
    def list_kind(self) -> str:
        """The value of `kind` in lists of objects of this kind."""
        return f"{self.name}List"

    @property
    def api_version(self) -> str:
        """The `apiVersion` of objects of this kind."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def stored_api_version(self) -> str:
        """The `apiVersion` in which objects are stored."""
        return self.api_version

    @property
    def resource(self) -> str:
        """The plural and group, such as `deployments.apps`, as in error messages."""
        return f"{self.plural}.{self.group}" if self.group else self.plural


K = TypeVar("K", bound=Kind)

# As kubectl's `api-resources` lists them: API version, kind, whether it is namespaced, short names,
# subresources, and categories.
_TABLE = """
v1 Pod true po binding,ephemeralcontainers,eviction,log,resize,status all
v1                              Node                             false no status -
v1                              Namespace                        false ns finalize,status -
v1                              Service                          true  svc status all
v1                              Endpoints                        true  ep - -
v1                              ReplicationController            true  rc status,scale all
v1                              PodTemplate                      true  - - -
v1                              ResourceQuota                    true  quota status -
v1                              LimitRange                       true  limits - -
v1                              PersistentVolume                 false pv status -
v1                              PersistentVolumeClaim            true  pvc status -
v1                              ConfigMap                        true  cm - -
v1                              Secret                           true  - - -
v1                              ServiceAccount                   true  sa token -
v1                              Event                            true  ev - -
admissionregistration.k8s.io/v1 MutatingAdmissionPolicy          false - - -
admissionregistration.k8s.io/v1 MutatingAdmissionPolicyBinding   false - - -
admissionregistration.k8s.io/v1 MutatingWebhookConfiguration     false - - api-extensions
admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy        false - status -
admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding false - - -
admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration   false - - api-extensions
apiregistration.k8s.io/v1       APIService                       false - status api-extensions
certificates.k8s.io/v1          CertificateSigningRequest        false csr approval,status -
flowcontrol.apiserver.k8s.io/v1 FlowSchema                       false - status -
flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfiguration       false - status -
apiextensions.k8s.io/v1 CustomResourceDefinition false crd,crds status api-extensions
apps/v1                         Deployment                       true  deploy status,scale all
apps/v1                         ReplicaSet                       true  rs status,scale all
apps/v1                         StatefulSet                      true  sts status,scale all
apps/v1                         DaemonSet                        true  ds status all
apps/v1                         ControllerRevision               true  - - -
autoscaling/v2                  HorizontalPodAutoscaler          true  hpa status all
batch/v1                        Job                              true  - status all
batch/v1                        CronJob                          true  cj status all
discovery.k8s.io/v1             EndpointSlice                    true  - - -
networking.k8s.io/v1            Ingress                          true  ing status -
networking.k8s.io/v1            IngressClass                     false - - -
networking.k8s.io/v1            NetworkPolicy                    true  netpol - -
rbac.authorization.k8s.io/v1    ClusterRole                      false - - -
rbac.authorization.k8s.io/v1    ClusterRoleBinding               false - - -
rbac.authorization.k8s.io/v1    Role                             true  - - -
rbac.authorization.k8s.io/v1    RoleBinding                      true  - - -
policy/v1                       PodDisruptionBudget              true  pdb status -
scheduling.k8s.io/v1            PriorityClass                    false pc - -
node.k8s.io/v1                  RuntimeClass                     false - - -
coordination.k8s.io/v1          Lease                            true  - - -
storage.k8s.io/v1               StorageClass                     false sc - -
storage.k8s.io/v1               VolumeAttributesClass            false vac - -
storage.k8s.io/v1               CSINode                          false - - -
storage.k8s.io/v1               CSIDriver                        false - - -
storage.k8s.io/v1               CSIStorageCapacity               true  - - -
storage.k8s.io/v1               VolumeAttachment                 false - status -
resource.k8s.io/v1              ResourceClaim                    true  - status -
resource.k8s.io/v1              ResourceClaimTemplate            true  - - -
resource.k8s.io/v1              ResourceSlice                    false - - -
resource.k8s.io/v1              DeviceClass                      false - - -
"""


class OptionalKind(Kind, frozen=True):
    """A kind that API servers only serve with a feature gate or a CustomResourceDefinition."""

    @property
    def key(self) -> str:
        return self.resource


_OPTIONAL = """
scheduling.k8s.io/v1alpha2      PodGroup                         true  - status -
scheduling.k8s.io/v1alpha2      Workload                         true  - - -
scheduling.x-k8s.io/v1alpha1    PodGroup                         true  pg,pgs status -
"""


def _kinds(table: str, cls: type[K]) -> Iterator[K]:
    for row in table.strip().splitlines():
        api_version, name, namespaced, *lists = row.split()
        group, _, version = api_version.rpartition("/")
        short_names, subresources, categories = (
            () if listed == "-" else tuple(listed.split(",")) for listed in lists
        )
        plural = name.lower()
        if plural.endswith("y"):
            plural = plural.removesuffix("y") + "ies"
        elif name != "Endpoints":
            plural += "es" if plural.endswith("s") else "s"
        also = (("events.k8s.io", "v1"),) if name == "Event" else ()
        scope = namespaced == "true"
        yield cls(group, name, plural, scope, short_names, subresources, categories, version, also)


KINDS: Mapping[str, Kind] = {kind.name: kind for kind in _kinds(_TABLE, Kind)}
"""All kinds by name; names are unique across groups."""

POD_GROUP, WORKLOAD, POD_GROUP_OF_PLUGINS = _kinds(_OPTIONAL, OptionalKind)
OPTIONAL_KINDS: Mapping[str, Kind] = {
    kind.key: kind for kind in (POD_GROUP, WORKLOAD, POD_GROUP_OF_PLUGINS)
}

ALL_KINDS: Mapping[str, Kind] = {**KINDS, **OPTIONAL_KINDS}


def kind_of(obj: Mapping[str, Any]) -> Kind | None:
    """Return the kind of an object by its API group and `kind`, in any version; None if unknown."""
    return _kind_of(str(obj.get("kind", "")), str(obj.get("apiVersion", "")))


def optional_kind_of(obj: Mapping[str, Any]) -> Kind | None:
    """Return the optional kind of an object; None if the object has another kind."""
    header = obj.get("apiVersion"), obj.get("kind")
    return next((k for k in OPTIONAL_KINDS.values() if (k.api_version, k.name) == header), None)


@lru_cache(maxsize=512)
def _kind_of(kind_name: str, api_version: str) -> Kind | None:
    kind = KINDS.get(kind_name)
    group = api_version.rpartition("/")[0]
    if kind is None or group not in (kind.group, *(other for other, _ in kind.also)):
        return None
    return kind
