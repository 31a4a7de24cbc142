"""Workloads: generations, and the labels by which a job knows its pods."""

from podium.api.integers import parse_int
from podium.api.objects import Object
from podium.apiserver.strategy.strategy import Creation, keep_spec, keep_status, next_generation

_TEMPLATE_GENERATION = "deprecated.daemonset.template.generation"
_JOB_NAME_LABELS = ("job-name", "batch.kubernetes.io/job-name")
_CONTROLLER_UID = "batch.kubernetes.io/controller-uid"
_CONTROLLER_UID_LABELS = ("controller-uid", _CONTROLLER_UID)


def update_deployment(new: Object, old: Object, now_s: float) -> Object:
    """Annotations count, too, as rollouts go by them."""
    new = keep_status(new, old, now_s)
    same = new.get("spec") == old.get("spec") and _annotations(new) == _annotations(old)
    return new if same else next_generation(new, old)


def update_deployment_status(new: Object, old: Object, now_s: float) -> Object:
    """The status, and annotations, but not labels."""
    new = keep_spec(new, old, now_s)
    labels = old["metadata"].get("labels")
    if new["metadata"].get("labels") == labels:
        return new
    metadata = {name: v for name, v in new["metadata"].items() if name != "labels"}
    return {**new, "metadata": {**metadata, "labels": labels} if labels else metadata}


def create_daemon_set(daemon_set: Object, _creation: Creation) -> Object:
    """A new DaemonSet, with the first generation of its template."""
    return _with_template_generation(daemon_set, "1")


def update_daemon_set(new: Object, old: Object, now_s: float) -> Object:
    """Changes of the template are counted apart, in an annotation."""
    new = keep_status(new, old, now_s)
    count = _annotations(old).get(_TEMPLATE_GENERATION, "1")
    wanted, spec = new.get("spec") or {}, old["spec"]
    if wanted.get("template") != spec.get("template"):
        count = str((parse_int(count) or 0) + 1)
    new = _with_template_generation(new, count)
    return new if wanted == spec else next_generation(new, old)


def create_job(job: Object, _creation: Creation) -> Object:
    """A new Job: its pods, and only they, have its uid as a label, unless it says otherwise."""
    spec = job.get("spec") or {}
    if spec.get("manualSelector"):
        return job
    name, uid = job["metadata"].get("name", ""), job["metadata"]["uid"]
    own = {**dict.fromkeys(_JOB_NAME_LABELS, name), **dict.fromkeys(_CONTROLLER_UID_LABELS, uid)}
    template = spec.get("template") or {}
    metadata = template.get("metadata") or {}
    labels = {**own, **(metadata.get("labels") or {})}
    selector = spec.get("selector") or {}
    wanted = {_CONTROLLER_UID: uid, **(selector.get("matchLabels") or {})}
    return {
        **job,
        "spec": {
            **spec,
            "selector": {**selector, "matchLabels": wanted},
            "template": {**template, "metadata": {**metadata, "labels": labels}},
        },
    }


def _annotations(obj: Object) -> Object:
    return obj["metadata"].get("annotations") or {}


def _with_template_generation(daemon_set: Object, count: str) -> Object:
    annotations = _annotations(daemon_set)
    if annotations.get(_TEMPLATE_GENERATION) == count:
        return daemon_set
    noted = {**annotations, _TEMPLATE_GENERATION: count}
    return {**daemon_set, "metadata": {**daemon_set["metadata"], "annotations": noted}}
