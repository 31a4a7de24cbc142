"""`pluginConfig[].args`: which plugin takes which arguments, and the short ones of them.

The rules are those of `validation_pluginargs.go` in `pkg/scheduler/apis/config/validation`, v1.36,
with its default feature gates.
"""

from collections.abc import Callable, Mapping, Sequence

from podium.api.errors import ErrorKind
from podium.config.args import (
    DEFAULT_ARGS,
    Args,
    CustomArgs,
    DefaultPreemptionArgs,
    DynamicResourcesArgs,
    InterPodAffinityArgs,
    VolumeBindingArgs,
)
from podium.config.defaults import DEFAULT_PLUGIN_NAMES
from podium.config.reading.durations import duration_seconds
from podium.config.reading.fields import Fields
from podium.config.reading.node_affinity import NODE_AFFINITY_FIELDS, read_node_affinity
from podium.config.reading.scoring import (
    BALANCED_ALLOCATION_FIELDS,
    FIT_FIELDS,
    read_balanced_allocation,
    read_fit,
)
from podium.config.reading.spreading import SPREAD_FIELDS, read_spread
from podium.config.types import API_VERSION

_INT32_MAX = (1 << 31) - 1
_PERCENTAGE = "minCandidateNodesPercentage"
_ABSOLUTE = "minCandidateNodesAbsolute"


def read_args(plugin: str, config: Fields) -> Args:
    """The `args` of one entry of `pluginConfig`, defaulted.

    Args:
        plugin: whose arguments they are.
        config: the entry.
    """
    if plugin not in _READERS:
        return _custom(plugin, config)
    if not config.has("args"):
        return DEFAULT_ARGS[plugin]
    known, read = _READERS[plugin]
    args = config.nested("args", ("apiVersion", "kind", *known))
    _check_kind(args, f"{plugin}Args")
    return read(args)


def _custom(plugin: str, config: Fields) -> CustomArgs:
    raw = config.raw("args")
    config.nested("args", known=None)
    if plugin in DEFAULT_PLUGIN_NAMES and raw:
        config.findings.notes.append(f"{config.at('args')} has no effect: {plugin} takes none")
    return CustomArgs(raw if isinstance(raw, Mapping) else {})


def _check_kind(args: Fields, kind: str) -> None:
    for field, expected in (("apiVersion", API_VERSION), ("kind", kind)):
        if args.text(field, expected) != expected:
            args.fault(field, f"must be {expected}")


def _default_preemption(args: Fields) -> DefaultPreemptionArgs:
    default = DefaultPreemptionArgs()
    percentage = args.integer_in(_PERCENTAGE, default.min_candidate_nodes_percentage, 0, 100)
    absolute = args.integer_in(_ABSOLUTE, default.min_candidate_nodes_absolute, 0, _INT32_MAX)
    if percentage == absolute == 0:
        args.fault(_PERCENTAGE, f"can't be 0 together with {_ABSOLUTE}")
        args.fault(_ABSOLUTE, f"can't be 0 together with {_PERCENTAGE}")
    limits = args.has(_PERCENTAGE) or args.has(_ABSOLUTE)
    return DefaultPreemptionArgs(percentage, absolute, limits)


def _inter_pod_affinity(args: Fields) -> InterPodAffinityArgs:
    return InterPodAffinityArgs(
        hard_pod_affinity_weight=args.integer_in("hardPodAffinityWeight", 1, 0, 100),
        ignore_preferred_terms_of_existing_pods=args.boolean("ignorePreferredTermsOfExistingPods"),
    )


def _volume_binding(args: Fields) -> VolumeBindingArgs:
    default = VolumeBindingArgs()
    timeout = args.integer("bindTimeoutSeconds", default.bind_timeout_seconds, bits=64)
    if timeout < 0:
        args.fault("bindTimeoutSeconds", "must be 0 or more")
    if args.has("shape"):
        message = "needs the feature gate StorageCapacityScoring, which is off by default in v1.36"
        args.fault("shape", message, ErrorKind.FORBIDDEN)
    return VolumeBindingArgs(timeout)


def _dynamic_resources(args: Fields) -> DynamicResourcesArgs:
    default = DynamicResourcesArgs()
    args.findings.notes.append(f"{args.path} has no effect: resource claims aren't modelled")
    return DynamicResourcesArgs(
        filter_timeout_seconds=_seconds(args, "filterTimeout", default.filter_timeout_seconds, 0),
        binding_timeout_seconds=_seconds(
            args, "bindingTimeout", default.binding_timeout_seconds, 1
        ),
    )


def _seconds(args: Fields, name: str, default: float, low: int) -> float:
    if not args.has(name):
        return default
    seconds = duration_seconds(args.text(name, "0"))
    if seconds is None:
        args.fault(name, "must be a duration such as 10s or 1m30s")
        return default
    if seconds < low:
        args.fault(name, f"must be at least {low}s")
    return seconds


_READERS: Mapping[str, tuple[Sequence[str], Callable[[Fields], Args]]] = {
    "DefaultPreemption": ((_PERCENTAGE, _ABSOLUTE), _default_preemption),
    "DynamicResources": (("filterTimeout", "bindingTimeout"), _dynamic_resources),
    "InterPodAffinity": (
        ("hardPodAffinityWeight", "ignorePreferredTermsOfExistingPods"),
        _inter_pod_affinity,
    ),
    "NodeAffinity": (NODE_AFFINITY_FIELDS, read_node_affinity),
    "NodeResourcesBalancedAllocation": (BALANCED_ALLOCATION_FIELDS, read_balanced_allocation),
    "NodeResourcesFit": (FIT_FIELDS, read_fit),
    "PodTopologySpread": (SPREAD_FIELDS, read_spread),
    "VolumeBinding": (("bindTimeoutSeconds", "shape"), _volume_binding),
}
