"""`podium drain`: a drain that fails, and names that aren't there."""

import pytest

from tests.objects import node, pod


@pytest.fixture
def state(write) -> str:
    """Two nodes, and a pod on one of them that nobody recreates."""
    return write("state.yaml", node("worker-1"), node("worker-2"), pod("bare", on="worker-1"))


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ("", 0),
        ("--fail-on undrained", 2),
        ("--fail-on pending", 2),
        ("--fail-on pending,undrained=allow", 0),
        ("--fail-on pending --force", 0),
    ],
)
def test_a_drain_that_fails_is_a_failure(podium, state, options: str, code: int) -> None:
    result = podium("drain", "worker-1", "-f", state, *options.split())
    assert result.exit_code == code
    is_told = "failed on undrained" in result.stderr
    assert is_told is (code == 2)


def test_pods_that_nobody_recreates_are_lost_by_force(podium, state) -> None:
    result = podium("drain", "worker-1", "-f", state)
    assert "pods that no controller will recreate (--force loses them" in result.stdout
    assert "1 node isn't drained" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ("drain worker1", "worker1: the state has no Node worker1"),
        ("fail worker1", "worker1: the state has no node or zone worker1"),
        ("fail node/worker1", "node/worker1: the state has no node worker1"),
        ("resilience worker1", "worker1: the state has no Node worker1"),
        ("plan --drain worker1", "--drain: the state has no Node worker1"),
        ("plan --cordon worker1", "--cordon: the state has no Node worker1"),
        (
            "plan --pressure worker1:memory.available=1Mi",
            "--pressure worker1:memory.available=1Mi: there is no node worker1",
        ),
    ],
)
def test_the_node_that_was_likely_meant(podium, state, arguments: str, what: str) -> None:
    result = podium(*arguments.split(), "-f", state)
    assert result.exit_code == 1
    assert result.stderr.splitlines()[-1] == f"error: {what}; is worker-1 meant?"


def test_the_pod_that_was_likely_meant(podium, state) -> None:
    result = podium("plan", "--delete", "pod/bar", "-f", state)
    assert result.stderr == "error: --delete: the state has no Pod default/bar; is bare meant?\n"
