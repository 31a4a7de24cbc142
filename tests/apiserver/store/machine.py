"""A store and its twin live through the same things, which Hypothesis makes up.

Subclasses say what the journal is, and what is remembered after a restart.
"""

from dataclasses import dataclass
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from podium.apiserver.store import continue_token
from podium.apiserver.store.errors import (
    AlreadyExistsError,
    ExpiredError,
    NotFoundError,
    TooLargeResourceVersionError,
)
from podium.apiserver.store.history import Journal
from podium.apiserver.store.store import Store
from podium.apiserver.store.watch import Watch
from tests.apiserver.store.objects import made
from tests.apiserver.store.twin import Key, Twin

HISTORY_MAX = 6
NAMESPACES = {"Pod": ("a", "a-b", "b"), "Node": ("",)}

kinds = st.sampled_from(["Pod", "Pod", "Node"])
names = st.sampled_from(["x", "x-y", "y", "é"])
keys: st.SearchStrategy[Key] = kinds.flatmap(
    lambda kind: st.tuples(st.just(kind), st.sampled_from(NAMESPACES[kind]), names)
)
scopes: st.SearchStrategy[tuple[str, str | None]] = kinds.flatmap(
    lambda kind: st.tuples(st.just(kind), st.sampled_from([None, *NAMESPACES[kind]]))
)
writes = st.tuples(
    st.sampled_from(["create", "create", "update", "delete"]), keys, st.integers(0, 9)
)
limits = st.integers(1, 4)


@dataclass
class Reader:
    """A watch, and up to where the twin has read along."""

    watch: Watch
    kind: str
    namespace: str | None
    revision: int


@dataclass
class Paging:
    """A list under way."""

    kind: str
    namespace: str | None
    token: str


class StoreMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.twin = Twin()
        self.journal = self.open_journal()
        self.store = Store(history_max=HISTORY_MAX, journal=self.journal)
        self.readers: list[Reader] = []
        self.pagings: list[Paging] = []

    def open_journal(self) -> Journal | None:
        return None

    @rule(write=writes)
    def write(self, write: Any) -> None:
        self._write_both(self.twin, *write)

    @rule(batch=st.lists(writes, max_size=5), fails=st.booleans())
    def transaction(self, batch: list[Any], fails: bool) -> None:
        twin = self.twin.copy()
        try:
            with self.store.transaction():
                for write in batch:
                    self._write_both(twin, *write)
                self._compare_lists(twin)
                if fails:
                    raise ZeroDivisionError
        except ZeroDivisionError:
            return
        self.twin = twin

    def _write_both(self, twin: Twin, what: str, key: Key, content: int) -> None:
        kind, namespace, name = key
        obj = made(name, namespace, content=content)
        refusal = ""
        try:
            match what:
                case "create":
                    written = self.store.create(kind, obj)
                case "update":
                    written = self.store.update(kind, obj)
                case "delete":
                    written = self.store.delete(kind, namespace, name)
        except (AlreadyExistsError, NotFoundError) as error:
            refusal = type(error).__name__
        match what:
            case "create":
                assert twin.create(kind, obj) == refusal
            case "update":
                assert twin.update(kind, obj) == refusal
            case "delete":
                assert twin.delete(key) == refusal
        if not refusal:
            assert written == twin.writes[-1].obj
        assert self.store.revision == twin.revision

    @rule(scope=scopes, back=st.integers(-1, 12))
    def list_as_it_was(self, scope: tuple[str, str | None], back: int) -> None:
        revision = self.store.revision - back
        if back < 0:
            with pytest.raises(TooLargeResourceVersionError):
                self.store.list(*scope, at_revision=revision)
        elif revision < self.store.oldest_revision(scope[0]):
            with pytest.raises(ExpiredError):
                self.store.list(*scope, at_revision=revision)
        else:
            items = self.store.list(*scope, at_revision=revision).items
            assert items == [*self.twin.listed(*scope, revision).values()]

    @rule(scope=scopes, limit=limits)
    def first_page(self, scope: tuple[str, str | None], limit: int) -> None:
        self._check_page(Paging(*scope, ""), self.store.revision, "", limit)

    @precondition(lambda self: self.pagings)
    @rule(data=st.data(), limit=limits)
    def next_page(self, data: st.DataObject, limit: int) -> None:
        paging = data.draw(st.sampled_from(self.pagings))
        of_page, start = continue_token.decode(paging.token)
        revision = self.store.revision if of_page < 0 else of_page
        if revision < self.store.oldest_revision(paging.kind):
            with pytest.raises(ExpiredError) as caught:
                self.store.list(paging.kind, paging.namespace, continue_token=paging.token)
            paging.token = caught.value.continue_token
            assert continue_token.decode(paging.token)[1] == start
        else:
            self.pagings.remove(paging)
            self._check_page(paging, revision, start, limit)

    def _check_page(self, paging: Paging, revision: int, start: str, limit: int) -> None:
        scope = (paging.kind, paging.namespace)
        page = self.store.list(*scope, limit=limit, continue_token=paging.token)
        whole = self.twin.listed(*scope, revision)
        begin = sum(key < start for key in whole)
        end = min(begin + limit, len(whole))
        assert page.items == [*whole.values()][begin:end]
        assert page.revision == revision
        assert page.remaining == (len(whole) - end or None)
        assert bool(page.continue_token) == (end < len(whole))
        if page.continue_token:
            self.pagings.append(Paging(*scope, page.continue_token))

    @rule(scope=scopes, back=st.integers(-1, 12))
    def open_watch(self, scope: tuple[str, str | None], back: int) -> None:
        revision = self.store.revision - back
        if back < 0 or revision < self.store.oldest_revision(scope[0]):
            with pytest.raises(TooLargeResourceVersionError if back < 0 else ExpiredError):
                self.store.watch(*scope, from_revision=revision)
        else:
            watch = self.store.watch(*scope, from_revision=revision)
            self.readers.append(Reader(watch, *scope, revision))

    @precondition(lambda self: self.readers)
    @rule(data=st.data(), limit=st.none() | limits)
    def take(self, data: st.DataObject, limit: int | None) -> None:
        reader = data.draw(st.sampled_from(self.readers))
        expected = self.twin.events(reader.kind, reader.namespace, reader.revision)[:limit]
        try:
            taken = reader.watch.take(limit)
        except ExpiredError:
            assert reader.watch.revision < self.store.oldest_revision(reader.kind)
            self.readers.remove(reader)
            return
        assert taken == expected
        assert reader.watch.revision >= reader.revision
        reader.revision = reader.watch.revision
        if limit is None:
            assert reader.revision == self.store.revision

    @invariant()
    def same_objects(self) -> None:
        self._compare_lists(self.twin)
        state = self.twin.state(self.twin.revision)
        for kind, namespaces in NAMESPACES.items():
            for namespace in namespaces:
                for name in ("x", "é"):
                    expected = state.get((kind, namespace, name))
                    assert self.store.get(kind, namespace, name) == expected

    def _compare_lists(self, twin: Twin) -> None:
        for kind, namespaces in NAMESPACES.items():
            for namespace in (None, *namespaces):
                listed = [*twin.listed(kind, namespace, twin.revision).values()]
                assert self.store.list(kind, namespace).items == listed

    @invariant()
    def history_reaches_back(self) -> None:
        for kind in NAMESPACES:
            expected = self.twin.oldest_revision(kind, HISTORY_MAX)
            assert self.is_far_enough(kind, self.store.oldest_revision(kind), expected)

    def is_far_enough(self, kind: str, oldest: int, expected: int) -> bool:
        return oldest == expected

    def restart(self) -> None:
        """Go on with a new store over the same journal, and resume the watches that can be."""
        self.store = Store(history_max=HISTORY_MAX, journal=self.journal)
        former, self.readers = self.readers, []
        for reader in former:
            if reader.revision >= self.store.oldest_revision(reader.kind):
                reader.watch = self.store.watch(
                    reader.kind, reader.namespace, from_revision=reader.revision
                )
                self.readers.append(reader)
