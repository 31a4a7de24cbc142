"""How many pods workloads ask for, so that a slip of the keyboard doesn't fill the memory."""

from podium.api.errors import FieldError
from podium.api.objects import Object, controller_of, name, namespace, spec_of
from podium.api.workloads import SCALED

MAX_PODS = 10_000
"""How many pods may be asked for unless somebody says otherwise."""


class PodLimit:
    """Adds up the pods that workloads ask for beyond those that a cluster has made already."""

    def __init__(self, most: int = MAX_PODS) -> None:
        self._most = most
        self._sum = 0
        self._sizes: dict[tuple[str, str, str], int] = {}

    def add(self, workload: Object) -> FieldError | None:
        """Count what an object asks for; a fault if that is too much.

        What comes from an API server has its pods already, and a ReplicaSet of a Deployment has
        its size from that.
        """
        field, size = _wanted(workload)
        if not field:
            return None
        place = (workload["kind"], namespace(workload), name(workload))
        if workload["metadata"].get("uid"):
            self._sizes[place] = size
            return None
        return self.resize(*place, size, field)

    def resize(
        self, kind: str, place: str, called: str, size: int, field: str
    ) -> FieldError | None:
        """Count a workload by its new size, as stated at `field`; a fault if that is too much."""
        before = self._sizes.get((kind, place, called), 0)
        more = max(0, size - before)
        if self._sum + more > self._most:
            why = f"makes {self._sum + more} new pods; more than {self._most} need --max-pods"
            return FieldError(field, size, why)
        self._sum += more
        self._sizes[kind, place, called] = max(before, size)
        return None


def _wanted(workload: Object) -> tuple[str, int]:
    spec = spec_of(workload)
    if workload["kind"] == "Job":
        parallelism, completions = spec.get("parallelism", 1), spec.get("completions")
        if completions is not None and completions < parallelism:
            return "spec.completions", completions
        return "spec.parallelism", parallelism
    if workload["kind"] in SCALED and not controller_of(workload):
        # Who doesn't say how many keeps those that there are.
        return ("spec.replicas", spec["replicas"]) if spec.get("replicas") is not None else ("", 0)
    return "", 0
