"""`podium version`: print the version."""

from podium.api.release import __version__
from podium.ui.inputs.option import Options


class VersionCommand(Options):
    """Print the version of Podium."""

    def run(self) -> None:
        print(f"podium {__version__}")
