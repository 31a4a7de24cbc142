"""Files that can't be read: each command says so in the same plain words."""

import pytest

from tests.plan.objects import node


@pytest.mark.parametrize(
    "arguments",
    [
        "plan -f none.yaml",
        "plan -f state.yaml --scheduler-config none.yaml",
        "plan -f state.yaml --kubelet-config none.yaml",
        "simulate none.yaml",
        "import openb none.yaml none.yaml",
        "node --allow-root --config none.yaml",
    ],
)
def test_there_is_no_such_file(podium, write, tmp_path, monkeypatch, arguments: str) -> None:
    write("state.yaml", node("node"))
    monkeypatch.chdir(tmp_path)
    result = podium(*arguments.split())
    assert result.exit_code == 1
    assert result.stderr == "error: none.yaml: can't be read: No such file or directory\n"
