"""What is asked is checked: unknown and repeated fields, words that became booleans, nothing."""

import json
from typing import Any

import pytest

from podium.api.codec.yaml_writer import write_yaml
from tests.objects import node, pod, workload


def misspelt() -> dict[str, Any]:
    found = workload("Deployment", "web", template={"priorityClasName": "high"})
    found["spec"]["replica"] = 3
    found["spec"]["template"]["spec"]["containers"][0]["resource"] = {"limits": {"cpu": "1"}}
    return found


SPEC = ".spec.template.spec"
STRANGE = [
    ".spec.replica: unknown field; did you mean replicas?",
    f"{SPEC}.containers[0].resource: unknown field; did you mean resources?",
    f"{SPEC}.priorityClasName: unknown field; did you mean priorityClassName?",
]


@pytest.fixture
def state(write) -> str:
    return write("state.yaml", node("n"))


def misspelt_container() -> dict[str, Any]:
    new = pod("p")
    new["spec"]["container"] = new["spec"].pop("containers")
    return new


MISSPELT = write_yaml(misspelt())
POD = write_yaml(pod("p", metadata={"annotations": {"country": "NORWAY"}}))
VARIABLE = POD.replace("image: i", "image: i\n    env: [{name: A, value: on}]")
TWICE_JSON = json.dumps(pod("p")).replace('"spec": {', '"spec": {"priority": 1, "priority": 2, ')
QUOTE = "quote it"
REFUSED: dict[str, tuple[str, list[str]]] = {
    "unknown fields": (MISSPELT, STRANGE),
    "a required field that is misspelt": (
        write_yaml(misspelt_container()),
        [
            "spec.containers: Required value",
            ".spec.container: unknown field; did you mean containers?",
        ],
    ),
    "fields that stand twice": (POD + "kind: Pod\n", ['the key "kind" stands twice in the same']),
    "fields that stand twice in JSON": (TWICE_JSON, [".spec.priority: stands twice"]),
    "a word that became a boolean": (POD.replace("NORWAY", "no"), ["metadata.annotations", QUOTE]),
    "a boolean as a variable": (VARIABLE, ["spec.containers[0].env[0].value", QUOTE]),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_applied_is_refused(podium, tmp_path, state, what: str) -> None:
    content, errors = REFUSED[what]
    path = tmp_path / ("new.json" if "JSON" in what else "new.yaml")
    path.write_text(content)
    result = podium("plan", "-f", state, "--apply", str(path))
    assert result.exit_code == 1
    assert all(line.startswith(f"error: {path}") for line in result.stderr.splitlines())
    assert all(error in result.stderr for error in errors)


def test_what_is_quoted_is_applied(podium, tmp_path, state) -> None:
    path = tmp_path / "new.yaml"
    path.write_text(POD.replace("NORWAY", '"no"'))
    assert podium("plan", "-f", state, "--apply", str(path)).exit_code == 0


@pytest.mark.parametrize(
    ("content", "fault", "number"),
    [(MISSPELT, "unknown field", 3), (POD + "kind: Pod\n", "stands twice", 1)],
)
def test_faults_may_be_warnings_or_be_ignored(
    podium, tmp_path, state, content: str, fault: str, number: int
) -> None:
    path = tmp_path / "new.yaml"
    path.write_text(content)
    arguments = ("plan", "-f", state, "--apply", str(path))
    warned = podium(*arguments, "--validate=warn")
    assert (warned.exit_code, warned.stderr.count(fault)) == (0, number)
    assert f"warning: {path}" in warned.stderr
    report = json.loads(podium(*arguments, "--validate=warn", "-o", "json").stdout)
    assert sum(fault in one for one in report["warnings"]) == number
    ignored = podium(*arguments, "--validate=ignore")
    assert (ignored.exit_code, fault in ignored.output) == (0, False)
    of_state = podium("plan", "-f", state, "-f", str(path))
    assert (of_state.exit_code, of_state.stderr.count(fault)) == (0, number)
    assert fault not in podium("plan", "-f", state, "-f", str(path), "--validate=ignore").output


def test_what_an_api_server_has_let_in_is_not_looked_at(podium, write) -> None:
    state = write("state.yaml", node("n"), {**misspelt(), "metadata": {"name": "web", "uid": "u"}})
    assert "unknown field" not in podium("plan", "-f", state).output


def test_nothing_to_apply_is_an_error_unless_it_is_allowed(podium, tmp_path, state) -> None:
    empty, full = tmp_path / "empty.yaml", tmp_path / "full.yaml"
    empty.write_text("# nothing\n---\n")
    full.write_text(write_yaml(pod("p")))
    arguments = ("plan", "-f", state, "--apply", str(full), "--apply", str(empty))
    result = podium(*arguments)
    assert result.exit_code == 1
    assert result.stderr == (
        f"error: --apply {empty}: there is nothing to apply in it; --allow-empty accepts that\n"
    )
    assert podium(*arguments, "--allow-empty").exit_code == 0
    piped = podium("plan", "-f", state, "--apply", "-", stdin="")
    assert piped.exit_code == 1
    assert "--apply stdin" in piped.stderr or "--apply -" in piped.stderr


def test_a_state_with_nothing_in_it_is_an_error(podium, tmp_path, state) -> None:
    empty = tmp_path / "state.json"
    empty.write_text("")
    result = podium("plan", "-f", str(empty), "--apply", state)
    assert result.exit_code == 1
    assert result.stderr == f"error: the state is empty: {empty} has no objects\n"
    assert podium("plan", "-f", str(empty), "-f", state).exit_code == 0


def test_a_state_may_be_warned_about_by_up_too(write) -> None:
    from podium.api.codec.field_validation import FieldValidation
    from podium.cluster.embedded.initial_objects import read_manifests

    path = write("state.yaml", misspelt())
    found = read_manifests([path], validation=FieldValidation.WARN)
    assert sum("unknown field" in one for one in found.warnings) == 3


@pytest.mark.parametrize(
    "command",
    [("plan", "-f", "STATE", "--apply"), ("lint", "-f"), ("capacity", "-f", "STATE", "--pod")],
    ids=lambda command: command[0],
)
def test_rules_are_asked_after_defaults(podium, write, state, command) -> None:
    right = workload("Deployment", "web", strategy={"type": "RollingUpdate"})
    arguments = [state if one == "STATE" else one for one in command]
    assert "error" not in podium(*arguments, write("right.yaml", right)).output


def test_a_default_counts_as_what_is_written(podium, write, state) -> None:
    slow = workload("Deployment", "web", minReadySeconds=700)
    result = podium("plan", "-f", state, "--apply", write("slow.yaml", slow))
    rule = "Invalid value: 600: must be greater than minReadySeconds"
    assert f"spec.progressDeadlineSeconds: {rule}" in result.stdout
