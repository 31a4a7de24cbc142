"""`podium version`: which Podium this is."""

from podium import __version__


def version() -> None:
    """Print the version."""
    print(f"podium {__version__}")
