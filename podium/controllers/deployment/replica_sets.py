"""A Deployment's ReplicaSets: the one of its template, the older ones, and sums over them."""

from collections.abc import Iterable, Sequence

import msgspec

from podium.api.objects import Object, annotations, name, status_of
from podium.api.values.integers import parse_count
from podium.api.workloads import replicas_of
from podium.controllers.kit.pod_templates import identical_template, same_template

REVISION = "deployment.kubernetes.io/revision"


class OwnedReplicaSets(msgspec.Struct, frozen=True):
    """The ReplicaSets that a Deployment has.

    Attributes:
        new: the one of the Deployment's template; None if there is none yet.
        old: all others, the oldest first.
    """

    new: Object | None
    old: Sequence[Object]

    @property
    def all(self) -> list[Object]:
        """The old ones, and then the new one."""
        return [*self.old, *(() if self.new is None else (self.new,))]

    @property
    def active(self) -> list[Object]:
        """Those that want pods, the old ones first."""
        return [one for one in self.all if replicas_of(one)]


def owned_replica_sets(deployment: Object, replica_sets: Iterable[Object]) -> OwnedReplicaSets:
    """Sort a Deployment's ReplicaSets; of several of its template the oldest is the new one."""
    by_age = sorted(replica_sets, key=age_of)
    new = _first_of_template(deployment["spec"]["template"], by_age)
    return OwnedReplicaSets(new, [one for one in by_age if one is not new])


def counted(replica_set: Object, field: str) -> int:
    """A number from a ReplicaSet's or Deployment's status, such as `availableReplicas`."""
    return int(status_of(replica_set).get(field) or 0)


def wanted_sum(replica_sets: Iterable[Object]) -> int:
    """How many pods some ReplicaSets want."""
    return sum(map(replicas_of, replica_sets))


def counted_sum(replica_sets: Iterable[Object], field: str) -> int:
    """The sum of a number from some ReplicaSets' status."""
    return sum(counted(one, field) for one in replica_sets)


def revision_of(obj: Object) -> int:
    """The revision that an object is annotated with; 0 if it has none that can be read."""
    return parse_count(annotations(obj).get(REVISION)) or 0


def age_of(replica_set: Object) -> tuple[str, str]:
    """What orders ReplicaSets by age, the oldest first; of one age by name."""
    return str(replica_set["metadata"].get("creationTimestamp") or ""), name(replica_set)


def _first_of_template(template: Object, replica_sets: Sequence[Object]) -> Object | None:
    for is_same in (identical_template, same_template):
        for one in replica_sets:
            if is_same(one["spec"]["template"], template):
                return one
    return None
