"""A limit on the pods that workloads may create, so that a typing error doesn't exhaust memory."""

from podium.api.errors import FieldError
from podium.api.objects import Object, controller_of, name, namespace, spec_of
from podium.api.workloads import SCALED

MAX_PODS = 10_000


class PodLimit:
    """Counts the pods that workloads will create in addition to a cluster's existing pods."""

    def __init__(self, most: int = MAX_PODS) -> None:
        self._most = most
        self._sum = 0
        self._sizes: dict[tuple[str, str, str], int] = {}

    def add(self, workload: Object) -> FieldError | None:
        """Count the pods that a workload will create; return a fault if the limit is exceeded.

        Pods of a workload from an API server exist already and don't count. A ReplicaSet of a
        Deployment is counted with the Deployment.
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
        self, kind: str, workload_namespace: str, workload_name: str, size: int, field: str
    ) -> FieldError | None:
        """Count the pods that a new size in `field` adds; return a fault beyond the limit."""
        before = self._sizes.get((kind, workload_namespace, workload_name), 0)
        more = max(0, size - before)
        if self._sum + more > self._most:
            why = f"makes {self._sum + more} new pods; more than {self._most} need --max-pods"
            return FieldError(field, size, why)
        self._sum += more
        self._sizes[kind, workload_namespace, workload_name] = max(before, size)
        return None


def _wanted(workload: Object) -> tuple[str, int]:
    spec = spec_of(workload)
    if workload["kind"] == "Job":
        parallelism, completions = spec.get("parallelism", 1), spec.get("completions")
        if completions is not None and completions < parallelism:
            return "spec.completions", completions
        return "spec.parallelism", parallelism
    if workload["kind"] in SCALED and not controller_of(workload):
        # A workload without a number of replicas keeps its pods.
        return ("spec.replicas", spec["replicas"]) if spec.get("replicas") is not None else ("", 0)
    return "", 0
