"""The store, with and without a journal, agrees with its twin whatever happens."""

import pytest
from hypothesis.stateful import rule

from podium.apiserver.store.errors import JournalError
from podium.apiserver.store.history import Journal
from tests.apiserver.store.machine import StoreMachine
from tests.apiserver.store.memory_journal import MemoryJournal
from tests.apiserver.store.objects import made


class JournalledMachine(StoreMachine):
    journal: MemoryJournal

    def open_journal(self) -> Journal:
        return MemoryJournal()

    @rule()
    def start_again(self) -> None:
        self.restart()

    @rule()
    def fail_to_write(self) -> None:
        self.journal.is_broken = True
        with pytest.raises(JournalError):
            self.store.create("Node", made("unwritable"))
        self.journal.is_broken = False


TestStore = StoreMachine.TestCase
TestJournalledStore = JournalledMachine.TestCase
