"""Workloads: objects from whose templates controllers make pods."""

from typing import Any

from podium.api.errors import FieldError, unsupported
from podium.api.labels import equality_selector
from podium.api.labels import label_selector as parse_selector
from podium.apiserver.validation.checks import (
    Check,
    Faults,
    Needed,
    a_dict,
    boolean,
    count,
    each,
    fields,
    int_or_percent,
    join,
    needed,
    one_of,
    required,
    text,
)
from podium.apiserver.validation.metadata import object_meta, template_meta
from podium.apiserver.validation.names import label_map
from podium.apiserver.validation.pods import pod_spec
from podium.apiserver.validation.selectors import label_selector
from podium.apiserver.validation.storage import claim_template

_template = fields(metadata=template_meta, spec=needed(pod_spec))


def _template_labels(spec: Any) -> dict[str, Any]:
    return a_dict(a_dict(a_dict(spec.get("template")).get("metadata")).get("labels"))


def _selector_fits_template(spec: Any, path: str) -> Faults:
    raw, labels = spec.get("selector"), _template_labels(spec)
    if not isinstance(raw, dict) or list(label_selector(raw, "")):
        return
    where = join(path, "selector")
    if parse_selector(raw).is_empty:
        yield FieldError(where, raw, "empty selector is invalid: it would select all pods")
    elif not parse_selector(raw).matches(labels):
        message = "`selector` does not match template `labels`"
        yield FieldError(join(path, "template.metadata.labels"), labels, message)


def _map_fits_template(spec: Any, path: str) -> Faults:
    raw, labels = a_dict(spec.get("selector")), _template_labels(spec)
    if not equality_selector(raw).matches(labels):
        message = "`selector` does not match template `labels`"
        yield FieldError(join(path, "template.metadata.labels"), labels, message)


def _restarts(*policies: str, absent_is_always: bool) -> Check:
    """The restart policies that a workload's pods may have."""

    def check(spec: Any, path: str) -> Faults:
        pod = a_dict(a_dict(spec.get("template")).get("spec"))
        policy, where = pod.get("restartPolicy"), join(path, "template.spec.restartPolicy")
        if not policy and not absent_is_always:
            yield required(where, f"valid values: {', '.join(policies)}")
        elif policy and policy not in policies:
            yield unsupported(where, policy, policies)

    return check


_always = _restarts("Always", absent_is_always=True)
_until_done = _restarts("OnFailure", "Never", absent_is_always=False)


def _workload(*rules: Check, **checks: Check | Needed) -> Check:
    return fields(
        metadata=object_meta(),
        spec=needed(fields(*rules, template=needed(_template), **checks)),
    )


deployment = _workload(
    _selector_fits_template,
    _always,
    replicas=count,
    selector=needed(label_selector),
    paused=boolean,
    minReadySeconds=count,
    strategy=fields(
        type=one_of("Recreate", "RollingUpdate"),
        rollingUpdate=fields(maxUnavailable=int_or_percent, maxSurge=int_or_percent),
    ),
)
"""A Deployment."""

replica_set = _workload(
    _selector_fits_template,
    _always,
    replicas=count,
    selector=needed(label_selector),
    minReadySeconds=count,
)
"""A ReplicaSet."""

replication_controller = _workload(
    _map_fits_template,
    _always,
    replicas=count,
    selector=label_map,
    minReadySeconds=count,
)
"""A ReplicationController."""

stateful_set = _workload(
    _selector_fits_template,
    _always,
    replicas=count,
    selector=needed(label_selector),
    serviceName=text,
    podManagementPolicy=one_of("OrderedReady", "Parallel"),
    ordinals=fields(start=count),
    volumeClaimTemplates=each(claim_template),
    updateStrategy=fields(
        type=one_of("RollingUpdate", "OnDelete"), rollingUpdate=fields(partition=count)
    ),
)
"""A StatefulSet."""

daemon_set = _workload(
    _selector_fits_template,
    _always,
    selector=needed(label_selector),
    updateStrategy=fields(
        type=one_of("RollingUpdate", "OnDelete"),
        rollingUpdate=fields(maxUnavailable=int_or_percent, maxSurge=int_or_percent),
    ),
)
"""A DaemonSet."""


def _indexed_has_completions(spec: Any, path: str) -> Faults:
    if spec.get("completionMode") == "Indexed" and spec.get("completions") is None:
        yield required(join(path, "completions"), "when completion mode is Indexed")


job = _workload(
    _until_done,
    _indexed_has_completions,
    parallelism=count,
    completions=count,
    completionMode=one_of("NonIndexed", "Indexed"),
    suspend=boolean,
    selector=label_selector,
)
"""A Job."""
