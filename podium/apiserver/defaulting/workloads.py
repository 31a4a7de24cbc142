"""What is filled into workloads."""

from podium.api.objects import Object, metadata_of, spec_of
from podium.api.objects import labels as labels_of
from podium.apiserver.defaulting.copying import each, filled, inside, with_field
from podium.apiserver.defaulting.pods import template
from podium.apiserver.defaulting.volumes import claim

_REVISIONS_KEPT = 10
_JOB_RETRIES = 6
_SUCCEEDED_JOBS_KEPT, _FAILED_JOBS_KEPT = 3, 1
_CPU_USE = {
    "type": "Resource",
    "resource": {
        "name": "cpu",
        "target": {"type": "Utilization", "averageUtilization": 80},
    },
}
_INT32_MAX = 2**31 - 1
_REPLACED = "TerminatingOrFailed"


def deployment(deployment: Object) -> Object:
    """A Deployment."""

    def strategy(strategy: Object) -> Object:
        strategy = filled(strategy, type="RollingUpdate")
        if strategy["type"] != "RollingUpdate":
            return strategy
        rolling = strategy.get("rollingUpdate") or {}
        full = filled(rolling, maxUnavailable="25%", maxSurge="25%")
        return with_field(strategy, "rollingUpdate", full)

    def spec(spec: Object) -> Object:
        spec = filled(
            spec,
            replicas=1,
            strategy={},
            revisionHistoryLimit=_REVISIONS_KEPT,
            progressDeadlineSeconds=600,
        )
        return inside(spec, strategy=strategy, template=template)

    return inside(deployment, spec=spec)


def replica_set(replica_set: Object) -> Object:
    """A ReplicaSet."""
    return inside(replica_set, spec=_replicated)


def _replicated(spec: Object) -> Object:
    return inside(filled(spec, replicas=1), template=template)


def replication_controller(controller: Object) -> Object:
    """A ReplicationController; it selects what its template is labelled, unless it says more."""
    controller = inside(controller, spec=_replicated)
    spec = controller.get("spec") or {}
    labels = labels_of(spec.get("template") or {})
    if labels and not spec.get("selector"):
        controller = {**controller, "spec": {**spec, "selector": dict(labels)}}
    return _labelled_like_template(controller)


def _labelled_like_template(workload: Object) -> Object:
    labels = labels_of(spec_of(workload).get("template") or {})
    if not labels or labels_of(workload):
        return workload
    return {**workload, "metadata": {**metadata_of(workload), "labels": dict(labels)}}


def stateful_set(stateful_set: Object) -> Object:
    """A StatefulSet."""

    def strategy(strategy: Object) -> Object:
        strategy = filled(strategy, type="RollingUpdate")
        if strategy["type"] != "RollingUpdate":
            return strategy
        full = filled(strategy.get("rollingUpdate") or {}, partition=0, maxUnavailable=1)
        return with_field(strategy, "rollingUpdate", full)

    def retention(policy: Object) -> Object:
        return filled(policy, whenDeleted="Retain", whenScaled="Retain")

    def spec(spec: Object) -> Object:
        spec = filled(
            spec,
            replicas=1,
            podManagementPolicy="OrderedReady",
            updateStrategy={},
            revisionHistoryLimit=_REVISIONS_KEPT,
            persistentVolumeClaimRetentionPolicy={},
        )
        return inside(
            spec,
            updateStrategy=strategy,
            persistentVolumeClaimRetentionPolicy=retention,
            template=template,
            volumeClaimTemplates=each(claim),
        )

    return inside(stateful_set, spec=spec)


def daemon_set(daemon_set: Object) -> Object:
    """A DaemonSet."""

    def strategy(strategy: Object) -> Object:
        strategy = filled(strategy, type="RollingUpdate")
        if strategy["type"] != "RollingUpdate":
            return strategy
        full = filled(strategy.get("rollingUpdate") or {}, maxUnavailable=1, maxSurge=0)
        return with_field(strategy, "rollingUpdate", full)

    def spec(spec: Object) -> Object:
        spec = filled(spec, updateStrategy={}, revisionHistoryLimit=_REVISIONS_KEPT)
        return inside(spec, updateStrategy=strategy, template=template)

    return inside(daemon_set, spec=spec)


def cron_job(cron_job: Object) -> Object:
    """A CronJob; the template of its jobs is filled in as the jobs themselves come about."""

    def job_template(job: Object) -> Object:
        return inside(job, spec=lambda spec: inside(spec, template=template))

    def spec(spec: Object) -> Object:
        spec = filled(
            spec,
            concurrencyPolicy="Allow",
            suspend=False,
            successfulJobsHistoryLimit=_SUCCEEDED_JOBS_KEPT,
            failedJobsHistoryLimit=_FAILED_JOBS_KEPT,
        )
        return inside(spec, jobTemplate=job_template)

    return inside(cron_job, spec=spec)


def autoscaler(autoscaler: Object) -> Object:
    """A HorizontalPodAutoscaler; it goes by the use of CPU, unless it says more."""

    def spec(spec: Object) -> Object:
        spec = filled(spec, minReplicas=1)
        return spec if spec.get("metrics") else {**spec, "metrics": [_CPU_USE]}

    return inside(autoscaler, spec=spec)


def job(job: Object) -> Object:
    """A Job; one that says neither how many completions nor how many at once runs one pod."""

    def spec(spec: Object) -> Object:
        if spec.get("completions") is None and spec.get("parallelism") is None:
            spec = {**spec, "completions": 1}
        spec = filled(
            spec,
            parallelism=1,
            backoffLimit=_INT32_MAX if spec.get("backoffLimitPerIndex") else _JOB_RETRIES,
            completionMode="NonIndexed",
            suspend=False,
            manualSelector=False,
            podReplacementPolicy="Failed" if spec.get("podFailurePolicy") else _REPLACED,
        )
        return inside(spec, template=template)

    return _labelled_like_template(inside(job, spec=spec))
