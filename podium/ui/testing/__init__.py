"""Clusters for tests: the pytest fixture `podium_cluster`, and `podium.Cluster`."""
