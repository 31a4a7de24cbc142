"""Users, groups and tokens: who sends a request."""
