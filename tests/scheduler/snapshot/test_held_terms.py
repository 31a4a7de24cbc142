"""Terms of pods on nodes."""

from podium.scheduler.snapshot.held_terms import HeldTerms
from podium.scheduler.snapshot.pod_info import PodInfo, placed_pod
from podium.scheduler.snapshot.snapshot import Snapshot
from tests.objects import near, node, pod, required


def test_all_begins_anew_when_nodes_change() -> None:
    def keeping_off(name: str, other: str) -> PodInfo:
        apart = required("podAntiAffinity", near(other))
        found = placed_pod(pod(name, on="n1", affinity=apart), snapshot.classes)
        snapshot.add_pod(found, "n1")
        return found

    def selected() -> list[bool]:
        terms.follow()
        labels, held = ({"app": "web"}, {"app": "db"}), terms.terms.entries
        return [any(one.term.selector.matches(wanted) for one in held) for wanted in labels]

    snapshot = Snapshot()
    snapshot.set_node(node("n1"))
    terms = HeldTerms(snapshot)
    first = keeping_off("first", "web")
    assert selected() == [True, False]
    snapshot.remove_pod(first)
    snapshot.set_node(node("n2"))
    keeping_off("second", "db")
    assert selected() == [False, True]
