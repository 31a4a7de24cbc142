"""The order of admission plugins, and which of them run."""

import pytest

from podium.apiserver.admission.chain import PLUGINS, UnknownPluginError
from podium.apiserver.admission.plugin import LimitedScope
from tests.apiserver.admission.shelf import Door, container, pod, stored


def test_quotas_are_charged_last() -> None:
    assert PLUGINS[0].__name__ == "NamespaceLifecycle"
    assert PLUGINS[-1].__name__ == "ResourceQuota"


@pytest.mark.parametrize("field", ["enabled", "disabled"])
@pytest.mark.parametrize("name", ["Priorty", "PodTolerationRestriction"])
def test_an_unknown_plugin_is_named(field: str, name: str) -> None:
    with pytest.raises(UnknownPluginError, match=f"there is no admission plugin {name}; there are"):
        Door(**{field: frozenset({name})})


def test_a_plugin_can_be_disabled() -> None:
    door = Door(disabled=frozenset({"DefaultTolerationSeconds"}))
    assert "tolerations" not in door.admit(pod())["spec"]


def test_given_and_stored_objects_are_never_changed() -> None:
    given = pod(containers=[container()], nodeName="n")
    node = stored("Node", "n", metadata={"labels": {"topology.kubernetes.io/zone": "z"}})
    limits = [{"type": "Container", "defaultRequest": {"cpu": "1"}}]
    door = Door(node, stored("LimitRange", "l", spec={"limits": limits}))
    before = repr((given, door.shelf.objects))
    assert door.admit(given) != given
    assert repr((given, door.shelf.objects)) == before


def test_a_pod_is_admitted_without_looking_through_lists() -> None:
    door = Door()
    door.shelf.changes = lambda kind: 0  # type: ignore[method-assign]
    door.admit(pod())
    door.shelf.list = lambda kind, namespace="": 1 / 0  # type: ignore[method-assign,assignment,return-value]
    assert door.admit(pod())


def test_pods_of_a_limited_scope_need_a_quota() -> None:
    critical = LimitedScope("PriorityClass", "In", ("system-node-critical", "a"))
    door, given = Door(limited_scopes=(critical,)), pod(priorityClassName="system-node-critical")
    with pytest.raises(Exception, match=r"scopes: \[{PriorityClass In \[system-node-critical a\]}"):
        door.ask(given)
    assert door.ask(pod())[1] == []
    requirement = {"scopeName": "PriorityClass", "operator": "Exists"}
    spec = {"hard": {"pods": "1"}, "scopeSelector": {"matchExpressions": [requirement]}}
    status = {"hard": {"pods": "1"}, "used": {"pods": "0"}}
    door.shelf.put(stored("ResourceQuota", "q", spec=spec, status=status))
    (charged,) = door.ask(given)[1]
    assert charged["status"]["used"] == {"pods": "1"}
