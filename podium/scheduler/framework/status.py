"""Statuses of extension points: a code, and reasons in kube-scheduler's words."""

from enum import StrEnum

import msgspec
from typing_extensions import TypedDict


class Code(StrEnum):
    """Status codes of the scheduling framework, spelt as upstream spells them."""

    SUCCESS = "Success"
    ERROR = "Error"
    UNSCHEDULABLE = "Unschedulable"
    UNSCHEDULABLE_AND_UNRESOLVABLE = "UnschedulableAndUnresolvable"
    WAIT = "Wait"
    SKIP = "Skip"
    PENDING = "Pending"


REJECTIONS = frozenset({Code.UNSCHEDULABLE, Code.UNSCHEDULABLE_AND_UNRESOLVABLE, Code.PENDING})


class StatusReport(TypedDict):
    """A status as it appears in reports."""

    plugin: str
    code: str
    reasons: list[str]


class Status(msgspec.Struct, frozen=True):
    """The result of one plugin, or of the framework if `plugin` is empty."""

    code: Code = Code.SUCCESS
    reasons: tuple[str, ...] = ()
    plugin: str = ""

    @property
    def is_success(self) -> bool:
        return self.code is Code.SUCCESS

    @property
    def is_rejection(self) -> bool:
        return self.code in REJECTIONS

    @property
    def message(self) -> str:
        return ", ".join(self.reasons)

    def report(self) -> StatusReport:
        return {"plugin": self.plugin, "code": self.code.value, "reasons": [*self.reasons]}

    def by(self, plugin: str) -> "Status":
        return Status(self.code, self.reasons, plugin)


SUCCESS = Status()


def unschedulable(*reasons: str, plugin: str = "") -> Status:
    """Return a refusal that removing pods can cure (Unschedulable)."""
    return Status(Code.UNSCHEDULABLE, reasons, plugin)


def unresolvable(*reasons: str, plugin: str = "") -> Status:
    """Return a refusal that preemption can't cure (UnschedulableAndUnresolvable)."""
    return Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, reasons, plugin)


def rejection(code: int, *reasons: str) -> Status:
    """Return the status for a filter's code: unresolvable if it is negative, else unschedulable."""
    return unschedulable(*reasons) if code > 0 else unresolvable(*reasons)
