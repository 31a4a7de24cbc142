"""Common parts of controllers: owned objects, pods, revisions, statuses."""
