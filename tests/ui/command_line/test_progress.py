"""What a command tells of how far it is."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from tests.objects import node, pod


class Shown:
    """Takes down everything that there would be to show."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def show(self, text: str) -> None:
        """What begins isn't how far it is."""

    def tell(self, say: Callable[[], str]) -> None:
        self.lines.append(say())


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> Shown:
    taken = Shown()

    @contextmanager
    def working(what: str) -> Iterator[Shown]:
        yield taken

    monkeypatch.setattr("podium.ui.command_line.ask.working", working)
    return taken


def test_which_seed_is_played(podium, write, shown: Shown) -> None:
    state = write("state.yaml", node("n", "1"), pod("new"))
    assert podium("plan", "-f", state, "--seeds", "3").exit_code == 0
    told = {line.partition(", ")[0] for line in shown.lines}
    assert told == {f"planning: seed {number} of 3" for number in (1, 2, 3)}


def test_hours_in_which_nothing_happens_are_one_piece(podium, write, shown: Shown) -> None:
    state = write("state.yaml", node("n", "1"), pod("new"))
    assert podium("plan", "-f", state, "--until", "1000h").exit_code == 0
    assert shown.lines[-1] == "planning: t+3600000s"
    assert len(shown.lines) < 100
