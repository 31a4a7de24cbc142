"""Files that nobody wrote in good faith: each ends with an error that names it, or just works."""

import gzip
import json
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.objects import Obj, budget, workload
from tests.ui.command_line.conftest import Invoke

Make = Callable[[Path], None]

NODE = (
    "apiVersion: v1\nkind: Node\nmetadata: {name: node}\n"
    'status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}\n---\n'
)
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c, image: i}]}\n"


def text(content: str | bytes) -> Make:
    data = content.encode() if isinstance(content, str) else content
    return lambda path: path.write_bytes(data) and None


def sparse(path: Path) -> None:
    with open(path, "wb") as file:
        file.truncate(10 * 2**30)


def unix_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


def bomb() -> str:
    levels = zip("abcdefghi", "bcdefghij", strict=True)
    lines = [f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]" for old, new in levels]
    return "\n".join(["a: &a [x, x, x, x, x, x, x, x, x]", *lines])


UNREADABLE: dict[str, tuple[Make, str]] = {
    "pipe": (os.mkfifo, "nobody writes to"),
    "socket": (unix_socket, "No such device or address"),
    "device": (lambda path: path.symlink_to("/dev/zero"), "is a device"),
    "loop": (lambda path: path.symlink_to(path.name), "symbolic links"),
    "sparse": (sparse, "is larger than"),
    "zero bytes": (text(POD + "\0"), ""),
    "UTF-16": (text(POD.encode("utf-16")), "UTF-8"),
    "UTF-16 without mark": (text(POD.encode("utf-16-le")), ""),
    "UTF-32": (text(POD.encode("utf-32")), "UTF-8"),
    "binary": (text(bytes(range(128, 256)) * 400), "UTF-8"),
    "brackets": (text("[" * 100_000), "nested"),
    "closed brackets": (text("[" * 100_000 + "]" * 100_000), "nested"),
    "braces": (text("a: " + "{a: " * 100_000), "nested"),
    "dashes": (text("- " * 50_000 + "a"), "nested"),
    "aliases": (text(bomb()), "excessive aliasing"),
    "code": (text('!!python/object/apply:os.system ["exit 1"]'), ""),
}
COMMANDS: dict[str, tuple[str, ...]] = {
    "plan": ("plan", "-f"),
    "explain": ("explain", "a", "-f"),
    "apply": ("plan", "-f", os.devnull, "--apply"),
    "scheduler-config": ("plan", "-f", os.devnull, "--scheduler-config"),
    "kubelet-config": ("plan", "-f", os.devnull, "--kubelet-config"),
    "simulate": ("simulate",),
    "import": ("import", "openb", os.devnull),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("what", UNREADABLE)
def test_what_cant_be_read_is_named(
    podium: Invoke, tmp_path: Path, command: str, what: str
) -> None:
    make, why = UNREADABLE[what]
    path = tmp_path / "hostile.yaml"
    make(path)
    arguments = (*COMMANDS[command], str(path))
    if command == "import":
        arguments = ("import", "openb", str(path), str(path))
    result = podium(*arguments)
    assert result.exit_code == 1
    assert all(line.startswith("error: ") for line in result.stderr.splitlines())
    assert str(path) in result.stderr
    if command != "import":
        assert why in result.stderr
    assert len(result.stderr) < 10_000


@pytest.mark.parametrize("what", ["pipe", "device", "sparse", "binary", "brackets", "UTF-16"])
def test_decide_answers_or_names_the_file(podium: Invoke, tmp_path: Path, what: str) -> None:
    path = tmp_path / "hostile.jsonl"
    UNREADABLE[what][0](path)
    result = podium("decide", str(path))
    if f"error: {path}: can't be read: " not in result.stderr:
        answers = [json.loads(line) for line in result.stdout.splitlines()]
        assert all(answer["error"].startswith("line ") for answer in answers)
        assert (f"error: {path}: line 1: " in result.stderr) is bool(answers)
    assert result.exit_code == bool(result.stderr)


@pytest.mark.parametrize(
    "data",
    [b"\x1f\x8b\x08", gzip.compress(b"sn," * 1_000, mtime=0)[:-9], b"\x1f\x8b" + b"\xff" * 99],
    ids=["a head", "half a file", "nonsense"],
)
def test_broken_gzip_is_named(podium: Invoke, tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "nodes.csv.gz"
    path.write_bytes(data)
    result = podium("import", "openb", str(path), str(path))
    assert result.exit_code == 1
    assert f"error: {path}" in result.stderr


def test_a_directory_of_anything_is_judged_file_by_file(podium: Invoke, tmp_path: Path) -> None:
    for name, (make, _) in UNREADABLE.items():
        make(tmp_path / f"{name.replace(' ', '-')}.yaml")
    (tmp_path / "up").symlink_to("..")
    result = podium("plan", "-f", str(tmp_path))
    assert result.exit_code == 1
    for name in UNREADABLE:
        assert f"error: {tmp_path}/{name.replace(' ', '-')}.yaml" in result.stderr


def with_spec(more: str) -> str:
    return POD.replace("spec: {", f"spec: {{{more}, ")


def cpu(quantity: str) -> str:
    requests = f'image: i, resources: {{requests: {{cpu: "{quantity}"}}}}'
    return POD.replace("image: i", requests)


@pytest.mark.parametrize(
    ("manifest", "field"),
    [
        (with_spec(f"priority: {'9' * 5_000}"), "spec.priority"),
        (with_spec(f"priority: 0x{'f' * 50_000}"), "spec.priority"),
        (cpu("9" * 5_000), "requests.cpu"),
        (cpu("1" * 100_000 + "x"), "requests.cpu"),
        (cpu("0" * 20_000 + "x"), "requests.cpu"),
        (cpu("1e999999999"), "requests.cpu"),
        (cpu("1e-999999999"), "requests.cpu"),
        (POD.replace("name: a", "name: " + "a-" * 100_000 + "!"), "metadata.name"),
        (POD.replace("name: a", 'name: "a\\0b"'), "metadata.name"),
        (POD.replace("{name: a}", f"{{name: a, labels: {{{'a' * 1_000}: x}}}}"), "labels"),
    ],
)
def test_extreme_values_are_refused_by_field(
    podium: Invoke, tmp_path: Path, manifest: str, field: str
) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(NODE + manifest)
    result = podium("plan", "-f", str(path))
    assert result.exit_code == 1
    assert f"{path}, document 2" in result.stderr
    assert field in result.stderr
    assert len(result.stderr) < 5_000


def test_an_integer_without_end_in_json(podium: Invoke, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"apiVersion":"v1","kind":"Pod","spec":{"priority":' + "9" * 5_000 + "}}")
    result = podium("plan", "-f", str(path))
    assert result.exit_code == 1
    assert f"{path}, document 1 (line 1): not valid JSON: an integer has more" in result.stderr


def owned(number: int, owner: int) -> Obj:
    kind = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "controller": True}
    owners = [{**kind, "name": f"r{owner}", "uid": f"u{owner}"}]
    replica_set = workload("ReplicaSet", f"r{number}", uid=f"u{number}", replicas=0)
    replica_set["metadata"]["ownerReferences"] = owners
    return replica_set


def many(what: str) -> list[Obj]:
    match what:
        case "an owner of itself":
            return [owned(1, 1)]
        case "owners in a circle":
            return [owned(1, 2), owned(2, 1)]
        case "a chain of owners":
            return [owned(number, number + 1) for number in range(10_000)]
        case "budgets":
            return [budget(f"b{n}", minAvailable=1, selector={}) for n in range(3_000)]
    values = [f"v{number}" for number in range(100_000)]
    expression = {"key": "a", "operator": "In", "values": values}
    return [budget("b", minAvailable=1, selector={"matchExpressions": [expression]})]


@pytest.mark.parametrize(
    "what", ["an owner of itself", "owners in a circle", "a chain of owners", "budgets", "values"]
)
def test_much_of_everything_just_works(podium: Invoke, tmp_path: Path, what: str) -> None:
    (tmp_path / "a.yaml").write_text(NODE + POD)
    (tmp_path / "b.json").write_text(json.dumps({"kind": "List", "items": many(what)}))
    result = podium("plan", "-f", str(tmp_path))
    assert (result.exit_code, result.stderr) == (0, "")
    assert "1 pod placed" in result.stdout
