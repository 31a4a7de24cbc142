"""A Lease as the record of a leader, as client-go writes and reads it (`resourcelock`, v1.36)."""

from typing import Any, Self

import msgspec
from msgspec.structs import replace

from podium.api.objects import Object, metadata_of, spec_of
from podium.api.values.times import micro_time


class LeaderElectionRecord(msgspec.Struct, frozen=True):
    """Who leads, since when, and for how long if nothing more is heard.

    Attributes:
        holder_identity: empty if nobody does.
        lease_duration_seconds: how long after a renewal others leave the lease alone.
        acquire_time: when the holder became the leader; RFC 3339 with microseconds.
        renew_time: when the holder last said so.
        leader_transitions: how often the leader has changed.
    """

    holder_identity: str = ""
    lease_duration_seconds: int = 0
    acquire_time: str = ""
    renew_time: str = ""
    leader_transitions: int = 0

    @classmethod
    def of(cls, lease: Object) -> "LeaderElectionRecord":
        """What a Lease says."""
        spec = spec_of(lease)
        return cls(
            str(spec.get("holderIdentity") or ""),
            int(spec.get("leaseDurationSeconds") or 0),
            str(spec.get("acquireTime") or ""),
            str(spec.get("renewTime") or ""),
            int(spec.get("leaseTransitions") or 0),
        )

    def renewed(self, at_s: float) -> "LeaderElectionRecord":
        """The same leader, some time later."""
        return replace(self, renew_time=micro_time(at_s))

    def taken_by(self, identity: str, lease_duration_s: float, at_s: float) -> Self:
        """Another leader, from a time on; the first one is no transition."""
        now, known = micro_time(at_s), bool(self.acquire_time)
        transitions = self.leader_transitions + known
        return type(self)(identity, int(lease_duration_s), now, now, transitions)

    def released(self, at_s: float) -> "LeaderElectionRecord":
        """Nobody leads: the next one needn't wait."""
        now = micro_time(at_s)
        return LeaderElectionRecord("", 1, now, now, self.leader_transitions)

    def lease(self, namespace: str, name: str, known: Object | None) -> dict[str, Any]:
        """The Lease that says so.

        Args:
            known: as it was read, whose version must still be the last; None for a new one.
        """
        spec = {
            "holderIdentity": self.holder_identity,
            "leaseDurationSeconds": self.lease_duration_seconds,
            "acquireTime": self.acquire_time,
            "renewTime": self.renew_time,
            "leaseTransitions": self.leader_transitions,
        }
        if known is None:
            return {
                "apiVersion": "coordination.k8s.io/v1",
                "kind": "Lease",
                "metadata": {"namespace": namespace, "name": name},
                "spec": spec,
            }
        return {**known, "metadata": metadata_of(known), "spec": {**spec_of(known), **spec}}
