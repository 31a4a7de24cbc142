"""JSON as Go's encoder writes it, where the text itself is compared or kept."""

_ESCAPED = str.maketrans({char: f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"})


def escaped(text: str) -> str:
    """JSON text with what Go escapes so that JSON may stand in a web page."""
    return text.translate(_ESCAPED)
