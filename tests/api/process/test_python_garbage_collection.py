"""The garbage collector is off for a while, and then as it was."""

import gc

import pytest

from podium.api.process.python_garbage_collection import without_garbage_collection


def test_nothing_is_collected_meanwhile() -> None:
    assert gc.isenabled()
    with without_garbage_collection():
        assert not gc.isenabled()
        with without_garbage_collection():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()


def test_an_error_turns_it_on_again() -> None:
    with pytest.raises(ValueError, match="bad"), without_garbage_collection():
        raise ValueError("bad")
    assert gc.isenabled()
