"""The types themselves: whole, consistent, and as Kubernetes has them in some places."""

import pytest

from podium.api.kinds.builtin_kinds import ALL_KINDS
from podium.apiserver.requests.openapi.schemas import reachable
from podium.apiserver.schema.model import Field, ListOf, Struct
from podium.apiserver.schema.struct_types import BODIES, DATA, meta_struct, read_blocks, struct_of

ALL = (*ALL_KINDS.values(), *BODIES)


def structs() -> list[Struct]:
    versions = [
        (f"{group}/{version}".lstrip("/"), kind.name)
        for kind in ALL
        for group, version in ((kind.group, kind.version), *kind.also)
    ]
    return reachable(filter(None, map(struct_of, *zip(*versions, strict=True))))


def field(struct: Struct | None, *path: str) -> Field:
    assert struct is not None
    for name in path[:-1]:
        of = struct.fields[name].type
        struct = of.items if isinstance(of, ListOf) else of
        assert isinstance(struct, Struct)
    return struct.fields[path[-1]]


POD = struct_of("v1", "Pod")


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.name)
def test_every_kind_has_a_type(kind) -> None:
    struct = struct_of(kind.api_version, kind.name)
    assert struct is not None
    assert {"apiVersion", "kind"} <= struct.fields.keys()


def test_every_block_is_reached() -> None:
    written = {
        name for entry in DATA.iterdir() for name in read_blocks(entry.read_text("utf-8"), str)[0]
    }
    assert written == {struct.name for struct in structs()}


def test_lists_merge_by_fields_that_entries_have() -> None:
    lists = [
        (f"{struct.name}.{name}", found.type)
        for struct in structs()
        for name, found in struct.fields.items()
        if isinstance(found.type, ListOf)
    ]
    assert len(lists) > 150
    for name, of in lists:
        keys = {*of.keys, of.merge_key} - {""}
        if keys:
            assert isinstance(of.items, Struct), name
            assert keys <= of.items.fields.keys(), name
        assert not (of.keys and of.is_set), name


def test_a_kind_is_found_by_group_and_version() -> None:
    assert struct_of("events.k8s.io/v1", "Event").fields.keys() >= {"note", "regarding"}
    assert struct_of("v1", "Event").fields.keys() >= {"message", "involvedObject"}
    assert struct_of("policy/v1beta1", "Eviction") is not None
    for api_version, name in [
        ("v2", "Pod"),
        ("core/v1", "Pod"),
        ("apps.example.com/v1", "Deployment"),
        ("policy/v1beta1", "PodDisruptionBudget"),
        ("v1", "PodSpec"),
        ("", ""),
    ]:
        assert struct_of(api_version, name) is None


def test_types_of_meta_are_found_by_name() -> None:
    assert "finalizers" in meta_struct("ObjectMeta").fields


def test_how_lists_of_pods_merge() -> None:
    containers = field(POD, "spec", "containers").type
    ports = field(POD, "spec", "containers", "ports").type
    tolerations = field(POD, "spec", "tolerations").type
    finalizers = field(POD, "metadata", "finalizers").type
    assert (containers.keys, containers.merge_key) == (("name",), "name")
    assert (ports.keys, ports.merge_key) == (("containerPort", "protocol"), "containerPort")
    assert tolerations.is_atomic
    assert not tolerations.merges
    assert (finalizers.is_set, finalizers.merges, finalizers.merge_key) == (True, True, "")
    assert field(POD, "spec", "nodeSelector").type.is_atomic
    assert field(POD, "spec", "volumes").type.retain_keys
    assert field(POD, "spec", "containers", "ports", "protocol").default == "TCP"
