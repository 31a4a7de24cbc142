"""The preparation of a pod's devices, as by the kubelet's DRA manager of v1.36.

Before a pod is set up, the kubelet reads its claims from the API server. Each has to be allocated
and reserved for the pod. No driver is called: devices that are allocated are there.
"""

from collections.abc import Iterator

from podium.api.devices.resource_claims import (
    ClaimError,
    allocation_of,
    check_made_for,
    pod_claim_names,
    reserved_for,
)
from podium.api.objects import Object, name, namespace, part, spec_of, status_of, uid
from podium.machines.effects import Effect
from podium.machines.events import Outcome
from podium.machines.reconciler.reconciler import existence_check

CLAIM = "ResourceClaim"


class DevicePreparation:
    """The preparation of the devices of one pod."""

    def __init__(self) -> None:
        self.is_done = False
        """Whether all claims can be used."""
        self.error = ""
        """Why the last try failed; empty if it didn't."""
        # Whether each claim is generated, and what is wrong with it, once it was read.
        self._is_generated: dict[str, bool] = {}
        self._faults: dict[str, str] = {}

    def begin(self, pod: Object) -> Iterator[Effect]:
        """Yield the calls that read the claims; sets `error` if their names aren't known yet."""
        self._faults.clear()
        try:
            self._is_generated = {
                claim_name: is_generated for _, claim_name, is_generated in pod_claim_names(pod)
            }
        except ClaimError as error:
            self.error = str(error)
            return
        if extended := part(status_of(pod), "extendedResourceClaimStatus").get("resourceClaimName"):
            self._is_generated[extended] = False
        self.error, self.is_done = "", not self._is_generated
        for claim_name in self._is_generated:
            yield existence_check(CLAIM, claim_name, namespace(pod))

    def read(self, pod: Object, claim_name: str, outcome: Outcome) -> None:
        """Check a claim that was read; sets `is_done` or `error` after the last one."""
        self._faults[claim_name] = self._fault(pod, claim_name, outcome)
        if len(self._faults) == len(self._is_generated):
            faults = (self._faults[claim_name] for claim_name in self._is_generated)
            self.error = next(filter(None, faults), "")
            self.is_done = not self.error

    def _fault(self, pod: Object, claim_name: str, outcome: Outcome) -> str:
        claim = outcome.obj
        if claim is None:
            why = outcome.error.message if outcome.error is not None else "no answer"
            return f"fetch ResourceClaim {claim_name}: {why}"
        try:
            if self._is_generated[claim_name]:
                check_made_for(pod, claim)
        except ClaimError as error:
            return str(error)
        if uid(pod) not in reserved_for(claim):
            forbidden = f"not allowed to use ResourceClaim {claim_name} ({uid(claim)})"
            return f"pod {name(pod)} ({uid(pod)}) is {forbidden}"
        return "" if allocation_of(claim) else f"ResourceClaim {claim_name}: not allocated"


def needs_devices(pod: Object) -> bool:
    """Return whether a pod has claims, or one that stands for its extended resources."""
    return bool(
        spec_of(pod).get("resourceClaims") or status_of(pod).get("extendedResourceClaimStatus")
    )
