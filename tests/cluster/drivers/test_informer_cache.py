"""Informer caches: the changes that lists and watches amount to, also after broken watches."""

from typing import Any, NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from podium.api.objects import Object
from podium.cluster.drivers.informer_cache import InformerCache
from podium.machines.events import Change


class Told(NamedTuple):
    type: str
    obj: Object
    revision: int


def pod(name: str, version: int, uid: str = "") -> dict[str, Any]:
    metadata = {"namespace": "n", "name": name, "uid": uid or f"uid-{name}"}
    return {"kind": "Pod", "metadata": {**metadata, "resourceVersion": str(version)}}


def test_a_list_adds_everything_and_a_watch_tells_what_came_changed_and_went() -> None:
    informer = InformerCache("Pod")
    assert informer.listed([pod("a", 1)], 1) == [Change("Pod", None, pod("a", 1))]
    assert informer.watched(
        [
            Told("ADDED", pod("b", 2), 2),
            Told("MODIFIED", pod("a", 3), 3),
            Told("DELETED", pod("b", 4), 4),
            Told("BOOKMARK", {"metadata": {"resourceVersion": "9"}}, 9),
            Told("MODIFIED", pod("a", 3), 3),
            Told("DELETED", pod("never-seen", 2), 9),
        ]
    ) == [
        Change("Pod", None, pod("b", 2)),
        Change("Pod", pod("a", 1), pod("a", 3)),
        Change("Pod", pod("b", 4), None),
    ]
    assert (informer.revision, len(informer)) == (9, 1)


NAMES = st.sampled_from("abc")
WRITES = st.lists(st.tuples(NAMES, st.sampled_from(["put", "renew", "remove"])), max_size=30)


@given(writes=WRITES, listed_after=st.sets(st.integers(0, 29)), gap=st.integers(1, 4))
def test_changes_lead_to_what_there_is(
    writes: list[tuple[str, str]], listed_after: set[int], gap: int
) -> None:
    """However lists and watches take turns, adding up the changes gives the objects."""
    informer, stored, told = InformerCache("Pod"), dict[str, Object](), dict[str, Object]()
    missed: list[Told] = []
    for revision, (name, what) in enumerate(writes, start=1):
        missed += _write(stored, name, what, revision)
        if revision % gap:
            continue
        is_list = revision - 1 in listed_after
        changes = (
            informer.listed(stored.values(), revision) if is_list else informer.watched(missed)
        )
        missed = []
        for change in changes:
            _add_up(told, change)
        assert told == stored


def _write(stored: dict[str, Object], name: str, what: str, revision: int) -> list[Told]:
    known = stored.get(name)
    if what == "remove" or (what == "renew" and known):
        if known is None:
            return []
        del stored[name]
        gone = pod(name, revision, known["metadata"]["uid"])
        return [Told("DELETED", gone, revision)]
    uid = known["metadata"]["uid"] if known else f"{name}-{revision}"
    stored[name] = pod(name, revision, uid)
    return [Told("MODIFIED" if known else "ADDED", stored[name], revision)]


def _add_up(told: dict[str, Object], change: Change) -> None:
    """Every change must follow from the ones before, and change something."""
    assert change.old != change.new
    if change.old is not None:
        before = told.pop(change.old["metadata"]["name"])
        assert before["metadata"]["uid"] == change.old["metadata"]["uid"]
    if change.new is not None:
        assert change.new["metadata"]["name"] not in told
        told[change.new["metadata"]["name"]] = change.new
