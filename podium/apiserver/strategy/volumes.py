"""Volumes: their phases, and since when."""

from podium.api.objects import Object
from podium.api.times import timestamp
from podium.apiserver.strategy.strategy import Creation, keep_spec


def create_volume(volume: Object, creation: Creation) -> Object:
    """A new PersistentVolume."""
    since = timestamp(creation.now_s)
    return {**volume, "status": {"phase": "Pending", "lastPhaseTransitionTime": since}}


def update_volume_status(new: Object, old: Object, now_s: float) -> Object:
    """The status; since when a phase lasts is noted, unless the writer knows better."""
    new = keep_spec(new, old, now_s)
    status, before = new.get("status") or {}, old.get("status") or {}
    field = "lastPhaseTransitionTime"
    if status.get("phase") == before.get("phase") or status.get(field) != before.get(field):
        return new
    return {**new, "status": {**status, field: timestamp(now_s)}}
