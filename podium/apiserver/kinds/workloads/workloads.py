"""Checks, rules and defaults that several kinds of workloads share."""

from podium.api.errors import FieldError
from podium.api.objects import Object, labels, metadata_of
from podium.api.workloads import pod_template_of
from podium.apiserver.kinds.registration import rules
from podium.apiserver.validation import checks
from podium.apiserver.validation.metadata import object_check

pods = checks.fields(replicas=checks.count)
ready = checks.fields(minReadySeconds=checks.count)
revisions = checks.detail(checks.fields(revisionHistoryLimit=checks.count))


def is_nothing(number: object) -> bool:
    """Return whether a number or percentage of pods is zero."""
    return number in (0, "0%")


def workload_check(*spec: checks.Check) -> checks.Check:
    """Return a check of a workload that applies checks to its spec."""
    return object_check(spec=checks.needed(checks.both(*spec)))


def labelled_like_template(workload: Object) -> Object:
    """Return a workload with the labels of its template if it has none."""
    found = labels(pod_template_of(workload))
    if not found or labels(workload):
        return workload
    return {**workload, "metadata": {**metadata_of(workload), "labels": dict(found)}}


def not_decremented(new: Object, old: Object) -> checks.Faults:
    """Yield a fault if `status.collisionCount` decreases."""
    path = "status.collisionCount"
    now, before = rules.at(new, path), rules.at(old, path)
    if before is not None and (now is None or now < before):
        yield FieldError(path, now or 0, "cannot be decremented")


def within_replicas(*fields: str) -> rules.Rule:
    """Return a rule that status fields aren't greater than `status.replicas`."""
    bounds = [(field, "replicas", "status.replicas") for field in fields]
    bounds.append(("availableReplicas", "readyReplicas", "readyReplicas"))

    def rule(new: Object, _old: Object) -> checks.Faults:
        for field, other, shown in bounds:
            found = rules.at(new, f"status.{field}") or 0
            if found > (rules.at(new, f"status.{other}") or 0):
                yield FieldError(f"status.{field}", found, f"cannot be greater than {shown}")

    return rule
