"""The store with its journal in a file agrees with its twin, and so it does after a restart."""

import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis.stateful import rule

from podium.apiserver.store.history import Journal
from podium.cluster.embedded.sqlite_journal import SqliteJournal
from tests.apiserver.store.machine import HISTORY_MAX, StoreMachine


class SqliteMachine(StoreMachine):
    journal: SqliteJournal

    def open_journal(self) -> Journal:
        self.directory = tempfile.TemporaryDirectory()
        return self.opened()

    def opened(self) -> SqliteJournal:
        path = Path(self.directory.name) / "store.db"
        return SqliteJournal(path, durability="process", history_max=HISTORY_MAX)

    @rule()
    def open_again(self) -> None:
        self.journal.close()
        self.journal = self.opened()
        self.restart()

    def is_far_enough(self, kind: str, oldest: int, expected: int) -> bool:
        # The file forgets by the number of writes of all kinds.
        return expected <= oldest <= max(expected, self.store.revision - HISTORY_MAX)

    def teardown(self) -> None:
        self.journal.close()
        self.directory.cleanup()


TestSqliteStore = SqliteMachine.TestCase
# Opening files takes its time; fewer steps leave more of it to restarts.
TestSqliteStore.settings = settings(stateful_step_count=25)
