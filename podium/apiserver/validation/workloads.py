"""Workloads: objects from whose templates controllers make pods."""

from typing import Any

from podium.api.errors import FieldError
from podium.apiserver.validation.checks import (
    Check,
    Faults,
    a_dict,
    absent_as,
    boolean,
    count,
    detail,
    dicts,
    each,
    fields,
    in_turn,
    integer,
    join,
    needed,
    one_of,
    required,
    text,
)
from podium.apiserver.validation.metadata import object_meta
from podium.apiserver.validation.rollouts import daemon_update, deployment_strategy, stateful_update
from podium.apiserver.validation.selectors import label_selector
from podium.apiserver.validation.storage import claim_template
from podium.apiserver.validation.templates import (
    always,
    daemon_selector,
    mapped,
    own_selector,
    selected,
    selected_template,
    selector_map,
    selector_of,
    until_done,
    with_template,
)


def _workload(*spec: Check) -> Check:
    return fields(metadata=object_meta(), spec=needed(in_turn(*spec)))


_pods = fields(replicas=count)
_revisions = detail(fields(revisionHistoryLimit=count))
_ready = fields(minReadySeconds=count)


def _progress_after_ready(spec: Any, path: str) -> Faults:
    deadline, ready = spec.get("progressDeadlineSeconds"), spec.get("minReadySeconds") or 0
    where = join(path, "progressDeadlineSeconds")
    if deadline is None:
        return
    yield from count(deadline, where)
    if isinstance(deadline, int) and isinstance(ready, int) and deadline <= ready:
        yield FieldError(where, deadline, f"must be greater than minReadySeconds ({ready})")


deployment = _workload(
    _pods,
    selector_of("deployment"),
    selected_template,
    always("ReplicaSet"),
    fields(strategy=in_turn(deployment_strategy), paused=boolean),
    _ready,
    _revisions,
    detail(_progress_after_ready),
)
"""A Deployment."""

replica_set = _workload(
    _pods,
    _ready,
    selector_of("deployment"),
    selected_template,
    always("ReplicaSet"),
)
"""A ReplicaSet."""


replication_controller = _workload(
    _ready,
    fields(selector=absent_as({}, selector_map)),
    _pods,
    mapped,
    with_template,
    always("ReplicationController"),
)
"""A ReplicationController."""


def _management(value: object, path: str) -> Faults:
    if value == "":
        yield required(path)
    elif value not in ("OrderedReady", "Parallel"):
        yield FieldError(path, value, "must be 'OrderedReady' or 'Parallel'")


def _claimed_template(spec: Any, path: str) -> Faults:
    """The template of a StatefulSet, with its claims as volumes, which its containers can mount."""
    template = a_dict(spec.get("template"))
    pod, claims = a_dict(template.get("spec")), dict[str, Any]()
    volumes = pod.get("volumes") or []
    for _, claim in dicts(spec.get("volumeClaimTemplates")):
        if isinstance(name := a_dict(claim.get("metadata")).get("name", ""), str):
            claims[name] = {"name": name, "persistentVolumeClaim": {"claimName": name}}
    if claims and isinstance(volumes, list):
        kept = [one for one in volumes if str(a_dict(one).get("name")) not in claims]
        pod = {**pod, "volumes": [*claims.values(), *kept]}
        spec = {**spec, "template": {**template, "spec": pod}}
    yield from selected_template(spec, path)


stateful_set = _workload(
    fields(podManagementPolicy=_management, updateStrategy=in_turn(stateful_update)),
    _pods,
    _ready,
    fields(ordinals=fields(start=count), serviceName=text),
    selector_of("statefulset"),
    _claimed_template,
    always("StatefulSet"),
    fields(volumeClaimTemplates=each(claim_template)),
    _revisions,
)
"""A StatefulSet."""


daemon_set = _workload(
    fields(selector=label_selector),
    selected,
    fields(selector=daemon_selector),
    with_template,
    always("DaemonSet"),
    _ready,
    fields(updateStrategy=in_turn(daemon_update)),
    _revisions,
)
"""A DaemonSet."""


def _indexed_has_completions(spec: Any, path: str) -> Faults:
    if spec.get("completionMode") == "Indexed" and spec.get("completions") is None:
        yield required(join(path, "completions"), "when completion mode is Indexed")


job = _workload(
    fields(
        parallelism=count,
        completions=count,
        activeDeadlineSeconds=detail(integer(0)),
        backoffLimit=detail(count),
        ttlSecondsAfterFinished=detail(count),
        completionMode=one_of("NonIndexed", "Indexed"),
    ),
    _indexed_has_completions,
    fields(suspend=boolean),
    with_template,
    until_done,
    own_selector,
)
"""A Job."""
