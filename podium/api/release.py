"""The release of Podium, and the release of Kubernetes that it implements."""

__version__ = "0.1.0"

MAJOR, MINOR, PATCH = "1", "36", "2"
