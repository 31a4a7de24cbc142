"""Snapshots have all that plans depend on."""

import asyncio
from pathlib import Path
from typing import cast

import msgspec
from typer.testing import CliRunner

from podium.api.kinds.builtin_kinds import OPTIONAL_KINDS
from podium.api.kinds.snapshot_kinds import DECISIVE_KINDS, SNAPSHOT_KINDS
from podium.api.objects import Object
from podium.cluster.client.http_api import HttpApi
from podium.cluster.manifests.json_text import read_json
from podium.cluster.manifests.manifest_sources import File, read_sources
from podium.cluster.snapshot.state_snapshot import ClusterSnapshot, take_snapshot
from podium.machines.async_api import ObjectList
from podium.ui.command_line.main import app
from tests.objects import node, pod


def test_every_kind_that_decisions_depend_on_is_read() -> None:
    assert DECISIVE_KINDS.keys() - OPTIONAL_KINDS.keys() <= {*SNAPSHOT_KINDS}


def test_each_object_has_a_line_of_its_own() -> None:
    objects: list[Object] = [
        {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {"a": "1\n2"}}}
        for name in ("n1", "n2")
    ]
    (document,) = read_json(ClusterSnapshot(objects).encoded())
    assert (document.value["kind"], document.value["items"]) == ("List", objects)
    assert document.item_lines == [2, 3]
    (document,) = read_json(ClusterSnapshot().encoded())
    assert (document.value["kind"], document.value["items"]) == ("List", [])


def test_a_snapshot_says_that_it_is_whole() -> None:
    content = ClusterSnapshot([node("n")]).encoded()
    assert read_sources([File("s.json", content)]).is_whole
    # Not what was cut out of it, nor where something couldn't be read.
    (document,) = read_json(content)
    cut = msgspec.json.encode({**document.value, "items": []})
    partial = ClusterSnapshot([node("n")], ["Service is left out: forbidden"]).encoded()
    for other in (cut, partial):
        assert not read_sources([File("s.json", other)]).is_whole


def test_nothing_is_missed_in_a_snapshot(tmp_path: Path) -> None:
    namespace: Object = {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": "default", "uid": "u"},
        "spec": {"finalizers": ["kubernetes"]},
    }
    snapshot = ClusterSnapshot([node("n", uid="v"), pod("p", on="n", uid="w"), namespace])
    for _ in range(2):
        path = tmp_path / "s.json"
        path.write_bytes(snapshot.encoded())
        result = CliRunner().invoke(app, ["plan", "-f", str(path)])
        assert (result.exit_code, result.stderr) == (0, "")
        snapshot.anonymize()
    snapshot.notes.append("Service is left out: forbidden")
    path.write_bytes(snapshot.encoded())
    warning = CliRunner().invoke(app, ["plan", "-f", str(path)]).stderr
    assert "no Service. So" in warning
    assert "nodes may score otherwise" in warning


class _Served:
    """An API server that lists the objects which it is made with."""

    def __init__(self, *objects: Object) -> None:
        self._objects = objects

    async def list(self, kind: str) -> ObjectList:
        return ObjectList([obj for obj in self._objects if obj["kind"] == kind], 1)


def test_a_snapshot_has_the_revisions_that_rollouts_go_by() -> None:
    objects: list[Object] = [
        {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": "web", "namespace": "shop"}}
        for kind in ("StatefulSet", "ControllerRevision", "Secret")
    ]
    snapshot = asyncio.run(take_snapshot(cast(HttpApi, _Served(*objects)), lambda *_: None))
    assert snapshot.notes == []
    assert {obj["kind"] for obj in snapshot.objects} == {"ControllerRevision", "StatefulSet"}


def test_revisions_have_no_pseudonyms_and_are_left_out() -> None:
    objects = [
        {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": "web", "namespace": "shop"}}
        for kind in ("StatefulSet", "ControllerRevision")
    ]
    snapshot = ClusterSnapshot([*objects])
    snapshot.anonymize()
    assert [one["kind"] for one in snapshot.objects] == ["StatefulSet"]
