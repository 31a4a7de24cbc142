"""What schemas are called: Kubernetes' names, which say where its Go types stand."""

from podium.apiserver.schema.custom import CustomStruct
from podium.apiserver.schema.model import ScalarKind, Struct

_MACHINERY = "io.k8s.apimachinery.pkg"
_META = "meta"
# Groups whose types aren't those of their version 1.
_VERSIONS = {"autoscaling": "v2"}
_EXTENSIONS = "apiextensions"

LIST_META = f"{_MACHINERY}.apis.meta.v1.ListMeta"
STATUS = f"{_MACHINERY}.apis.meta.v1.Status"

SHARED_NAMES: dict[ScalarKind, str] = {
    "quantity": f"{_MACHINERY}.api.resource.Quantity",
    "intorstring": f"{_MACHINERY}.util.intstr.IntOrString",
    "time": f"{_MACHINERY}.apis.meta.v1.Time",
    "microtime": f"{_MACHINERY}.apis.meta.v1.MicroTime",
    "any": f"{_MACHINERY}.runtime.RawExtension",
}
"""Values without parts that have a schema of their own."""


def schema_name(struct: Struct) -> str:
    """The name of a struct's schema, such as `io.k8s.api.core.v1.PodSpec`."""
    if isinstance(struct, CustomStruct):
        return struct.schema_name
    if struct.family == _EXTENSIONS:
        return f"io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.{struct.name}"
    if struct.family == _META:
        return f"{_MACHINERY}.apis.meta.v1.{struct.name}"
    family, _, version = struct.family.partition("_")
    return f"io.k8s.api.{family}.{version or _VERSIONS.get(family, 'v1')}.{struct.name}"


def list_kind(struct: Struct) -> str:
    """As in the `kind` of lists of a kind."""
    return struct.kind.list_kind if isinstance(struct, CustomStruct) else f"{struct.name}List"


def list_name(struct: Struct) -> str:
    """The name of the schema of lists of a kind."""
    return f"{schema_name(struct).removesuffix(struct.name)}{list_kind(struct)}"


def tag(group: str, version: str, kind: str) -> dict[str, str]:
    """What tells clients which kind a schema or an operation is about."""
    return {"group": group, "kind": kind, "version": version}
