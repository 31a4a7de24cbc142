"""A cluster for tests: the fixture `podium_cluster`, and a cluster in a thread beside a test."""
