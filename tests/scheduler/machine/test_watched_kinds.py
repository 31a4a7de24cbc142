"""The kinds that the scheduler watches."""

from podium.api.kinds.snapshot_kinds import DECISIVE_KINDS
from podium.scheduler.machine.event_handlers import KINDS


def test_plans_and_snapshots_have_all_that_the_scheduler_watches() -> None:
    assert not KINDS - DECISIVE_KINDS.keys()
