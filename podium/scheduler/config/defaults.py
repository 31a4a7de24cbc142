"""The default plugins of kube-scheduler v1.36, in order, with their weights.

- The list up to DefaultBinder: `getDefaultPlugins` in
  `pkg/scheduler/apis/config/v1/default_plugins.go`. In v1.36 NodeVolumeLimits replaces EBSLimits,
  GCEPDLimits and AzureDiskLimits.
- DynamicResources, before DefaultPreemption and with weight 2, and NodeDeclaredFeatures, at the
  end: `applyFeatureGates` in that file; their gates are on. Recorded decisions of v1.36.2 show that
  DynamicResources scores.
- Not here: GangScheduling (gate alpha and off, as GenericWorkload's which it needs) and
  TopologyPlacementGenerator with PodGroupPodsCount (TopologyAwareWorkloadScheduling, alpha, off).
- The removed plugins: `invalidPluginsByVersion` in `pkg/scheduler/apis/config/validation`.
- The constraints of `defaultingType: System`: `systemDefaultConstraints` in
  `pkg/scheduler/framework/plugins/podtopologyspread`.
"""

from podium.api.well_known import HOSTNAME_LABEL, ZONE_LABEL
from podium.scheduler.config.args import TopologySpreadConstraint

DEFAULT_WEIGHTS = {
    "SchedulingGates": 0,
    "PrioritySort": 0,
    "NodeUnschedulable": 0,
    "NodeName": 0,
    "TaintToleration": 3,
    "NodeAffinity": 2,
    "NodePorts": 0,
    "NodeResourcesFit": 1,
    "VolumeRestrictions": 0,
    "NodeVolumeLimits": 0,
    "VolumeBinding": 0,
    "VolumeZone": 0,
    "PodTopologySpread": 2,
    "InterPodAffinity": 2,
    "DynamicResources": 2,
    "DefaultPreemption": 0,
    "NodeResourcesBalancedAllocation": 1,
    "ImageLocality": 1,
    "DefaultBinder": 0,
    "NodeDeclaredFeatures": 0,
}
"""The default plugins in order, with their weights; 0 if upstream gives none, which counts as 1."""

DEFAULT_PLUGIN_NAMES = frozenset(DEFAULT_WEIGHTS)

REMOVED_PLUGINS = frozenset({"AzureDiskLimits", "CinderLimits", "EBSLimits", "GCEPDLimits"})

SYSTEM_DEFAULT_CONSTRAINTS = (
    TopologySpreadConstraint(
        max_skew=3, topology_key=HOSTNAME_LABEL, when_unsatisfiable="ScheduleAnyway"
    ),
    TopologySpreadConstraint(
        max_skew=5, topology_key=ZONE_LABEL, when_unsatisfiable="ScheduleAnyway"
    ),
)
