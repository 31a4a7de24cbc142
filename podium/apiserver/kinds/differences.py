"""What two parts of objects mean, and the lines in which they differ.

A field that isn't there means the same as an empty one, unless its type tells the two apart.
"""

import json
from collections.abc import Mapping
from difflib import unified_diff
from functools import cache
from typing import Any

from podium.api.kinds import KINDS
from podium.api.objects import Object
from podium.api.quantity import parse_quantity
from podium.apiserver.schema import Field, ListOf, MapOf, Scalar, Struct, Type
from podium.apiserver.schema.custom import struct_for
from podium.apiserver.schema.model import ZEROS

_HEADER_LINES = 2
_QUANTITY = Scalar("quantity")
# A second name for `serviceAccountName`, which is filled in from it.
_SECOND_NAMES = ("serviceAccount",)


@cache
def type_at(kind: str, path: str) -> Type:
    """The type of a part of a kind, or of the entries of a list, such as `spec.containers`."""
    found: Type = struct_for(KINDS[kind])
    for name in path.split("."):
        assert isinstance(found, Struct)
        of = found.fields[name].type
        found = of.items if isinstance(of, ListOf) else of
    return found


def meaning(value: Any, of: Type) -> Any:
    """The value without what means the same as nothing; equal for what means the same.

    Args:
        value: of that type, with amounts in any form; fields that nobody knows mean nothing.
        of: its type.
    """
    if value is None:
        return None
    match of:
        case Struct():
            parts = {name: _part(value.get(name), field) for name, field in of.fields.items()}
            return {k: v for k, v in parts.items() if v is not None and k not in _SECOND_NAMES}
        case ListOf():
            return [meaning(one, of.items) for one in value]
        case MapOf():
            return {key: meaning(value[key], of.values) for key in sorted(value)}
    return str(parse_quantity(value)) if of == _QUANTITY else value


def _part(value: Any, field: Field) -> Any:
    found = meaning(value, field.type)
    is_empty = not found or (found == "0" and field.type == _QUANTITY)
    return None if is_empty and not field.keeps_zero else found


def difference(old: Any, new: Any) -> str:
    """The lines of two values' JSON that differ, each with its neighbours; empty if none do."""
    lines = unified_diff(_lines(old), _lines(new), n=3, lineterm="")
    return "".join(f"{line}\n" for line in list(lines)[_HEADER_LINES:])


def _lines(value: Any) -> list[str]:
    return json.dumps(value, indent=1, ensure_ascii=False).splitlines()


# kube-apiserver tells how a pod differs by these names, in this order, whatever is empty.
_ON_THE_HOST = "HostNetwork HostPID HostIPC ShareProcessNamespace HostUsers"
_TITLES: Mapping[str, str] = {
    "PodSpec": """
        Volumes InitContainers Containers EphemeralContainers RestartPolicy
        TerminationGracePeriodSeconds ActiveDeadlineSeconds DNSPolicy NodeSelector
        ServiceAccountName AutomountServiceAccountToken NodeName SecurityContext ImagePullSecrets
        Hostname Subdomain SetHostnameAsFQDN Affinity SchedulerName Tolerations HostAliases
        PriorityClassName Priority PreemptionPolicy DNSConfig ReadinessGates RuntimeClassName
        Overhead EnableServiceLinks TopologySpreadConstraints OS SchedulingGates ResourceClaims
        Resources HostnameOverride SchedulingGroup
    """,
    "PodSecurityContext": f"""
        {_ON_THE_HOST} SELinuxOptions WindowsOptions RunAsUser RunAsGroup RunAsNonRoot
        SupplementalGroups SupplementalGroupsPolicy FSGroup FSGroupChangePolicy Sysctls
        SeccompProfile AppArmorProfile SELinuxChangePolicy
    """,
    "Container": """
        Name Image Command Args WorkingDir Ports EnvFrom Env Resources ResizePolicy RestartPolicy
        RestartPolicyRules VolumeMounts VolumeDevices LivenessProbe ReadinessProbe StartupProbe
        Lifecycle TerminationMessagePath TerminationMessagePolicy ImagePullPolicy SecurityContext
        Stdin StdinOnce TTY
    """,
    "ResourceRequirements": "Limits Requests Claims",
}


def pod_difference(old: Object, new: Object) -> str:
    """How the specs of two pods differ, as `difference` says it."""
    return difference(*(_titled(_with_host_in_context(one), _pod_spec()) for one in (old, new)))


def _pod_spec() -> Struct:
    found = type_at("Pod", "spec")
    assert isinstance(found, Struct)
    return found


def _with_host_in_context(spec: Object) -> Object:
    """What a pod shares with its node is told as a part of its security context."""
    shared = {name: spec.get(name) for name in map(_api_name, _ON_THE_HOST.split())}
    return {**spec, "securityContext": {**(spec.get("securityContext") or {}), **shared}}


def _api_name(title: str) -> str:
    return {name.lower(): name for name in _pod_spec().fields}[title.lower()]


def _titled(value: Object, of: Struct) -> dict[str, Any]:
    own = {**_pod_spec().fields, **of.fields} if of.name == "PodSecurityContext" else of.fields
    names = {name.lower(): name for name in own}
    titled = ((title, names[title.lower()]) for title in _TITLES[of.name].split())
    return {title: _shown(value.get(name), own[name]) for title, name in titled}


def _shown(value: Any, field: Field) -> Any:
    """The value of a field, with titles where its type has some; null or a zero for none."""
    of = field.type
    entry = of.items if isinstance(of, ListOf) else of
    if isinstance(entry, Struct) and entry.name in _TITLES:
        if isinstance(of, ListOf):
            return [_titled(one, entry) for one in value or ()] or None
        return None if value is None and field.keeps_zero else _titled(value or {}, entry)
    if isinstance(of, Scalar):
        zero = None if field.keeps_zero else ZEROS.get(of.kind)
        return zero if value is None else value
    return meaning(value, of) or None
