"""Times of a plan as texts."""


def time_text(at_s: float) -> str:
    """A time since the beginning of a plan."""
    return f"t+{round(at_s, 1):.12g}s"
