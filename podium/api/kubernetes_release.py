"""The release of Kubernetes that Podium is like."""

MAJOR, MINOR, PATCH = "1", "36", "2"
