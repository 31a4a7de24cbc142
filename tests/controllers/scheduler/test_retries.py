"""When preemptions that failed are tried again."""

from podium.controllers.scheduler.retries import Retries


def test_the_second_failure_and_all_after_it_wait() -> None:
    retries, waits_s = Retries(), []
    for _ in range(2000):
        retries.failed("u", 0.0)
        waits_s.append(retries.next_s())
        assert retries.take_due(10.0) == ["u"]
    assert waits_s[:6] == [0.0, 1.0, 2.0, 4.0, 8.0, 10.0]
    assert waits_s[-1] == 10.0
