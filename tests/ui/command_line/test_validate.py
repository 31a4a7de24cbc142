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


@pytest.mark.parametrize("command", [("plan",), ("explain", "web")])
def test_unknown_fields_of_what_is_applied_are_errors(podium, write, state, command) -> None:
    path = write("new.yaml", misspelt())
    result = podium(*command, "-f", state, "--apply", path)
    assert result.exit_code == 1
    where = f"error: {path}, document 1 (line 1): Deployment default/web: "
    assert sorted(result.stderr.splitlines()) == sorted(where + one for one in STRANGE)


def test_as_a_warning_they_are_told_and_the_plan_is_made(podium, write, state) -> None:
    path = write("new.yaml", misspelt())
    arguments = ("plan", "-f", state, "--apply", path, "--validate=warn")
    result = podium(*arguments)
    assert result.exit_code == 0
    assert result.stderr.count("unknown field") == 3
    assert "1 pod placed" in result.stdout
    report = json.loads(podium(*arguments, "-o", "json").stdout)
    assert sum("unknown field" in one for one in report["warnings"]) == 3


def test_they_may_be_ignored(podium, write, state) -> None:
    path = write("new.yaml", misspelt())
    result = podium("plan", "-f", state, "--apply", path, "--validate=ignore")
    assert result.exit_code == 0
    assert "unknown field" not in result.output


def test_in_a_state_they_are_warnings(podium, write) -> None:
    state = write("state.yaml", node("n"), misspelt())
    result = podium("plan", "-f", state)
    assert result.exit_code == 0
    assert result.stderr.count("warning:") >= 3
    assert "did you mean replicas?" in result.stderr
    quiet = podium("plan", "-f", state, "--validate=ignore")
    assert "unknown field" not in quiet.output


def test_what_an_api_server_has_let_in_is_not_looked_at(podium, write) -> None:
    state = write("state.yaml", node("n"), {**misspelt(), "metadata": {"name": "web", "uid": "u"}})
    assert "unknown field" not in podium("plan", "-f", state).output


def test_a_required_field_that_is_misspelt_is_told_with_what_was_meant(
    podium, write, state
) -> None:
    new = pod("p")
    new["spec"]["container"] = new["spec"].pop("containers")
    result = podium("plan", "-f", state, "--apply", write("new.yaml", new))
    assert "spec.containers: Required value" in result.stderr
    assert ".spec.container: unknown field; did you mean containers?" in result.stderr


def test_fields_that_stand_twice(podium, tmp_path, state) -> None:
    path = tmp_path / "twice.yaml"
    path.write_text(write_yaml(pod("p")) + "kind: Pod\n")
    arguments = ("plan", "-f", state, "--apply", str(path))
    refused = podium(*arguments)
    assert refused.exit_code == 1
    assert 'the key "kind" stands twice in the same mapping' in refused.stderr
    warned = podium(*arguments, "--validate=warn")
    assert warned.exit_code == 0
    assert "warning: " + str(path) in warned.stderr
    assert "stands twice" not in podium(*arguments, "--validate=ignore").output
    of_state = podium("plan", "-f", state, "-f", str(path))
    assert of_state.exit_code == 0
    assert 'the key "kind" stands twice' in of_state.stderr


def test_they_are_found_in_json_too(podium, tmp_path, state) -> None:
    path = tmp_path / "twice.json"
    once = json.dumps(pod("p"))
    path.write_text(once.replace('"spec": {', '"spec": {"priority": 1, "priority": 2, '))
    result = podium("plan", "-f", state, "--apply", str(path))
    assert result.exit_code == 1
    assert ".spec.priority: stands twice" in result.stderr


def test_a_word_that_became_a_boolean_should_be_quoted(podium, tmp_path, state) -> None:
    path = tmp_path / "new.yaml"
    text = write_yaml(pod("p", metadata={"annotations": {"country": "NORWAY"}}))
    path.write_text(text.replace("NORWAY", "no"))
    result = podium("plan", "-f", state, "--apply", str(path))
    assert result.exit_code == 1
    assert "metadata.annotations" in result.stderr
    assert "quote it" in result.stderr
    path.write_text(text.replace("NORWAY", '"no"'))
    assert podium("plan", "-f", state, "--apply", str(path)).exit_code == 0


def test_a_boolean_as_the_value_of_a_variable_should_be_quoted(podium, tmp_path, state) -> None:
    new = pod("p")
    new["spec"]["containers"][0]["env"] = [{"name": "A", "value": "WORD"}]
    path = tmp_path / "new.yaml"
    path.write_text(write_yaml(new).replace("WORD", "on"))
    result = podium("plan", "-f", state, "--apply", str(path))
    assert result.exit_code == 1
    assert "spec.containers[0].env[0].value" in result.stderr
    assert "quote it" in result.stderr


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
