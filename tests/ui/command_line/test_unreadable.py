"""Files that can't be read: each command says so in the same plain words."""

import pytest

from tests.objects import node


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


@pytest.mark.parametrize("content", ["", "# nothing\n"])
@pytest.mark.parametrize("option", ["--scheduler-config", "--kubelet-config"])
def test_a_configuration_with_nothing_in_it(podium, write, tmp_path, option, content) -> None:
    state, empty = write("state.yaml", node("node")), str(tmp_path / "empty.yaml")
    (tmp_path / "empty.yaml").write_text(content)
    result = podium("plan", "-f", state, option, empty)
    assert result.exit_code == 1
    assert result.stderr == f"error: {empty}: must hold a document, but holds nothing\n"
