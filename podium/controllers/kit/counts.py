"""Counts in a status, as the API writes them."""

from collections.abc import Collection, Mapping


def as_written(counts: Mapping[str, int], always: Collection[str]) -> dict[str, int | None]:
    """Counts for a patch: one of 0 is left out.

    Args:
        counts: by field.
        always: fields that are written even then, as their types in v1.36 say.
    """
    return {field: n if field in always else n or None for field, n in counts.items()}
