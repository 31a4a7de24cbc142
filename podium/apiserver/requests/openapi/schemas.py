"""OpenAPI schemas of the types of objects, with Kubernetes' extensions for merging."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

from podium.api.objects import part
from podium.apiserver.schema.custom import CustomStruct
from podium.apiserver.schema.model import Field, ListOf, MapOf, Scalar, Struct, Type
from podium.apiserver.schema.struct_types import meta_struct

_MACHINERY = "io.k8s.apimachinery.pkg"
_META = "meta"
# Groups whose types aren't those of version 1.
_VERSIONS = {"autoscaling": "v2"}
_EXTENSIONS = "apiextensions"

LIST_META = f"{_MACHINERY}.apis.meta.v1.ListMeta"
STATUS = f"{_MACHINERY}.apis.meta.v1.Status"

SHARED_NAMES: dict[str, str] = {
    "quantity": f"{_MACHINERY}.api.resource.Quantity",
    "intorstring": f"{_MACHINERY}.util.intstr.IntOrString",
    "time": f"{_MACHINERY}.apis.meta.v1.Time",
    "microtime": f"{_MACHINERY}.apis.meta.v1.MicroTime",
    "any": f"{_MACHINERY}.runtime.RawExtension",
}
"""Schema names of scalar types that have a schema of their own."""


def schema_name(struct: Struct) -> str:
    """Return the name of a struct's schema, such as `io.k8s.api.core.v1.PodSpec`."""
    if isinstance(struct, CustomStruct):
        return struct.schema_name
    if struct.family == _EXTENSIONS:
        return f"io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.{struct.name}"
    if struct.family == _META:
        return f"{_MACHINERY}.apis.meta.v1.{struct.name}"
    family, _, version = struct.family.partition("_")
    return f"io.k8s.api.{family}.{version or _VERSIONS.get(family, 'v1')}.{struct.name}"


def list_kind(struct: Struct) -> str:
    """Return the `kind` of lists of a kind."""
    return struct.kind.list_kind if isinstance(struct, CustomStruct) else f"{struct.name}List"


def list_name(struct: Struct) -> str:
    """Return the name of the schema for lists of a kind."""
    return f"{schema_name(struct).removesuffix(struct.name)}{list_kind(struct)}"


def tag(group: str, version: str, kind: str) -> dict[str, str]:
    """Return an item of `x-kubernetes-group-version-kind`."""
    return {"group": group, "kind": kind, "version": version}


_DATA = files("podium.apiserver.requests.openapi") / "descriptions.txt"


@cache
def descriptions() -> Mapping[str, str]:
    """Return the descriptions of types and fields by name, such as `PodSpec.priority`."""
    lines = (line.partition(": ") for line in _DATA.read_text(encoding="utf-8").splitlines())
    return {name: text for name, _, text in lines if name}


Schema = dict[str, Any]

_PLAIN: Mapping[str, Schema] = {
    "string": {"type": "string"},
    "bool": {"type": "boolean"},
    "int32": {"type": "integer", "format": "int32"},
    "int64": {"type": "integer", "format": "int64"},
    "float64": {"type": "number", "format": "double"},
    "bytes": {"type": "string", "format": "byte"},
}
_STRING, _OBJECT = {"type": "string"}, {"type": "object"}
_DATE_TIME = {"type": "string", "format": "date-time"}
_SHARED: Mapping[str, Schema] = {
    SHARED_NAMES["time"]: _DATE_TIME,
    SHARED_NAMES["microtime"]: _DATE_TIME,
    SHARED_NAMES["any"]: _OBJECT,
    LIST_META: {
        **_OBJECT,
        "properties": {
            "continue": _STRING,
            "remainingItemCount": _PLAIN["int64"],
            "resourceVersion": _STRING,
        },
    },
    STATUS: {
        **_OBJECT,
        "properties": {
            "apiVersion": _STRING,
            "code": _PLAIN["int32"],
            "details": _OBJECT,
            "kind": _STRING,
            "message": _STRING,
            "metadata": _OBJECT,
            "reason": _STRING,
            "status": _STRING,
        },
    },
}


