"""Kinds: which they are, and how an object says that it is of one."""

from podium.api.kinds.builtin_kinds import KINDS


def test_plurals_are_unique_within_a_group() -> None:
    resources = [kind.resource for kind in KINDS.values()]
    assert len(set(resources)) == len(resources)
