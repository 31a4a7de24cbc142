"""Classes of pods: asking for them again, without finding them out again."""

from podium.core.pod_classes import PodClasses
from tests.core.objects import pod


def test_pods_on_nodes_are_of_the_same_class_whenever_they_are_asked_about() -> None:
    classes = PodClasses()
    pods = [pod(f"{app}-1", on="n1") for app in ("web", "db", "job", "web")]
    expected = [classes.of(obj, wants_node=False) for obj in pods]
    for first in pods:
        for second in pods:
            asked = [first, second, first, second]
            found = [classes.on_node(obj) for obj in asked]
            assert found == [expected[pods.index(obj)] for obj in asked]
    assert expected[0] is expected[3]
    assert len(classes) == 3
