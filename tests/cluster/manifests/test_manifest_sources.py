"""Objects are read from everywhere kubectl reads them, and all faults come at once."""

import errno
import io
import json
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.api.codec.field_validation import FieldValidation
from podium.cluster.manifests.manifest_sources import Manifests, read_sources
from podium.cluster.manifests.problems import ManifestError
from tests import objects
from tests.objects import Obj, config_map, node


def pod(name: str, **metadata: Any) -> Obj:
    """A pod that says nothing of its namespace unless its metadata does."""
    return {**objects.pod(name), "metadata": {"name": name, **metadata}}


def read(text: str, **options: Any) -> Manifests:
    return read_sources(["-"], io.BytesIO(text.encode()), **options)


def problems(text: str, **options: Any) -> list[str]:
    with pytest.raises(ManifestError) as caught:
        read(text, **options)
    return str(caught.value).splitlines()


def names(manifests: Manifests) -> list[str]:
    return [loaded.obj["metadata"]["name"] for loaded in manifests.objects]


def sources(manifests: Manifests) -> list[str]:
    return [str(loaded.source) for loaded in manifests.objects]


def test_folders_that_may_not_be_read_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "closed").mkdir()
    (tmp_path / "a.json").write_text(json.dumps(pod("a")))
    scan = os.scandir

    def scandir(path: str) -> Any:
        if path.endswith("closed"):
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", scandir)
    with pytest.raises(ManifestError) as caught:
        read_sources([str(tmp_path)])
    assert str(caught.value) == f"{tmp_path}/closed: can't be read: Permission denied"


def test_files_directories_and_standard_input(tmp_path: Path) -> None:
    state = tmp_path / "state"
    (state / "inner").mkdir(parents=True)
    (state / "b.yaml").write_text(json.dumps(pod("b")))
    (state / "inner" / "c.yml").write_text("apiVersion: v1\nkind: Namespace\nmetadata: {name: c}\n")
    (state / "a.json").write_text(json.dumps(pod("a")) + json.dumps(pod("a2")))
    (state / "readme.txt").write_text("not read")
    single = tmp_path / "manifest"
    single.write_bytes(b"\xef\xbb\xbf" + json.dumps(pod("d")).encode())

    paths = [str(state), str(single), "-"]
    found = read_sources(paths, io.BytesIO(json.dumps(pod("e")).encode()))

    assert names(found) == ["a", "a2", "b", "c", "d", "e"]
    assert sources(found)[1] == f"{state}/a.json, document 2 (line 1)"
    assert sources(found)[-1] == "stdin, document 1 (line 1)"


def test_lists_are_taken_apart() -> None:
    inner = {"apiVersion": "v1", "kind": "List", "items": [pod("c")]}
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": [pod("a"), pod("b"), inner]})
    found = read(text)
    assert names(found) == ["a", "b", "c"]
    assert sources(found)[2] == "stdin, document 1 (line 1), items[2].items[0]"


def test_a_fault_of_an_item_names_its_line() -> None:
    text = 'apiVersion: v1\nkind: List\nitems: [{kind: Pod, apiVersion: v1}, "x"]'
    assert "items[0] (line 3): Pod ?: metadata.name: Required value" in problems(text)[0]


def test_items_of_typed_lists_get_their_kind() -> None:
    items = [{k: v for k, v in pod("a").items() if k not in ("apiVersion", "kind")}]
    (loaded,) = read(json.dumps({"apiVersion": "v1", "kind": "PodList", "items": items})).objects
    assert (loaded.obj["apiVersion"], loaded.obj["kind"]) == ("v1", "Pod")
    assert not read('{"apiVersion": "v1", "kind": "PodList", "items": null}').objects


def test_scopes_are_completed() -> None:
    odd = node("n")
    odd["metadata"]["namespace"] = "x"
    text = "\n---\n".join(json.dumps(o) for o in (pod("a"), pod("b", namespace="other"), odd))
    found = read(text, namespace="mine")
    assert [loaded.obj["metadata"].get("namespace") for loaded in found.objects] == [
        "mine",
        "other",
        None,
    ]


def test_unknown_fields_and_kinds_survive() -> None:
    odd = {**pod("a"), "extra": {"x": [1]}}
    config = config_map("c", k="v")
    knative = {"apiVersion": "serving.knative.dev/v1", "kind": "Service", "metadata": {"name": "k"}}
    text = "\n".join(json.dumps(o) for o in (odd, config, knative))
    found = read(text, validation=FieldValidation.IGNORE)
    assert found.objects[0].obj["extra"] == {"x": [1]}
    assert found.objects[1].obj == config
    assert found.notes == ["ignored, as Podium has no use for them here: 1 ConfigMap, 1 Service"]


@pytest.mark.parametrize("validation", FieldValidation)
@pytest.mark.parametrize("is_applied", [True, False])
@pytest.mark.parametrize("metadata", [{}, {"uid": "u"}])
@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"priority": "high"}, "spec.priority: .*expected an integer of 32 bits, got a string"),
        ({"hostname": 7}, "spec.hostname: .*expected a string, got 7"),
        ({"overhead": {"cpu": "much"}}, 'spec.overhead.cpu: Invalid value: "much": quantities'),
    ],
)
def test_a_wrong_type_is_refused_however_unknown_fields_are_treated(
    validation: FieldValidation, is_applied: bool, metadata: Obj, changes: Obj, fault: str
) -> None:
    odd = pod("a", **metadata)
    odd["spec"] |= changes
    (problem,) = problems(json.dumps(odd), validation=validation, is_applied=is_applied)
    assert re.search(fault, problem)


