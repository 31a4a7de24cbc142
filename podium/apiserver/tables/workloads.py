"""The columns of workloads: how many pods there should be, are, and are ready."""

from podium.api.labels import SelectorError, label_selector
from podium.api.objects import Object, controller_of, is_terminating
from podium.apiserver.tables.columns import (
    AGE,
    CONTAINERS,
    IMAGES,
    NAME,
    NONE,
    SELECTOR,
    WIDE,
    Column,
    at,
    field,
    fraction,
    labels_text,
)
from podium.apiserver.tables.durations import between, since

# The first of these conditions that holds is the job's status; one that is being deleted stands
# between those that are final and those that aren't.
_FINAL_CONDITIONS = (("Complete", "Complete"), ("Failed", "Failed"))
_PASSING_CONDITIONS = (("Suspended", "Suspended"), ("FailureTarget", "FailureTarget"))


def _number(heading: str, description: str, *path: str, type_: str = "integer") -> Column:
    return Column(heading, field(*path, default=0), description, type_)


def _deployment_selector(deployment: Object, _now_s: float) -> str:
    try:
        return str(label_selector(at(deployment, "spec", "selector")))
    except SelectorError:
        return "<invalid>"


def _template_node_selector(daemon_set: Object, _now_s: float) -> str:
    return labels_text(at(daemon_set, "spec", "template", "spec", "nodeSelector"))


def _plain_selector(controller: Object, _now_s: float) -> str:
    return labels_text(at(controller, "spec", "selector"))


def _job_condition(job: Object, conditions: tuple[tuple[str, str], ...]) -> str:
    held = {
        condition.get("type")
        for condition in at(job, "status", "conditions") or ()
        if condition.get("status") == "True"
    }
    return next((word for kind, word in conditions if kind in held), "")


def _job_status(job: Object, _now_s: float) -> str:
    final = _job_condition(job, _FINAL_CONDITIONS)
    if final or is_terminating(job):
        return final or "Terminating"
    return _job_condition(job, _PASSING_CONDITIONS) or "Running"


def _completions(job: Object, _now_s: float) -> str:
    succeeded = at(job, "status", "succeeded") or 0
    completions = at(job, "spec", "completions")
    if completions is not None:
        return f"{succeeded}/{completions}"
    parallelism = at(job, "spec", "parallelism") or 0
    return f"{succeeded}/1 of {parallelism}" if parallelism > 1 else f"{succeeded}/1"


def _job_duration(job: Object, now_s: float) -> str:
    start, end = at(job, "status", "startTime"), at(job, "status", "completionTime")
    if not start:
        return ""
    return between(start, end) if end else since(start, now_s)


def _revision_controller(revision: Object, _now_s: float) -> str:
    owner = controller_of(revision)
    if owner is None:
        return NONE
    group = str(owner.get("apiVersion", "")).rpartition("/")[0]
    kind = f"{owner['kind']}.{group}" if group else owner["kind"]
    return f"{kind.lower()}/{owner['name']}"


_READY_OF_DESIRED = Column(
    "Ready",
    fraction(("status", "readyReplicas"), ("spec", "replicas")),
    "Pods that are ready, of those that there should be.",
)
_DESIRED = _number("Desired", "Pods that there should be.", "spec", "replicas")
_CURRENT = _number("Current", "Pods that there are.", "status", "replicas")
_READY = _number("Ready", "Pods that are ready.", "status", "readyReplicas")

DEPLOYMENT = (
    NAME,
    _READY_OF_DESIRED,
    _number(
        "Up-to-date", "Pods of the current template.", "status", "updatedReplicas", type_="string"
    ),
    _number("Available", "Pods that are available.", "status", "availableReplicas", type_="string"),
    AGE,
    CONTAINERS,
    IMAGES,
    Column("Selector", _deployment_selector, "Which pods belong to it.", priority=WIDE),
)

REPLICA_SET = (NAME, _DESIRED, _CURRENT, _READY, AGE, CONTAINERS, IMAGES, SELECTOR)

REPLICATION_CONTROLLER = (
    *REPLICA_SET[:-1],
    Column("Selector", _plain_selector, "Which pods belong to it.", priority=WIDE),
)

STATEFUL_SET = (NAME, _READY_OF_DESIRED, AGE, CONTAINERS, IMAGES)

DAEMON_SET = (
    NAME,
    _number("Desired", "Nodes that should run a pod.", "status", "desiredNumberScheduled"),
    _number("Current", "Nodes that run a pod.", "status", "currentNumberScheduled"),
    _number("Ready", "Nodes whose pod is ready.", "status", "numberReady"),
    _number("Up-to-date", "Pods of the current template.", "status", "updatedNumberScheduled"),
    _number("Available", "Nodes whose pod is available.", "status", "numberAvailable"),
    Column("Node Selector", _template_node_selector, "Labels of the nodes that it runs on."),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
)

CONTROLLER_REVISION = (
    NAME,
    Column("Controller", _revision_controller, "Whose revision it is."),
    _number("Revision", "Its number.", "revision", type_="string"),
    AGE,
)

JOB = (
    NAME,
    Column("Status", _job_status, "What becomes of the job."),
    Column("Completions", _completions, "Pods that have succeeded, of those that should."),
    Column("Duration", _job_duration, "How long it took, or has taken so far."),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
)


def _active(cron_job: Object, _now_s: float) -> int:
    return len(at(cron_job, "status", "active") or ())


def _last_schedule(cron_job: Object, now_s: float) -> str:
    last = at(cron_job, "status", "lastScheduleTime")
    return NONE if last is None else since(last, now_s)


CRON_JOB = (
    NAME,
    Column("Schedule", field("spec", "schedule"), "When its jobs come."),
    Column("Timezone", field("spec", "timeZone", default=NONE), "Whose clock it goes by."),
    Column(
        "Suspend",
        field("spec", "suspend", default=False),
        "Whether it makes no jobs for now.",
        "boolean",
    ),
    Column("Active", _active, "Jobs that run.", "integer"),
    Column("Last Schedule", _last_schedule, "Time since its last job."),
    AGE,
)


def _target(autoscaler: Object, _now_s: float) -> str:
    reference = at(autoscaler, "spec", "scaleTargetRef") or {}
    return f"{reference.get('kind')}/{reference.get('name')}"


HORIZONTAL_POD_AUTOSCALER = (
    NAME,
    Column("Reference", _target, "What it scales."),
    _number("MinPods", "Pods that there are at least.", "spec", "minReplicas"),
    _number("MaxPods", "Pods that there are at most.", "spec", "maxReplicas"),
    _number("Replicas", "Pods that there are.", "status", "currentReplicas"),
    AGE,
)

SCALE = (
    Column("Name", NAME.read, NAME.description),
    _DESIRED,
    _number("Available", "Pods that there are.", "status", "replicas"),
    AGE,
)
