"""From what was read to a state: complete objects, as an API server would have stored them.

What comes from a cluster is complete already. What somebody wrote by hand is completed here: its
defaults are filled in; pods without a priority are admitted as new pods are; pods that are on a
node, but say nothing about how they are, count as running and ready.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from podium.api.meta import key
from podium.api.refused import Refused
from podium.apiserver.defaulting import apply_defaults
from podium.plan.admission import Admission
from podium.plan.state import State, node_name, was_in_a_cluster

Object = Mapping[str, Any]

_TAKEN_ANYWAY = "{pod} of the state is taken as it stands, with priority 0, although {why}"
_RUNNING = "Running"
_READY = ({"type": "Ready", "status": "True"},)


def load_state(objects: Iterable[Object]) -> tuple[State, list[str]]:
    """A state of these objects, and warnings about pods that would not be admitted today."""
    state = State(apply_defaults(obj) for obj in objects)
    admission = Admission(state)
    warnings = []
    for pod in state.of_kind("Pod"):
        if (pod.get("spec") or {}).get("priority") is None:
            try:
                pod = admission.pod(pod)
            except Refused as refused:
                warnings.append(_TAKEN_ANYWAY.format(pod=key(pod), why=refused.message))
        state.put(with_assumed_status(pod))
    return state, warnings


def with_assumed_status(pod: Object) -> Object:
    """The pod; running and ready if it is on a node and nobody has said how it is."""
    status = pod.get("status") or {}
    if was_in_a_cluster(pod) or not node_name(pod) or status.get("phase") not in (None, _RUNNING):
        return pod
    return {**pod, "status": {"conditions": list(_READY), **status, "phase": _RUNNING}}
