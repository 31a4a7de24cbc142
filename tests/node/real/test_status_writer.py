"""When statuses whose write failed are written again."""

from podium.control.events import CallError
from podium.node.real.status_writer import StatusWriter

POD = {"metadata": {"namespace": "default", "name": "p", "uid": "u"}}


def test_writes_that_keep_failing_are_made_again_for_ever() -> None:
    writer, now_s, waits_s = StatusWriter(), 0.0, []
    writer.want(POD, {"phase": "Running"})
    for _ in range(2000):
        assert len([*writer.writes(now_s)]) == 1
        writer.outcome("u", CallError(500, "InternalError", "no"), now_s)
        waits_s.append(writer.next_s() - now_s)
        now_s = writer.next_s()
    assert waits_s[:8] == [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0]
    assert waits_s[-1] == 30.0
