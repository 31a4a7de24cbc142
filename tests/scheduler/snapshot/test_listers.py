"""What is assumed of objects, until it is taken back or the API tells of something newer."""

import pytest

from podium.scheduler.snapshot.listers import Listers

Obj = dict[str, object]


def volume(version: str = "", **spec: str) -> Obj:
    metadata = {"name": "v"} | ({"resourceVersion": version} if version else {})
    return {"kind": "PersistentVolume", "metadata": metadata, "spec": spec}


def seen(listers: Listers) -> object:
    return listers.get("PersistentVolume", "v")


def test_what_is_assumed_is_seen_until_it_is_taken_back() -> None:
    told, first, second = volume(), volume(owner="a"), volume(owner="b")
    listers = Listers([told])
    for assumed in (first, second):
        listers.assume(assumed)
        assert seen(listers) is assumed
        assert listers.list("PersistentVolume") == [assumed]
    listers.restore(first)
    assert seen(listers) is told


def test_a_newer_version_ends_what_was_assumed() -> None:
    listers = Listers([volume("7")])
    assumed, newer = volume("7", owner="a"), volume("10")
    listers.assume(assumed)
    for repeated in (volume("7"), volume("6")):
        listers.set(repeated)
        assert seen(listers) is assumed
    listers.set(newer)
    assert seen(listers) is newer
    listers.restore(assumed)
    assert seen(listers) is newer


def test_an_object_without_versions_replaces_what_was_assumed() -> None:
    listers, other = Listers([volume()]), volume()
    listers.assume(volume(owner="a"))
    listers.set(other)
    assert seen(listers) is other


def test_a_removed_object_doesnt_come_back() -> None:
    listers = Listers([volume()])
    listers.assume(volume(owner="a"))
    listers.remove(volume())
    listers.restore(volume(owner="a"))
    assert seen(listers) is None
    with pytest.raises(KeyError):
        listers.assume(volume(owner="a"))


def test_assuming_and_telling_raise_epochs_of_their_own() -> None:
    listers = Listers([volume()])
    told = listers.epoch
    listers.assume(volume(owner="a"))
    assert (listers.epoch, listers.assumed_epoch) == (told, 1)
    listers.restore(volume())
    listers.restore(volume())
    assert (listers.epoch, listers.assumed_epoch) == (told, 2)
    listers.set(volume())
    assert (listers.epoch, listers.assumed_epoch) == (told + 1, 2)
