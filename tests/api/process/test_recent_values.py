"""What was used last is kept, and no more than the limit."""

from podium.api.process.recent_values import Recent
from podium.scheduler.framework.cycle import scheduling_cycle as cycle
from podium.scheduler.scheduler import Scheduler


def test_the_longest_unused_value_goes_first() -> None:
    recent: Recent[str, int] = Recent(2)
    recent.put("a", 1)
    recent.put("b", 2)
    assert recent.get("a") == 1
    recent.put("c", 3)
    assert (recent.get("a"), recent.get("b"), recent.get("c")) == (1, None, 3)
    assert len(recent) == 2


def test_more_classes_than_are_kept_are_decided_as_before(monkeypatch) -> None:
    def bound(kept: int) -> list[str]:
        monkeypatch.setattr(cycle, "evaluations_max", lambda capacity: kept)
        scheduler = Scheduler()
        allocatable = {"cpu": "2", "pods": "9"}
        nodes = [
            {"metadata": {"name": f"n{i}"}, "status": {"allocatable": allocatable}}
            for i in range(4)
        ]
        scheduler.load(nodes, [])
        chosen = []
        for number in range(12):
            requests = {"cpu": f"{200 + number % 3}m"}
            container = {"name": "c", "resources": {"requests": requests}}
            spec = {"containers": [container], "priority": number % 2}
            pod = scheduler.pending({"metadata": {"name": f"p{number}"}, "spec": spec})
            decision = scheduler.decide(pod)
            chosen.append(decision.node_name)
            scheduler.bind(pod, decision.node_name)
        return chosen

    assert bound(1) == bound(256)
