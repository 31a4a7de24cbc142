"""The formats in which all answers can be printed."""

TERMINAL = ("table", "wide")
"""For people, at a terminal; `wide` leaves nothing out."""

FORMATS = (*TERMINAL, "json", "yaml", "markdown", "html")
