"""Who is asked, in which order, and what stands in the way of all of it."""

from typing import Any, ClassVar

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.refused import RefusedError
from podium.apiserver.admission.chain import PLUGINS, UnknownPluginError
from podium.apiserver.admission.pod_plugins import NOT_READY
from podium.apiserver.attributes import Operation
from tests.apiserver.admission.shelf import Door, container, namespace, pod, stored

Obj = dict[str, Any]


def test_quotas_are_charged_last() -> None:
    assert PLUGINS[0].__name__ == "NamespaceLifecycle"
    assert PLUGINS[-1].__name__ == "ResourceQuota"
    assert len({plugin.__name__ for plugin in PLUGINS}) == len(PLUGINS)


@pytest.mark.parametrize("field", ["enabled", "disabled"])
@pytest.mark.parametrize("name", ["Priorty", "PodTolerationRestriction"])
def test_a_plugin_that_there_is_not(field: str, name: str) -> None:
    with pytest.raises(UnknownPluginError, match=f"there is no admission plugin {name}; there are"):
        Door(**{field: frozenset({name})})


def test_a_plugin_can_be_left_out() -> None:
    door = Door(disabled=frozenset({"DefaultTolerationSeconds"}))
    assert "tolerations" not in door.admit(pod())["spec"]


def test_what_is_given_is_never_changed() -> None:
    given = pod(containers=[container()], nodeName="n")
    node = stored("Node", "n", metadata={"labels": {"topology.kubernetes.io/zone": "z"}})
    limits = [{"type": "Container", "defaultRequest": {"cpu": "1"}}]
    door = Door(node, stored("LimitRange", "l", spec={"limits": limits}))
    before = repr((given, door.shelf.objects))
    assert door.admit(given) != given
    assert repr((given, door.shelf.objects)) == before


class TestNamespaces:
    def test_a_missing_one(self) -> None:
        with pytest.raises(RefusedError) as refused:
            Door().ask(pod(), place="absent")
        assert (refused.value.code, refused.value.message) == (404, 'namespaces "absent" not found')

    @pytest.mark.parametrize("subresource", ["", "binding", "eviction"])
    def test_a_terminating_one_takes_nothing_new(self, subresource: str) -> None:
        door = Door(namespace(status={"phase": "Terminating"}))
        with pytest.raises(RefusedError) as refused:
            door.ask(pod(), subresource=subresource)
        assert refused.value.status() == {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": 'pods "p" is forbidden: unable to create new content in namespace ns '
            "because it is being terminated",
            "reason": "Forbidden",
            "details": {
                "name": "p",
                "kind": "pods",
                "causes": [
                    {
                        "reason": "NamespaceTerminating",
                        "message": "namespace ns is being terminated",
                        "field": "metadata.namespace",
                    }
                ],
            },
            "code": 403,
        }

    def test_a_terminating_one_lets_its_objects_change_and_go(self) -> None:
        door = Door(namespace(status={"phase": "Terminating"}))
        old = pod()
        assert door.ask(old, old=old)
        assert door.ask(old, old=old, subresource="status")
        assert door.ask(old, operation=Operation.DELETE, name="p")

    @pytest.mark.parametrize("name", ["default", "kube-system", "kube-public"])
    def test_some_stay(self, name: str) -> None:
        with pytest.raises(RefusedError) as refused:
            Door().ask(namespace(name), operation=Operation.DELETE, name=name)
        assert refused.value.message == (
            f'namespaces "{name}" is forbidden: this namespace may not be deleted'
        )

    def test_others_go(self) -> None:
        Door().ask(namespace("other"), operation=Operation.DELETE, name="other")


class TestNodes:
    def test_a_new_one_is_tainted_once(self) -> None:
        door = Door()
        tainted = door.admit(stored("Node", "n"))
        assert tainted["spec"]["taints"] == [{"key": NOT_READY, "effect": "NoSchedule"}]
        assert door.admit(tainted) is tainted

    def test_an_old_one_is_not(self) -> None:
        node = stored("Node", "n")
        assert Door().admit(node, old=node) is node


class TestTopologyLabels:
    NODE = stored(
        "Node",
        "n",
        metadata={
            "labels": {
                "topology.kubernetes.io/zone": "z",
                "topology.kubernetes.io/region": "r",
                "a": "b",
            }
        },
    )
    LABELS: ClassVar = {"topology.kubernetes.io/zone": "z", "topology.kubernetes.io/region": "r"}

    def test_a_binding_carries_them(self) -> None:
        binding = {"metadata": {"name": "p"}, "target": {"kind": "Node", "name": "n"}}
        door = Door(self.NODE)
        admitted = door.admit(binding, subresource="binding", kind=KINDS["Pod"])
        assert admitted["metadata"]["labels"] == self.LABELS

    @pytest.mark.parametrize("target", [{"kind": "Node", "name": "absent"}, {"name": "n"}, {}])
    def test_nowhere_to_take_them_from(self, target: Obj) -> None:
        binding = {"metadata": {"name": "p"}, "target": target}
        door = Door(self.NODE)
        assert door.admit(binding, subresource="binding", kind=KINDS["Pod"]) is binding

    def test_a_pod_on_a_node_carries_them_and_keeps_its_own(self) -> None:
        given = pod(nodeName="n")
        given["metadata"]["labels"] = {"topology.kubernetes.io/zone": "own"}
        labels = Door(self.NODE).admit(given)["metadata"]["labels"]
        assert labels == {**self.LABELS, "topology.kubernetes.io/zone": "own"}


class TestStorage:
    @pytest.mark.parametrize(
        ("kind", "finalizer"),
        [("PersistentVolumeClaim", "pvc-protection"), ("PersistentVolume", "pv-protection")],
    )
    def test_what_is_used_is_protected(self, kind: str, finalizer: str) -> None:
        door = Door()
        given = stored(kind, "x", metadata={"finalizers": ["a/b"]})
        admitted = door.admit(given)
        assert admitted["metadata"]["finalizers"] == ["a/b", f"kubernetes.io/{finalizer}"]
        assert door.admit(admitted) is admitted

    @staticmethod
    def claim(size: str, phase: str = "Bound", storage_class: str = "s") -> Obj:
        resources = {"requests": {"storage": size}}
        spec = {"storageClassName": storage_class, "resources": resources}
        return stored("PersistentVolumeClaim", "c", spec=spec, status={"phase": phase})

    @pytest.mark.parametrize(
        ("old", "allowed", "why"),
        [
            (claim("1Gi", phase="Pending"), True, "Only bound persistent volume claims can be"),
            (claim("1Gi"), False, "the storageclass that provisions the pvc must support resize"),
        ],
    )
    def test_a_claim_that_may_not_grow(self, old: Obj, allowed: bool, why: str) -> None:
        door = Door(stored("StorageClass", "s", allowVolumeExpansion=allowed))
        with pytest.raises(RefusedError, match=why):
            door.ask(self.claim("2Gi"), old=old)

    def test_a_claim_that_may(self) -> None:
        door = Door(stored("StorageClass", "s", allowVolumeExpansion=True))
        assert door.ask(self.claim("2Gi"), old=self.claim("1Gi"))
        assert Door().ask(self.claim("1Gi"), old=self.claim("1Gi"))


def test_a_pod_is_admitted_without_looking_through_lists() -> None:
    door = Door()
    door.shelf.version = lambda kind: 0  # type: ignore[method-assign]
    door.admit(pod())
    door.shelf.list = lambda kind, namespace="": 1 / 0  # type: ignore[method-assign,assignment,return-value]
    assert door.admit(pod())
