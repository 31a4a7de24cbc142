"""The fields by which all reports identify a pod."""

from dataclasses import dataclass, fields
from typing import Annotated, Any, TypedDict

from podium.api.documents.report import IF_ANY, OrNull, Report
from podium.api.objects import Object, controller_of, key, namespace
from podium.api.pods import priority_class_of
from podium.api.priority import pod_priority


@dataclass(frozen=True, slots=True, kw_only=True)
class PodReport(Report):
    """A pod, and how important it is.

    Attributes:
        pod: the pod, `namespace/name`.
        namespace: where it is.
        owner: its controller, `Kind namespace/name`; empty if it has none.
        priority: of the pod.
        priority_class: the name of its PriorityClass; empty if it names none.
    """

    pod: str
    namespace: str = ""
    owner: Annotated[str, IF_ANY] = ""
    priority: int = 0
    priority_class: OrNull = ""


class PodReportFields(TypedDict):
    """The fields of a `PodReport`."""

    pod: str
    namespace: str
    owner: str
    priority: int
    priority_class: str


def report_facts(report: PodReport, kind: type[PodReport]) -> dict[str, Any]:
    """The fields of a kind of report about a pod, for another report about the pod."""
    return {field.name: getattr(report, field.name) for field in fields(kind)}


def pod_facts(pod: Object) -> PodReportFields:
    """What a report says of a pod."""
    owner = controller_of(pod)
    return {
        "pod": key(pod),
        "namespace": namespace(pod),
        "owner": f"{owner['kind']} {namespace(pod)}/{owner['name']}" if owner else "",
        "priority": pod_priority(pod),
        "priority_class": priority_class_of(pod),
    }
