"""`--controllers` as kube-controller-manager takes it."""

import pytest

from podium.api.errors import PodiumError
from podium.cluster.virtual import CONTROLLERS
from podium.cluster.virtual.controller_list import chosen_controllers

ALL = frozenset(CONTROLLERS)


@pytest.mark.parametrize(
    ("words", "chosen"),
    [
        (["*"], ALL),
        ([], frozenset()),
        (["job-controller"], {"job-controller"}),
        (["*", "-job-controller"], ALL - {"job-controller"}),
        (["-job-controller", "*", "job-controller"], ALL - {"job-controller"}),
        (["-job-controller"], frozenset()),
        (["garbage-collector-controller"], {"generic-garbage-collector"}),
    ],
)
def test_words_choose(words: list[str], chosen: frozenset[str]) -> None:
    assert chosen_controllers(words) == chosen


def test_names_of_nobody_are_refused() -> None:
    with pytest.raises(PodiumError, match="no controller cron; there are deployment"):
        chosen_controllers(["*", "-cron"])
