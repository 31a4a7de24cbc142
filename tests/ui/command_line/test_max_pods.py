"""More pods than anybody can have meant are refused before there is a single one."""

from typing import Any

import pytest

from tests.objects import node, workload

HUGE = 100_000_000


def huge(kind: str = "Deployment", **spec: Any) -> Any:
    return workload(kind, "web", **(spec or {"replicas": HUGE}))


@pytest.mark.parametrize(
    ("obj", "field", "size"),
    [
        (huge(), "spec.replicas", HUGE),
        (huge("ReplicaSet"), "spec.replicas", HUGE),
        (huge("StatefulSet"), "spec.replicas", HUGE),
        (
            huge("Job", parallelism=HUGE, template={"restartPolicy": "Never"}),
            "spec.parallelism",
            HUGE,
        ),
        (
            huge("Job", parallelism=HUGE, completions=20_000, template={"restartPolicy": "Never"}),
            "spec.completions",
            20_000,
        ),
    ],
)
@pytest.mark.parametrize("command", ["plan", "explain"])
def test_too_many(podium, write, command: str, obj: Any, field: str, size: int) -> None:
    state, news = write("state.yaml", node("n", "1")), write("news.yaml", obj)
    result = podium(command, "-f", state, "--apply", news, *(["web"] * (command == "explain")))
    assert result.exit_code == 1
    assert result.stderr.replace("\n", "") == (
        f"error: {news}, document 1 (line 1): {obj['kind']} default/web: {field}: Invalid value: "
        f"{size}: makes {size} new pods; more than 10000 need --max-pods"
    )


def test_the_option_says_how_many(podium, write) -> None:
    files = ["-f", write("state.yaml", node("n"), workload("ReplicaSet", "web", replicas=4))]
    assert podium("plan", *files, "--max-pods", "4").exit_code == 0
    result = podium("plan", *files, "--max-pods", "3")
    assert result.exit_code == 1
    assert "makes 4 new pods; more than 3 need --max-pods" in result.stderr


def test_all_workloads_together_count(podium, write) -> None:
    webs = [workload("ReplicaSet", f"web-{number}", replicas=3) for number in range(3)]
    result = podium("plan", "-f", write("state.yaml", node("n"), *webs), "--max-pods", "8")
    assert "ReplicaSet default/web-2: spec.replicas: Invalid value: 3: makes 9" in result.stderr


def test_pods_that_a_cluster_has_made_do_not_count(podium, write) -> None:
    """Nor do those that a workload keeps when it is applied again."""
    before, after = (workload("Deployment", "web", replicas=size) for size in (20_000, 20_003))
    before["metadata"]["uid"] = "1"
    files = ["-f", write("state.yaml", node("n"), before), "--apply", write("news.yaml", after)]
    assert "makes 3 new pods" in podium("plan", *files, "--max-pods", "2").stderr


@pytest.mark.parametrize(
    ("step", "where"),
    [
        ("apply: [news.yaml]", "spec.steps[0].apply[0]: Invalid value: "),
        ("scale: {object: deployment/web, replicas: 11000}", "spec.steps[0].scale.replicas: "),
    ],
)
def test_of_scenarios_likewise(podium, write, tmp_path, step: str, where: str) -> None:
    write("news.yaml", workload("Deployment", "web", replicas=11_000))
    scenario = tmp_path / "scenario.yaml"
    head = "apiVersion: podium.dev/v1alpha1\nkind: Scenario\nspec:\n"
    nodes = '  nodes: [{name: node, capacity: {cpu: "1"}}]\n'
    scenario.write_text(f"{head}{nodes}  steps: [{{at: 1s, {step}}}]\n")
    result = podium("simulate", str(scenario))
    assert result.exit_code == 1
    error = result.stderr.replace("\n", "")
    assert error.startswith(f"error: {scenario}: {where}")
    assert error.endswith("makes 11000 new pods; more than 10000 need --max-pods")
    more = podium("simulate", str(scenario), "--max-pods", "11000", "--until", "0s")
    assert (more.exit_code, more.stderr) == (0, "")
