"""Defaults of CustomResourceDefinitions."""

from podium.api.objects import Object


def with_defaults(definition: Object) -> Object:
    """The definition with the names that follow from others; the same if there is nothing new."""
    spec = definition.get("spec") or {}
    names = spec.get("names") or {}
    kind = names.get("kind") or ""
    filled = {
        **names,
        "singular": names.get("singular") or kind.lower(),
        "listKind": names.get("listKind") or f"{kind}List",
    }
    conversion = spec.get("conversion") or {"strategy": "None"}
    if (filled == names and conversion == spec.get("conversion")) or not kind:
        return definition
    return {**definition, "spec": {**spec, "names": filled, "conversion": conversion}}
