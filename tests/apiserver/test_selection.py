"""Selections: by labels, and by the fields that each kind can be selected by."""

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.selection import ALL, parse_selection


def test_no_selectors_select_everything() -> None:
    assert parse_selection(KINDS["Pod"], "", "") == ALL
    assert ALL.is_everything
    assert not parse_selection(KINDS["Pod"], "", "metadata.name=a").is_everything
