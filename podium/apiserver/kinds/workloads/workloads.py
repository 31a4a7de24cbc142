"""Checks, rules and defaults that several kinds of workloads share, as those of templates."""

from collections.abc import Mapping
from typing import Any

from podium.api.errors import ErrorKind, FieldError, unsupported
from podium.api.objects import Object, labels, metadata_of, part
from podium.api.selectors.labels import equality_selector
from podium.api.selectors.labels import label_selector as parse_selector
from podium.api.workloads import pod_template_of
from podium.apiserver.internal_types import internal
from podium.apiserver.kinds.registration import rules
from podium.apiserver.validation import checks
from podium.apiserver.validation.names import object_check, template_meta
from podium.apiserver.validation.pods.pod_validation import pod_spec
from podium.apiserver.validation.selectors import label_selector


def _template(template: Any, path: str) -> checks.Faults:
    # kube-apiserver takes labels and annotations for fields of the template's own.
    yield from template_meta(part(template, "metadata"), path)
    yield from pod_spec(part(template, "spec"), checks.join(path, "spec"))


with_template = checks.fields(template=checks.absent_as({}, _template))


def _has_valid_selector(spec: Any) -> bool:
    return not any(label_selector(part(spec, "selector"), ""))


def selected(spec: Any, path: str) -> checks.Faults:
    """Check that the selector, unless it is invalid, matches the labels of the template."""
    found = labels(part(spec, "template"))
    if _has_valid_selector(spec) and not parse_selector(spec.get("selector")).matches(found):
        yield _misfit(found, path)


def _misfit(labels: Mapping[str, str], path: str) -> FieldError:
    message = "`selector` does not match template `labels`"
    return FieldError(
        checks.join(path, "template.metadata.labels"), dict(sorted(labels.items())) or None, message
    )


def selected_template(spec: Any, path: str) -> checks.Faults:
    """Check a template, and that the selector matches it, unless the selector is invalid."""
    if _has_valid_selector(spec):
        yield from selected(spec, path)
        yield from with_template(spec, path)


def valid_selector(kind: str, invalid: str = "invalid label selector") -> checks.Check:
    """Return a check that a selector is present, valid and not empty."""

    def check(spec: Any, path: str) -> checks.Faults:
        selector, where = spec.get("selector"), checks.join(path, "selector")
        if selector is None:
            yield checks.required(where)
            return
        faults = [*label_selector(selector, where)]
        yield from faults
        if not any(selector.values()):
            yield FieldError(where, {}, f"empty selector is invalid for {kind}")
        elif faults:
            yield FieldError(where, internal("LabelSelector", selector), invalid)

    return check


def always(kind: str) -> checks.Check:
    """Return a check that a template has restart policy Always and no active deadline."""

    def check(spec: Any, path: str) -> checks.Faults:
        pod, where = part(spec, "template", "spec"), checks.join(path, "template.spec")
        policy = pod.get("restartPolicy") or "Always"
        if policy != "Always":
            yield unsupported(checks.join(where, "restartPolicy"), policy, ("Always",))
        if (seconds := pod.get("activeDeadlineSeconds")) is not None:
            message = f"activeDeadlineSeconds in {kind} is not Supported"
            field = checks.join(where, "activeDeadlineSeconds")
            yield checks.MinorFieldError(field, seconds, message, ErrorKind.FORBIDDEN)

    return check


def mapped(spec: Any, path: str) -> checks.Faults:
    """Check that a selector that is a plain map matches the labels of the template."""
    selector, template_labels = part(spec, "selector"), labels(part(spec, "template"))
    if selector and not equality_selector(selector).matches(template_labels):
        yield _misfit(template_labels, path)


def own_selector(spec: Any, path: str) -> checks.Faults:
    """Check the selector of a Job, which is only required if `manualSelector` is set."""
    if spec.get("selector") is not None:
        yield from label_selector(spec["selector"], checks.join(path, "selector"))
        yield from selected(spec, path)
    elif spec.get("manualSelector"):
        yield checks.required(checks.join(path, "selector"))


def until_done(spec: Any, path: str) -> checks.Faults:
    """Check that a Job template's restart policy is Never or OnFailure."""
    policy = part(spec, "template", "spec").get("restartPolicy") or "Always"
    where = checks.join(path, "template.spec.restartPolicy")
    if policy == "Always":
        yield checks.required(where, 'valid values: "OnFailure", "Never"')
    elif policy not in ("OnFailure", "Never"):
        yield unsupported(where, policy, ("OnFailure", "Never"))
    elif policy != "Never" and spec.get("podFailurePolicy") is not None:
        message = 'only "Never" is supported when podFailurePolicy is specified'
        yield FieldError(where, policy, message)


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
    template_labels = labels(pod_template_of(workload))
    if not template_labels or labels(workload):
        return workload
    return {**workload, "metadata": {**metadata_of(workload), "labels": dict(template_labels)}}


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
            replicas = rules.at(new, f"status.{field}") or 0
            if replicas > (rules.at(new, f"status.{other}") or 0):
                yield FieldError(f"status.{field}", replicas, f"cannot be greater than {shown}")

    return rule
