"""What applying a manifest makes of an object that is there: kubectl's three-way merge.

What the manifest says counts; what an earlier manifest said and this one doesn't is taken out; the
rest, which others have set, stays. What the earlier manifest was, kubectl remembers in an
annotation. An object that has never been in a cluster is itself the earlier manifest.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from podium.api.meta import annotations
from podium.plan.state import was_in_a_cluster

Object = Mapping[str, Any]

_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
_NOTHING: Mapping[str, Any] = {}

# Lists whose entries are merged one by one, and the field that tells them apart; the API replaces
# all others as a whole.
_ENTRY_NAMES = {
    "containers": "name",
    "env": "name",
    "ephemeralContainers": "name",
    "initContainers": "name",
    "ports": "containerPort",
    "schedulingGates": "name",
    "topologySpreadConstraints": "topologyKey",
    "volumes": "name",
}
# A volume has one source: merging two of them would make a volume with both.
_REPLACED_ENTRIES = frozenset({"volumes"})
_METADATA_OF_MANIFESTS = ("annotations", "labels")


def merged(live: Object, manifest: Object) -> Object:
    """The object after the manifest has been applied; neither of them is changed."""
    return _merged_maps(live, manifest, _last_applied(live))


def _last_applied(live: Object) -> Object:
    """The manifest that was applied before, as far as it is known."""
    if was_in_a_cluster(live):
        try:
            found = json.loads(annotations(live).get(_LAST_APPLIED, "{}"))
        except ValueError:
            return _NOTHING
        return found if isinstance(found, dict) else _NOTHING
    if live["kind"] == "Pod":
        # Nobody writes `nodeName` and the like into a manifest to be taken out again.
        return _NOTHING
    metadata = {field: live["metadata"].get(field) for field in _METADATA_OF_MANIFESTS}
    own = {field: value for field, value in live.items() if field not in ("metadata", "status")}
    return {**own, "metadata": {field: value for field, value in metadata.items() if value}}


def _merged_maps(live: Object, manifest: Object, last: Object) -> dict[str, Any]:
    result = {
        field: value for field, value in live.items() if field in manifest or field not in last
    }
    for field, value in manifest.items():
        if value is None:
            result.pop(field, None)
        else:
            result[field] = _merged_values(field, live.get(field), value, last.get(field))
    return result


def _merged_values(field: str, live: Any, manifest: Any, last: Any) -> Any:
    if isinstance(manifest, Mapping) and isinstance(live, Mapping):
        return _merged_maps(live, manifest, last if isinstance(last, Mapping) else _NOTHING)
    if field in _ENTRY_NAMES and _has_entries(manifest) and _has_entries(live):
        return _merged_lists(field, live, manifest, last if _has_entries(last) else ())
    return manifest


def _has_entries(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(entry, Mapping) for entry in value)


def _merged_lists(
    field: str, live: Sequence[Object], manifest: Sequence[Object], last: Sequence[Object]
) -> list[Object]:
    present, wanted, before = (
        _by(_ENTRY_NAMES[field], entries) for entries in (live, manifest, last)
    )
    kept = [entry for called, entry in present.items() if called not in {*wanted, *before}]
    if field in _REPLACED_ENTRIES:
        return [*manifest, *kept]
    merged_entries = [
        _merged_maps(present.get(called, _NOTHING), entry, before.get(called, _NOTHING))
        for called, entry in wanted.items()
    ]
    return [*merged_entries, *kept]


def _by(field: str, entries: Sequence[Object]) -> dict[Any, Object]:
    return {entry.get(field): entry for entry in entries}
