"""NodeDeclaredFeatures: rules out nodes whose kubelet lacks a feature that the pod needs.

A node lists features in `status.declaredFeatures`; a pod's spec implies those it needs. In v1.36
there are two such features.
"""

from collections.abc import Sequence

import numpy as np

from podium.api.objects import Object, entries, spec_of, status_of
from podium.api.pods import all_containers_of
from podium.scheduler.framework.cluster_events import (
    Action,
    EventHint,
    EventResource,
    after_change,
    after_difference,
)
from podium.scheduler.framework.handle import Handle
from podium.scheduler.framework.interface import FixedCodes, fixed_codes
from podium.scheduler.framework.status import unresolvable
from podium.scheduler.snapshot.pod_classes import PodClass
from podium.scheduler.snapshot.pod_info import PodInfo

_LACKING = -1
_REASON = "node(s) didn't match Pod's required features"


class NodeDeclaredFeatures:
    """Rules out nodes that don't declare the features that the pod needs (Filter)."""

    name = "NodeDeclaredFeatures"

    def __init__(self, handle: Handle) -> None:
        self._snapshot = handle.snapshot

    def events_to_register(self) -> Sequence[EventHint]:
        declared = Action.ADD | Action.UPDATE_NODE_DECLARED_FEATURE
        return (
            after_difference(
                EventResource.NODE,
                declared,
                lambda node: list(entries(status_of(node), "declaredFeatures")),
            ),
            after_change(
                EventResource.UNSCHEDULED_POD,
                Action.UPDATE,
                lambda pod, old, new: (
                    required_features(spec_of(old or {})) != required_features(spec_of(new))
                ),
            ),
        )

    def by_shape(self, cls: PodClass) -> bool:
        return True

    def filter(self, pod: PodInfo) -> FixedCodes | None:
        required = required_features(pod.cls.spec)
        if not required:
            return None
        declared = self._snapshot.columns.declared_features()
        verdicts = [0 if required <= set(features) else _LACKING for features in declared.values]
        codes = declared.lookup(verdicts, np.int32)
        return fixed_codes(self.name, codes, lambda _: unresolvable(_REASON))


def required_features(spec: Object) -> set[str]:
    """Return the features that a pod with this spec needs on its node."""
    required = set()
    rules = (rule for c in all_containers_of(spec) for rule in entries(c, "restartPolicyRules"))
    if any(rule.get("action") == "RestartAllContainers" for rule in rules):
        required.add("RestartAllContainersOnContainerExits")
    if spec.get("hostNetwork") and spec.get("hostUsers") is False:
        required.add("UserNamespacesHostNetworkSupport")
    return required
