"""How patiently nodes are watched, and how fast pods may be sent away from those that fail."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeLifecycleSettings:
    """The flags of kube-controller-manager that matter here, with v1.36's defaults.

    Attributes:
        monitor_period_s: how often nodes are looked at (`node-monitor-period`).
        grace_period_s: how long a node may be silent (`node-monitor-grace-period`).
        startup_grace_period_s: the same for one that was never heard of
            (`node-startup-grace-period`).
        eviction_rate: how many nodes a second of a zone get a NoExecute taint
            (`node-eviction-rate`).
        secondary_eviction_rate: the same where many of a large zone have failed
            (`secondary-node-eviction-rate`).
        large_zone_size: a zone of so many nodes isn't large yet
            (`large-cluster-size-threshold`).
        unhealthy_zone_share: from which share of failed nodes a zone is disrupted in part
            (`unhealthy-zone-threshold`).
    """

    monitor_period_s: float = 5.0
    grace_period_s: float = 50.0
    startup_grace_period_s: float = 60.0
    eviction_rate: float = 0.1
    secondary_eviction_rate: float = 0.01
    large_zone_size: int = 50
    unhealthy_zone_share: float = 0.55


DEFAULT_SETTINGS = NodeLifecycleSettings()
