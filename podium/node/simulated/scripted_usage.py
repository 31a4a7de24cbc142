"""What annotations say of usage: of pods, and of nodes besides their pods.

Names and meanings are listed in docs/node-pressure.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from podium.api.errors import FieldError, InvalidValueError, aggregate
from podium.api.objects import Object, annotations
from podium.api.quantity import QuantityError, value
from podium.node.simulated.behaviour import PREFIX, BehaviourError
from podium.node.simulated.usage_curves import Curve, parse_curve

USAGE = PREFIX + "usage-"
VOLUME = USAGE + "volume-"

_CURVES = ("memory", "disk", "logs", "inodes", "processes")
_NODE_AMOUNTS = {
    PREFIX + "inodes": "inodes",
    PREFIX + "max-pids": "max_pids",
    PREFIX + "unused-images": "unused_images_bytes",
    PREFIX + "dead-containers": "dead_containers_bytes",
}


@dataclass(frozen=True, slots=True)
class UsageScript:
    """What a pod or node uses as time goes by, as its annotations script it.

    Attributes:
        curves: by what: `memory`, `disk` (of containers' writable layers) and `logs` in bytes,
            `inodes`, `processes`.
        volumes: bytes by volume.
    """

    curves: Mapping[str, Curve] = field(default_factory=dict)
    volumes: Mapping[str, Curve] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is scripted."""
        return not (self.curves or self.volumes)

    def is_level_from(self, time_s: float) -> bool:
        """Whether nothing changes any more from this time on."""
        curves = (*self.curves.values(), *self.volumes.values())
        return all(curve.is_level_from(time_s) for curve in curves)


NO_USAGE = UsageScript()


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeScript:
    """What a node has and uses besides its pods.

    Attributes:
        usage: of the system.
        inodes: how many its filesystem has; None if that isn't said.
        max_pids: how many process ids there are; likewise.
        unused_images_bytes: what it can throw away of images.
        dead_containers_bytes: and of dead containers.
    """

    usage: UsageScript = NO_USAGE
    inodes: int | None = None
    max_pids: int | None = None
    unused_images_bytes: int = 0
    dead_containers_bytes: int = 0


NO_SCRIPT = NodeScript()


def usage_of(obj: Object) -> UsageScript:
    """What the annotations of a pod, or of a node, say of its usage; raises BehaviourError."""
    written = annotations(obj)
    keys = [key for key in written if key.startswith(USAGE)]
    if not keys:
        return NO_USAGE
    curves: dict[str, Curve] = {}
    volumes: dict[str, Curve] = {}
    faults: list[FieldError] = []
    for key in keys:
        try:
            curve = parse_curve(written[key])
        except InvalidValueError as invalid:
            faults.append(invalid.under(f"metadata.annotations[{key}]").error)
            continue
        what = key.removeprefix(USAGE)
        if what in _CURVES:
            curves[what] = curve
        elif key.startswith(VOLUME):
            volumes[key.removeprefix(VOLUME)] = curve
        else:
            known = ", ".join((*_CURVES, "volume-NAME"))
            rule = f"there is no such usage; there are {known}"
            faults.append(FieldError(f"metadata.annotations[{key}]", written[key], rule))
    if faults:
        raise BehaviourError(aggregate(faults))
    return UsageScript(curves, volumes)


def node_script_of(node: Object) -> NodeScript:
    """What a node's annotations say of it; raises BehaviourError."""
    written = annotations(node)
    amounts: dict[str, Any] = {}
    for key, attribute in _NODE_AMOUNTS.items():
        if key in written:
            try:
                amounts[attribute] = value(written[key])
            except QuantityError as error:
                raise BehaviourError(str(error.under(f"metadata.annotations[{key}]"))) from None
    usage = usage_of(node)
    return NO_SCRIPT if usage.is_empty and not amounts else NodeScript(usage=usage, **amounts)
