"""What pods see of each other: namespace, labels, terms of affinity, and whether they are leaving.

Pods of many classes are of one kin, as those of one workload whose requests differ are. Counting
them by kin is what inter-pod affinity and topology spreading come down to.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from podium.api.objects import Object, is_terminating, labels, namespace, spec_of
from podium.api.pod_specs import affinity_of

if TYPE_CHECKING:
    from podium.scheduler.snapshot.affinity_terms import AffinityTerms

Mark = tuple[str, str]
"""A label and its value: what pods can be looked up by."""


class Kin:
    """What is the same for all pods of a kin.

    Attributes:
        id: index into columns of kins, from 0; another one after `PodClasses.forget`.
        namespace: of the pods.
        labels: of the pods.
        terminating: whether the pods have a deletion timestamp.
        affinity: `spec.affinity` of the pods; what it says of nodes means nothing.
        terms: what `affinity` says of other pods, once it has been read.
    """

    __slots__ = ("__weakref__", "affinity", "id", "labels", "namespace", "terminating", "terms")

    def __init__(self, kin_id: int, pod: Object) -> None:
        self.id = kin_id
        self.namespace = namespace(pod)
        self.labels: Mapping[str, str] = labels(pod)
        self.terminating = is_terminating(pod)
        self.affinity = affinity_of(spec_of(pod))
        self.terms: AffinityTerms | None = None


def kin_key(pod: Object) -> tuple[object, ...]:
    """Equal for pods of one kin, and for no others."""
    affinity = affinity_of(spec_of(pod))
    return (
        namespace(pod),
        labels(pod),
        is_terminating(pod),
        affinity.get("podAffinity"),
        affinity.get("podAntiAffinity"),
    )
