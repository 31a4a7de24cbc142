"""Objects that a scenario creates again and again, such as pods at a rate."""

from random import Random
from typing import Annotated

from pydantic import Field, field_validator

from podium.api.documents.document import Document, Duration, Range, fault
from podium.api.errors import InvalidValueError
from podium.api.objects import Object
from podium.api.pod_limit import MAX_PODS
from podium.kubelet.simulated.behaviour import PREFIX, ScriptedDuration, parse_scripted_duration
from podium.simulation.scenario.fields import Manifests
from podium.simulation.scenario.scenario_cluster import Scripted
from podium.simulation.scenario.steps import ServerSideApply

_COUNT_MAX = 1_000_000


class ArrivalsDocument(Document):
    """Objects that come again and again: `NAME-1`, `NAME-2`, and so on.

    Attributes:
        every: from one to the next: `30s`, `10s..1m`, or `~30s` on average.
        objects: what comes.
        from_s: when the first wait begins.
        until_s: none comes later.
        count: at most so many.
    """

    every: Scripted
    objects: Manifests
    from_s: Annotated[Duration, Field(alias="from")] = 0.0
    until_s: Annotated[Duration | None, Field(alias="until")] = None
    count: Annotated[int, Range(0, _COUNT_MAX)] = MAX_PODS

    @field_validator("every")
    @classmethod
    def _takes_time(cls, value: ScriptedDuration) -> ScriptedDuration:
        if not value.most_s:
            raise fault("must be longer than no time")
        return value

    def numbered(self, path: str, number: int, seed: int) -> ServerSideApply:
        """The objects of one arrival, counted from 1, of the arrivals at a path of the scenario.

        What annotations leave to chance is drawn here, so that it doesn't depend on anything else
        that happens in the cluster.
        """
        rng = Random(f"{path}/{seed}/{number}")
        return ServerSideApply(tuple(_numbered(obj, number, rng) for obj in self.objects))


def _numbered(obj: Object, number: int, rng: Random) -> Object:
    metadata = {**obj["metadata"], "name": f"{obj['metadata']['name']}-{number}"}
    if scripted := obj["metadata"].get("annotations"):
        metadata["annotations"] = {key: _drawn(key, text, rng) for key, text in scripted.items()}
    return {**obj, "metadata": metadata}


def _drawn(key: str, text: str, rng: Random) -> str:
    if not key.startswith(PREFIX):
        return text
    try:
        duration = parse_scripted_duration(text)
    except InvalidValueError:
        return text
    return text if duration.is_fixed else f"{duration.draw(rng):.3f}s"
