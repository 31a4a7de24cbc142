"""A whole cluster in virtual time: an API server, schedulers, controllers, and simulated nodes."""

from podium.cluster.virtual.cluster import Cluster
from podium.cluster.virtual.cluster_options import ClusterOptions, SchedulerSetup
from podium.cluster.virtual.controller_list import CONTROLLERS

__all__ = ["CONTROLLERS", "Cluster", "ClusterOptions", "SchedulerSetup"]
