"""JSON merge patches (RFC 7386)."""

from collections.abc import Mapping

from podium.api.objects import Object


def merge_patched(live: Object, patch: Object) -> Object:
    """The object with a patch merged into it; what the patch doesn't touch is shared.

    Args:
        live: as it is.
        patch: values to set, by field; null takes a field away, an object is merged.
    """
    merged = dict(live)
    for name, value in patch.items():
        if value is None:
            merged.pop(name, None)
        elif isinstance(value, Mapping):
            old = merged.get(name)
            merged[name] = merge_patched(old if isinstance(old, Mapping) else {}, value)
        else:
            merged[name] = value
    return merged
