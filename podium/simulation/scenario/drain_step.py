"""The drain of a node: a step of a scenario, or a change of a plan.

It is in its own module, as plans don't import the other steps.
"""

from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    TypeAdapter,
    WithJsonSchema,
    model_validator,
)

from podium.api.documents.document import Document, Duration, Required, fault

RETRY_S = 5.0


def _whole(value: Any) -> int:
    seconds = _DURATION.validate_python(value)
    if seconds != int(seconds):
        raise fault("must be whole seconds")
    return int(seconds)


_DURATION: TypeAdapter[float] = TypeAdapter(Duration)
WholeSeconds = Annotated[int, BeforeValidator(_whole), WithJsonSchema(_DURATION.json_schema())]
NodeName = Annotated[str, Required("the name of a node")]


class Drain(Document):
    """Cordon a node and evict its pods, as `kubectl drain` does; short form: the node's name."""

    node: NodeName
    timeout_s: Annotated[Duration | None, Field(alias="timeout")] = None
    """Time after which the drain fails; null for never."""
    grace_period_s: Annotated[WholeSeconds | None, Field(alias="gracePeriod")] = None
    """Grace period of pods; null for the pods' own."""
    force: bool = False
    ignore_daemon_sets: bool = True
    """Whether to ignore pods of DaemonSets; otherwise they prevent the drain."""
    delete_empty_dir_data: bool = False
    retry_s: Annotated[
        Duration, AfterValidator(lambda wait_s: wait_s or RETRY_S), Field(alias="retryEvery")
    ] = RETRY_S
    """How long to wait after a budget refused an eviction; `kubectl drain` waits 5s."""

    @model_validator(mode="before")
    @classmethod
    def _short(cls, value: Any) -> Any:
        return {"node": value} if isinstance(value, str) else value
