"""Arguments of PodTopologySpread.

The rules are those of `ValidatePodTopologySpreadArgs` in v1.36; besides, `minDomains` and the node
inclusion policies are held to what they may be in a pod.
"""

from podium.api.errors import ErrorKind, FieldError, unsupported
from podium.api.labels import validate_label_key
from podium.config.args import DefaultingType, PodTopologySpreadArgs, TopologySpreadConstraint
from podium.config.reading.fields import Fields

SPREAD_FIELDS = ("defaultConstraints", "defaultingType")

_CONSTRAINT_FIELDS = (
    "maxSkew",
    "topologyKey",
    "whenUnsatisfiable",
    "labelSelector",
    "minDomains",
    "nodeAffinityPolicy",
    "nodeTaintsPolicy",
    "matchLabelKeys",
)
_ACTIONS = ("DoNotSchedule", "ScheduleAnyway")
_POLICIES = ("Honor", "Ignore")


def read_spread(fields: Fields) -> PodTopologySpreadArgs:
    """The arguments of PodTopologySpread."""
    objects = fields.each("defaultConstraints", _CONSTRAINT_FIELDS)
    constraints = tuple(_constraint(each) for each in objects)
    _check_repetitions(objects, constraints)
    return PodTopologySpreadArgs(constraints, _defaulting_type(fields, constraints))


def _defaulting_type(
    fields: Fields, constraints: tuple[TopologySpreadConstraint, ...]
) -> DefaultingType:
    text = fields.text("defaultingType") or DefaultingType.SYSTEM
    if text not in list(DefaultingType):
        path = fields.at("defaultingType")
        fields.findings.faults.append(unsupported(path, text, DefaultingType))
        return DefaultingType.SYSTEM
    if text == DefaultingType.SYSTEM and constraints:
        message = "must be List for the defaultConstraints to count"
        fields.findings.faults.append(FieldError(fields.at("defaultingType"), text, message))
    return DefaultingType(text)


def _constraint(fields: Fields) -> TopologySpreadConstraint:
    max_skew = fields.integer("maxSkew")
    if max_skew <= 0:
        fields.fault("maxSkew", "must be at least 1")
    min_domains = fields.integer("minDomains") if fields.has("minDomains") else None
    if min_domains is not None and min_domains <= 0:
        fields.fault("minDomains", "must be at least 1")
    if fields.has("labelSelector"):
        message = "the selector is deduced from each pod's owners"
        fields.fault("labelSelector", message, ErrorKind.FORBIDDEN)
    if fields.texts("matchLabelKeys"):
        fields.findings.notes.append(f"{fields.at('matchLabelKeys')} has no effect")
    return TopologySpreadConstraint(
        max_skew=max_skew,
        topology_key=_topology_key(fields),
        when_unsatisfiable=_choice(fields, "whenUnsatisfiable", _ACTIONS, ""),
        min_domains=min_domains,
        node_affinity_policy=_choice(fields, "nodeAffinityPolicy", _POLICIES, "Honor"),
        node_taints_policy=_choice(fields, "nodeTaintsPolicy", _POLICIES, "Ignore"),
    )


def _topology_key(fields: Fields) -> str:
    key = fields.text("topologyKey")
    if not key:
        fields.fault("topologyKey", "", ErrorKind.REQUIRED)
        return key
    for message in validate_label_key(key):
        fields.fault("topologyKey", message)
    return key


def _choice(fields: Fields, name: str, choices: tuple[str, ...], default: str) -> str:
    text = fields.text(name, default)
    if not text:
        fields.fault(name, f"one of {', '.join(choices)}", ErrorKind.REQUIRED)
    elif text not in choices:
        fields.findings.faults.append(unsupported(fields.at(name), text, choices))
    return text


def _check_repetitions(
    objects: list[Fields], constraints: tuple[TopologySpreadConstraint, ...]
) -> None:
    """No two constraints may share both topology key and action."""
    seen = set()
    for fields, constraint in zip(objects, constraints, strict=True):
        pair = (constraint.topology_key, constraint.when_unsatisfiable)
        if pair in seen:
            shown = f"{{{', '.join(pair)}}}"
            fault = FieldError(fields.path, shown, "", ErrorKind.DUPLICATE)
            fields.findings.faults.append(fault)
        seen.add(pair)
