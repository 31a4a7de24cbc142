"""Users, groups and service account tokens."""
