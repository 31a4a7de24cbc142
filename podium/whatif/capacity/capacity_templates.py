"""Templates of pods that somebody may want more of."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from podium.api.errors import PodiumError
from podium.api.kinds.snapshot_kinds import Identity
from podium.api.objects import Object, annotations, labels, name, namespace, spec_of
from podium.api.pod_specs import volumes_of
from podium.cluster.manifests import read_sources
from podium.cluster.manifests.problems import describe
from podium.whatif.plan.changes import parse_workload

_SHARE_MAX = 10_000
# Their pods go by nodes, or by schedules, and aren't wanted more of.
_TEMPLATED = frozenset(
    {"Deployment", "ReplicaSet", "ReplicationController", "StatefulSet", "Job", "PodTemplate"}
)
_RULE = f"must be one of {', '.join(sorted(_TEMPLATED | {'Pod'}))}"
# Set by whoever let the pod in, and by schedulers.
_NOT_ASKED_FOR = ("nodeName", "priority", "preemptionPolicy")


class PodTemplateError(PodiumError):
    """A template can't be read, or there is no pod in it."""


class PodTemplate(msgspec.Struct, frozen=True):
    """A pod to be created `share` times in each round.

    Attributes:
        pod: with a name of which others are made.
        needs: what stands beside it, such as its class, and has to be there before.
    """

    source: str
    share: int
    pod: Object
    needs: tuple[Object, ...] = ()


def read_pod_template(text: str, place: str, state: dict[Identity, Object]) -> PodTemplate:
    """The template that `FILE` or `KIND/NAME` names, raises PodiumError."""
    what, star, number = text.rpartition("*")
    what, count = (what, number) if star else (text, "1")
    if not count.isascii() or not count.isdigit() or not 1 <= int(count[:6]) <= _SHARE_MAX:
        rule = f"must be FILE or KIND/NAME, with *COUNT from 1 to {_SHARE_MAX}"
        raise PodTemplateError(f"--pod {text}: {rule}")
    target = parse_workload(what, place)
    found = None if target is None else state.get(target)
    if found is not None and found["kind"] not in _TEMPLATED:
        raise PodTemplateError(f"--pod {text}: {_RULE}, not {describe(found)}")
    needs: tuple[Object, ...] = ()
    if found is None:
        sources = read_sources([what], namespace=place, is_applied=True)
        objects = [one.obj for one in sources.objects]
        pods = [one for one in objects if one["kind"] == "Pod" or one["kind"] in _TEMPLATED]
        if len(pods) != 1:
            listed = ", ".join(map(describe, pods or objects)) or "nothing"
            raise PodTemplateError(f"--pod {text}: {_RULE}, not {listed}")
        (found,) = pods
        needs = tuple(one for one in objects if one is not found)
    kind, called = found["kind"], name(found)
    template = (
        found if kind == "Pod" else found.get("template") or spec_of(found).get("template") or {}
    )
    asked = {
        field: value for field, value in spec_of(template).items() if field not in _NOT_ASKED_FOR
    }
    claims = spec_of(found).get("volumeClaimTemplates") or ()
    if claims:
        # Made together with the pod, as a StatefulSet makes them.
        volumes = (
            {"name": name(one), "ephemeral": {"volumeClaimTemplate": {"spec": spec_of(one)}}}
            for one in claims
        )
        asked["volumes"] = [*volumes_of(asked), *volumes]
    marks = {"labels": labels(template), "annotations": annotations(template)}
    metadata: dict[str, Any] = {"name": called, "namespace": namespace(found)}
    metadata |= {field: value for field, value in marks.items() if value}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": asked}
    return PodTemplate(what, int(count), pod, needs)


def needed(templates: Sequence[PodTemplate], state: Iterable[Identity]) -> list[Object]:
    """What has to be there before the pods of templates; also namespaces, if the state has none."""
    needs = [one for template in templates for one in template.needs]
    if any(kind == "Namespace" for kind, _, _ in state):
        return needs
    places = sorted({namespace(template.pod) for template in templates})
    made = ({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": one}} for one in places)
    return [*made, *needs]


def named_copies(template: PodTemplate) -> Iterator[Object]:
    """As many pods of a template as its share says, with names."""
    for number in range(1, template.share + 1):
        called = f"{name(template.pod)}-more-{number}"
        yield {**template.pod, "metadata": {**template.pod["metadata"], "name": called}}


def in_turn(templates: Sequence[PodTemplate]) -> Iterator[int]:
    """The numbers of templates, round by round, each as often as its share; without an end."""
    while True:
        for number, template in enumerate(templates):
            for _ in range(template.share):
                yield number
