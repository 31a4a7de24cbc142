"""Snapshots have all that plans depend on."""

from podium.api.kinds import OPTIONAL_KINDS
from podium.api.objects import Object
from podium.manifests.decisive_kinds import DECISIVE_KINDS
from podium.manifests.json_text import read_json
from podium.real.state_snapshot import SNAPSHOT_KINDS, ClusterSnapshot


def test_every_kind_that_decisions_depend_on_is_read() -> None:
    assert DECISIVE_KINDS.keys() - OPTIONAL_KINDS.keys() <= {*SNAPSHOT_KINDS}


def test_each_object_has_a_line_of_its_own() -> None:
    objects: list[Object] = [
        {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {"a": "1\n2"}}}
        for name in ("n1", "n2")
    ]
    (document,) = read_json(ClusterSnapshot(objects).encoded())
    assert document.value == {"apiVersion": "v1", "kind": "List", "items": objects}
    assert document.item_lines == [2, 3]
    (document,) = read_json(ClusterSnapshot().encoded())
    assert document.value == {"apiVersion": "v1", "kind": "List", "items": []}


def test_revisions_have_no_pseudonyms_and_are_left_out() -> None:
    objects = [
        {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": "web", "namespace": "shop"}}
        for kind in ("StatefulSet", "ControllerRevision")
    ]
    snapshot = ClusterSnapshot([*objects])
    snapshot.anonymize()
    assert [one["kind"] for one in snapshot.objects] == ["StatefulSet"]
