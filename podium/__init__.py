"""Podium: schedules, preempts and explains pods the way Kubernetes v1.36 does."""

__version__ = "0.1.0"
