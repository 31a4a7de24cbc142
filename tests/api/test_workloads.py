"""How many pods a workload wants, and which are its own."""

from podium.api.workloads import replicas_of, selector_of


def test_replicas_are_one_unless_said() -> None:
    specs = ({}, {"replicas": 0}, {"replicas": 3})
    assert [replicas_of({"spec": spec}) for spec in specs] == [1, 0, 3]


def test_a_replication_controllers_selector_is_a_map() -> None:
    spec = {"selector": {"app": "web"}}
    assert selector_of({"kind": "ReplicationController", "spec": spec}).matches({"app": "web"})
    spec = {"selector": {"matchLabels": {"app": "web"}}}
    assert not selector_of({"kind": "ReplicaSet", "spec": spec}).matches({"app": "db"})