def test_all_faults_of_all_files_come_at_once(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(
        "kind: Pod\n---\n- just\n- a list\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"
        "spec:\n  containers:\n  - name: c\n    resources: {requests: {cpu: 2 apples}}\n---\n"
        "apiVersion: v1\nkind: Pod\nmetadata: {name: b}\n"
        "spec:\n  containers: [{name: c}]\n  tolerations: [{operator: Like}]\n---\nx: [\n"
    )
    (tmp_path / "b.json").write_text('{"kind":')
    missing = str(tmp_path / "c.yaml")
    with pytest.raises(ManifestError) as caught:
        read_sources([str(tmp_path), missing])
    found = str(caught.value).replace(str(tmp_path), "DIR").splitlines()
    assert found == [
        "DIR/a.yaml, document 1 (line 1): Pod ?: apiVersion: Required value: such as v1 or apps/v1",
        "DIR/a.yaml, document 1 (line 1): Pod ?: metadata.name: Required value",
        "DIR/a.yaml, document 2 (line 2): "
        'not an object with apiVersion, kind and metadata, but ["just", "a list"]',
        "DIR/a.yaml, document 3 (line 5): Pod default/a: "
        'spec.containers[0].resources.requests.cpu: Invalid value: "2 apples": quantities must '
        "match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
        "DIR/a.yaml, document 4 (line 13): Pod default/b: spec.tolerations[0].operator: "
        'Invalid value: "Like": operator must be Exists when `key` is empty, which means '
        '"match all values and all keys"',
        "DIR/a.yaml, document 4 (line 13): Pod default/b: "
        'spec.tolerations[0].operator: Unsupported value: "Like": '
        'supported values: "Equal", "Exists"',
        "DIR/a.yaml, document 5 (line 22): not valid YAML: while parsing a flow node did not find "
        "expected node content",
        "DIR/b.json, document 1 (line 1): "
        "not valid JSON: Expecting value (column 9); the text ends too early",
        "DIR/c.yaml: can't be read: No such file or directory",
    ]
    assert len(caught.value.problems) == 9


# A document, and below it what is said of it.
NO_OBJECTS = """
a string
  not an object with apiVersion, kind and metadata, but "a string"
{apiVersion: v1, items: [{kind: Pod}]}
  items but no kind: is the file complete?
{apiVersion: v1, kind: 7, metadata: {name: a}}
  kind: Invalid value: 7: must be a string
{apiVersion: v1, kind: no, metadata: {name: a}}
  kind: Invalid value: false: must be a string, so quote it
{apiVersion: v1, kind: Pod, metadata: {name: no, namespace: shop}}
  Pod shop/false: metadata.name: Invalid value: false: must be a string, so quote it
{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: n}}
  metadata.namespace: Invalid value: false: must be a string, so quote it
{apiVersion: v1, kind: Pod, metadata: []}
  metadata: Invalid value: []: must be an object
{apiVersion: v1, kind: Pod, metadata: {generateName: a-}}
  metadata.name: Required value: generateName isn't enough here
{apiVersion: v1, kind: Deployment, metadata: {name: a}}
  apiVersion: Invalid value: "v1": Deployment is served as apps/v1
{apiVersion: policy/v1beta1, kind: PodDisruptionBudget, metadata: {name: a}}
  PodDisruptionBudget is served as policy/v1
\x80
  not valid YAML: control characters are not allowed
""".strip().splitlines()


@pytest.mark.parametrize(
    ("text", "problem"),
    [*zip(NO_OBJECTS[::2], NO_OBJECTS[1::2], strict=True)],
    ids=NO_OBJECTS[1::2],
)
def test_what_is_no_object_is_said(text: str, problem: str) -> None:
    assert problem.strip() in problems(text)[0]


def test_what_has_no_text_and_no_objects_is_said(tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match=r"stdin, document 1 \(line 2\): not UTF-8 text"):
        read_sources(["-"], io.BytesIO(b"a: 1\n\xff"))
    with pytest.raises(ManifestError, match=r"no file that ends with \.yaml, \.yml, \.json"):
        read_sources([str(tmp_path)])
    with pytest.raises(ManifestError, match="no standard input"):
        read_sources(["-"])


def test_unequal_doubles_are_an_error_and_equal_ones_are_noted() -> None:
    text = json.dumps(pod("a")) + json.dumps(pod("a", labels={"x": "y"}))
    place = "stdin, document 2 (line 1): Pod default/a: stands already in stdin"
    assert problems(text) == [f"{place}, document 1 (line 1)"]
    found = read(json.dumps(pod("a")) + json.dumps(pod("a")))
    assert names(found) == ["a"]
    (note,) = found.notes
    assert note.startswith("Pod default/a stands twice, but alike")


def test_the_later_double_wins_where_objects_are_applied() -> None:
    text = json.dumps(pod("a")) + json.dumps(pod("b")) + json.dumps(pod("a", labels={"x": "y"}))
    found = read(text, is_applied=True)
    assert names(found) == ["b", "a"]
    assert found.objects[1].obj["metadata"]["labels"] == {"x": "y"}
    assert len(found.notes) == 1


def test_same_name_in_another_namespace_or_kind_is_another_object() -> None:
    text = "".join(json.dumps(o) for o in (pod("a"), pod("a", namespace="x"), config_map("a")))
    assert len(read(text).objects) == 3


odd_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from(["", "v1", "Pod", "List", "x"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["apiVersion", "kind", "metadata", "items", "name", "namespace"]), inner
        )
    ),
    max_leaves=15,
)


@given(st.lists(odd_values, max_size=3))
def test_whatever_is_read_is_taken_or_refused(values: list[Any]) -> None:
    text = "\n".join(json.dumps(value) for value in values)
    with suppress(ManifestError):
        assert all(loaded.obj["kind"] for loaded in read(text).objects)
