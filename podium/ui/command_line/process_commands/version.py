"""`podium version`: print the version."""

from podium.api.release import __version__


def version() -> None:
    """Print the version of Podium."""
    print(f"podium {__version__}")
