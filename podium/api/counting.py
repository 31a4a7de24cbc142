"""Numbers of things in words."""


def count(number: int, singular: str, plural: str = "") -> str:
    """`1 pod`, `2 pods`."""
    return f"{number} {singular if number == 1 else plural or singular + 's'}"