class Dialect(msgspec.Struct, frozen=True):
    """A version of OpenAPI."""

    root: str
    """Prefix of references to schemas."""
    has_alternatives: bool
    """Whether the version has `oneOf`, and `allOf` for references that have other keys beside
    them."""

    def reference(self, name: str) -> Schema:
        """Return a reference to a schema."""
        return {"$ref": f"{self.root}{name}"}

    def parameter(self, name: str, place: str, kind: str) -> Schema:
        """Return a parameter of type `kind` in a path or a query."""
        typed: Schema = {"type": kind}
        typed = {"schema": typed} if self.has_alternatives else typed
        return {"name": name, "in": place, **typed}

    def shared(self) -> dict[str, Schema]:
        """Return the schemas that several kinds use, such as that of a quantity."""
        quantity, int_or_string = SHARED_NAMES["quantity"], SHARED_NAMES["intorstring"]
        kept = {"format": "int-or-string"}
        if not self.has_alternatives:
            return {**_SHARED, quantity: _STRING, int_or_string: {**_STRING, **kept}}
        return {
            **_SHARED,
            quantity: {"oneOf": [_STRING, {"type": "number"}]},
            int_or_string: {"oneOf": [{"type": "integer"}, _STRING], **kept},
        }

    def of_struct(self, struct: Struct, tags: list[dict[str, str]]) -> Schema:
        """Return the schema of a struct; `tags` are the kinds whose objects have this type."""
        if isinstance(struct, CustomStruct):
            schema = struct.kind.schema
            reference = self.reference(schema_name(meta_struct("ObjectMeta")))
            metadata = {"allOf": [reference]} if self.has_alternatives else reference
            header = {"apiVersion": _STRING, "kind": _STRING, "metadata": metadata}
            properties = dict(sorted({**part(schema, "properties"), **header}.items()))
            return {**schema, "properties": properties, "x-kubernetes-group-version-kind": tags}
        properties = {}
        for name, field in struct.fields.items():
            beside = {**_described(f"{struct.name}.{name}"), **_merging(field)}
            if field.default is not None:
                beside["default"] = field.default
            plain = self._of_type(field.type)
            if "$ref" in plain and beside and self.has_alternatives:
                plain = {"allOf": [plain]}
            properties[name] = {**plain, **beside}
        required = [name for name, field in struct.fields.items() if field.required]
        schema = {**_described(struct.name), "type": "object", "properties": properties}
        if required:
            schema["required"] = required
        if struct.is_atomic:
            schema["x-kubernetes-map-type"] = "atomic"
        if tags:
            schema["x-kubernetes-group-version-kind"] = tags
        return schema

    def of_list(self, struct: Struct, tags: list[dict[str, str]]) -> Schema:
        """Return the schema for lists of a kind."""
        return {
            "type": "object",
            "properties": {
                "apiVersion": _STRING,
                "items": {"type": "array", "items": self.reference(schema_name(struct))},
                "kind": _STRING,
                "metadata": self.reference(LIST_META),
            },
            "required": ["items"],
            "x-kubernetes-group-version-kind": [{**tag, "kind": list_kind(struct)} for tag in tags],
        }

    def _of_type(self, of: Type) -> Schema:
        match of:
            case Scalar(kind=kind):
                return _PLAIN.get(kind) or self.reference(SHARED_NAMES[kind])
            case ListOf():
                shape = "map" if of.keys else "set" if of.is_set else "atomic"
                keys = {"x-kubernetes-list-map-keys": [*of.keys]} if of.keys else {}
                items = {"type": "array", "items": self._of_type(of.items)}
                return {**items, "x-kubernetes-list-type": shape, **keys}
            case MapOf():
                return {"type": "object", "additionalProperties": self._of_type(of.values)}
            case Struct():
                return self.reference(schema_name(of))


V2 = Dialect("#/definitions/", has_alternatives=False)
V3 = Dialect("#/components/schemas/", has_alternatives=True)


def reachable(roots: Iterable[Struct]) -> list[Struct]:
    """Return structs and all structs that they contain, each once."""
    structs: dict[str, Struct] = {}
    waiting: list[Type] = list(roots)
    while waiting:
        of = waiting.pop()
        if isinstance(of, ListOf | MapOf):
            waiting.append(of.items if isinstance(of, ListOf) else of.values)
        elif isinstance(of, Struct) and schema_name(of) not in structs:
            structs[schema_name(of)] = of
            fields = of.fields
            inner = [fields["metadata"]] if isinstance(of, CustomStruct) else fields.values()
            waiting += [field.type for field in inner]
    return list(structs.values())


def schemas(
    dialect: Dialect,
    listed: Sequence[Struct],
    others: Iterable[Struct],
    tags: Mapping[str, list[dict[str, str]]],
) -> dict[str, Schema]:
    """Return the schemas of kinds (`listed` ones with lists) and of their parts, sorted by name."""
    by_name = dialect.shared()
    for struct in reachable((*listed, *others)):
        name = schema_name(struct)
        by_name[name] = dialect.of_struct(struct, tags.get(name, []))
    for struct in listed:
        by_name[list_name(struct)] = dialect.of_list(struct, tags[schema_name(struct)])
    return dict(sorted(by_name.items()))


def _described(name: str) -> Schema:
    text = descriptions().get(name)
    return {"description": text} if text else {}


def _merging(field: Field) -> Schema:
    extensions: Schema = {}
    of = field.type
    strategies = ["replace"] if field.replaces else []
    if isinstance(of, ListOf):
        strategies += ["merge"] if of.merges else []
        if of.merge_key:
            extensions["x-kubernetes-patch-merge-key"] = of.merge_key
    if field.retain_keys or (isinstance(of, ListOf) and of.retain_keys):
        strategies.append("retainKeys")
    if strategies:
        extensions["x-kubernetes-patch-strategy"] = ",".join(strategies)
    if not isinstance(of, ListOf) and (field.is_atomic or (isinstance(of, MapOf) and of.is_atomic)):
        extensions["x-kubernetes-map-type"] = "atomic"
    return extensions
