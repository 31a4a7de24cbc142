"""How a real node is configured: the part of a KubeletConfiguration that Podium heeds."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from podium.api.durations import NANOS_PER_SECOND, DurationError, parse_duration
from podium.api.errors import PodiumError
from podium.node.pressure.config import KUBELET_FIELDS, EvictionConfig, read_config, with_defaults

Object = Mapping[str, Any]

API_VERSION = "kubelet.config.k8s.io/v1beta1"
KIND = "KubeletConfiguration"
PODS_MAX = 110
SHUTDOWN_S = 30.0
_FIELDS = frozenset((*KUBELET_FIELDS, "maxPods", "shutdownGracePeriod"))


class KubeletConfigError(PodiumError):
    """A KubeletConfiguration that can't be used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KubeletConfig:
    """How a node is configured.

    Attributes:
        raw: the KubeletConfiguration, defaults filled in.
        eviction: what of it is about eviction.
        pods_max: how many pods it takes.
        shutdown_s: how long pods have at most when the node's agent ends.
    """

    raw: Object
    eviction: EvictionConfig
    pods_max: int = PODS_MAX
    shutdown_s: float = SHUTDOWN_S


def read_kubelet_config(raw: Object) -> tuple[KubeletConfig, list[str]]:
    """Read a KubeletConfiguration, with v1.36's defaults for what it doesn't say.

    Args:
        raw: the object, or just some of its fields.

    Returns:
        The configuration, and the names of fields that aren't heeded.

    Raises:
        PodiumError: something about it can't be used.
    """
    api_version, kind = raw.get("apiVersion", API_VERSION), raw.get("kind", KIND)
    if (api_version, kind) != (API_VERSION, KIND):
        raise KubeletConfigError(f"{api_version} {kind}: must be {API_VERSION} {KIND}")
    pods_max = raw.get("maxPods", PODS_MAX)
    if not isinstance(pods_max, int) or isinstance(pods_max, bool) or pods_max < 0:
        raise KubeletConfigError("maxPods: must be a whole number")
    unheeded = sorted(field for field in raw if field not in _FIELDS)
    config = KubeletConfig(
        raw=with_defaults(raw),
        eviction=read_config(raw),
        pods_max=pods_max,
        shutdown_s=_shutdown_s(raw),
    )
    return config, [one for one in unheeded if one not in ("apiVersion", "kind")]


def _shutdown_s(raw: Object) -> float:
    """The period; none at all counts as not said."""
    try:
        period_s = parse_duration(str(raw.get("shutdownGracePeriod") or "0")) / NANOS_PER_SECOND
    except DurationError as error:
        raise KubeletConfigError(f"shutdownGracePeriod: {error}") from None
    return period_s or SHUTDOWN_S
