"""Templates of workloads, and the selectors by which workloads know their pods."""

from typing import Any

from podium.api.errors import ErrorKind, FieldError, unsupported
from podium.api.selectors.labels import equality_selector
from podium.api.selectors.labels import label_selector as parse_selector
from podium.apiserver.internals import internal
from podium.apiserver.validation import checks
from podium.apiserver.validation.checks import Check, Faults, MinorFieldError, a_dict, join
from podium.apiserver.validation.metadata import template_meta
from podium.apiserver.validation.names import strings
from podium.apiserver.validation.pods.pod_specs import pod_spec
from podium.apiserver.validation.selectors import label_selector

_SELECTING = ("matchLabels", "matchExpressions")
_MISFIT = "`selector` does not match template `labels`"


@checks.of_object
def _template(template: Any, path: str) -> Faults:
    # kube-apiserver takes labels and annotations for fields of the template's own.
    metadata = template.get("metadata")
    yield from template_meta(metadata, path) if metadata is not None else ()
    yield from pod_spec(template.get("spec") or {}, join(path, "spec"))


_with_selector = checks.fields(selector=label_selector)

with_template = checks.fields(template=checks.absent_as({}, _template))
"""A spec with a template for pods."""


def _labels_of_template(spec: Any) -> Any:
    return a_dict(a_dict(spec.get("template")).get("metadata")).get("labels")


def selected(spec: Any, path: str) -> Faults:
    """The selector, where it can be read, selects pods with the labels of the template."""
    raw, labels = spec.get("selector"), _labels_of_template(spec)
    if list(_with_selector(spec, "")):
        return
    if not parse_selector(raw).matches(a_dict(labels)):
        yield _misfit(labels, path)


def _misfit(labels: Any, path: str) -> FieldError:
    shown = dict(sorted(labels.items())) if isinstance(labels, dict) else None
    return FieldError(join(path, "template.metadata.labels"), shown, _MISFIT)


def selected_template(spec: Any, path: str) -> Faults:
    """A template whose pods the selector selects; not looked at if there is no telling."""
    if not list(_with_selector(spec, "")):
        yield from selected(spec, path)
        yield from with_template(spec, path)


def valid_selector(kind: str, unreadable: str = "invalid label selector") -> Check:
    """A selector that selects something; `unreadable` is said of one with faults besides those."""

    def check(spec: Any, path: str) -> Faults:
        raw, where = spec.get("selector"), join(path, "selector")
        if raw is None:
            yield checks.required(where)
            return
        faults = [*label_selector(raw, where)]
        yield from faults
        if _selects_everything(raw):
            yield FieldError(where, {}, f"empty selector is invalid for {kind}")
        elif faults and isinstance(raw, dict):
            yield FieldError(where, internal("LabelSelector", raw), unreadable)

    return check


def _selects_everything(selector: object) -> bool:
    found = a_dict(selector)
    return isinstance(selector, dict) and not any(found.get(name) for name in _SELECTING)


def always(kind: str) -> Check:
    """A template whose pods run until they are deleted."""

    def check(spec: Any, path: str) -> Faults:
        pod, where = a_dict(a_dict(spec.get("template")).get("spec")), join(path, "template.spec")
        policy = pod.get("restartPolicy")
        if policy and policy != "Always":
            yield unsupported(join(where, "restartPolicy"), policy, ("Always",))
        if (seconds := pod.get("activeDeadlineSeconds")) is not None:
            message = f"activeDeadlineSeconds in {kind} is not Supported"
            field = join(where, "activeDeadlineSeconds")
            yield MinorFieldError(field, seconds, message, ErrorKind.FORBIDDEN)

    return check


def selector_map(value: object, path: str) -> Faults:
    """A selector in the form of labels; it is filled in from a template that has any."""
    if not value:
        yield MinorFieldError(path, None, "", ErrorKind.REQUIRED)
    yield from strings(value, path)


def mapped(spec: Any, path: str) -> Faults:
    """The selector, in the form of labels, selects pods with the labels of the template."""
    raw, labels = a_dict(spec.get("selector")), _labels_of_template(spec)
    if raw and not equality_selector(raw).matches(a_dict(labels)):
        yield _misfit(labels, path)


def daemon_selector(value: object, path: str) -> Faults:
    """A selector that, if there is one, selects something."""
    if value is not None and _selects_everything(value):
        yield FieldError(path, {}, "empty selector is invalid for daemonset")


def own_selector(spec: Any, path: str) -> Faults:
    """A selector that was told, as those that are generated fit."""
    if spec.get("selector") is not None:
        yield from label_selector(spec["selector"], join(path, "selector"))
        yield from selected(spec, path)
    elif spec.get("manualSelector"):
        yield checks.required(join(path, "selector"))


def until_done(spec: Any, path: str) -> Faults:
    """Pods that end some day; Always is what was filled in where nothing was said."""
    policy = a_dict(a_dict(spec.get("template")).get("spec")).get("restartPolicy")
    where = join(path, "template.spec.restartPolicy")
    if policy in (None, "", "Always"):
        yield checks.required(where, 'valid values: "OnFailure", "Never"')
    elif policy not in ("OnFailure", "Never"):
        yield unsupported(where, policy, ("OnFailure", "Never"))
    elif policy != "Never" and spec.get("podFailurePolicy") is not None:
        yield FieldError(
            where, policy, 'only "Never" is supported when podFailurePolicy is specified'
        )
