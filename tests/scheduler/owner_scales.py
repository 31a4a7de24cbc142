"""Who says how many pods there should be: from a pod's owner reference to a scale.

The rules are those of the disruption controller's finders in v1.36: ReplicationControllers,
ReplicaSets, StatefulSets, and Deployments above ReplicaSets.
"""

from collections.abc import Iterable

from podium.api.objects import Object, controller_of, name, namespace, spec_of, uid
from podium.api.policy.disruption_budgets import Scale, ScaleOf
from podium.api.workloads import SCALED


def scales(objects: Iterable[Object]) -> ScaleOf:
    """The scales of the controllers among these objects; others are passed over."""
    known = {
        (str(obj["kind"]), namespace(obj), name(obj)): obj
        for obj in objects
        if obj.get("kind") in SCALED
    }

    def owner_in(reference: Object, place: str) -> Object | None:
        identity = (str(reference.get("kind")), place, str(reference.get("name")))
        found = known.get(identity)
        return found if found is not None and uid(found) == reference.get("uid") else None

    def scale_of(reference: Object, place: str) -> Scale | None:
        owner = owner_in(reference, place)
        above = controller_of(owner) if owner and owner["kind"] == "ReplicaSet" else None
        if above and above.get("kind") == "Deployment":
            owner = owner_in(above, place)
        return _scale(owner) if owner is not None else None

    return scale_of


def _scale(workload: Object) -> Scale:
    replicas = spec_of(workload).get("replicas")
    return Scale(uid(workload), 1 if replicas is None else int(replicas))
