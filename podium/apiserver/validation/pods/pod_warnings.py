"""Warnings on deprecated and ineffective fields of pods and pod templates, as in v1.36.

Warnings on labels and addresses are also used for volumes and services.
"""

from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from ipaddress import IPv4Address, IPv6Address
from typing import Any

from podium.api.objects import Object, annotations, entries, part, spec_of
from podium.api.pods import volumes_of
from podium.api.selectors.labels import validate_dns_label
from podium.api.values.quantity import NANOS_PER_UNIT, nanos
from podium.apiserver.validation.checks import join, parse_address

APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/"
_SECCOMP_OF_POD = "seccomp.security.alpha.kubernetes.io/pod"
_SECCOMP_OF_CONTAINER = "container.seccomp.security.alpha.kubernetes.io/"


def _deprecated() -> Iterator[Mapping[str, str]]:
    data = files("podium.apiserver.validation.pods") / "deprecated.txt"
    for block in data.read_text(encoding="utf-8").split("\n\n"):
        _, *lines = block.splitlines()
        yield dict(line.split(maxsplit=1) for line in lines)


DEPRECATED_LABELS, _ANNOTATIONS, DEPRECATED_VOLUMES = _deprecated()
"""Warnings by label, annotation and field of a volume; those about volumes begin with the field."""

# The volumes with files of an object: field, kind, and the field with the object's name.
_FILES = (
    ("configMap", "ConfigMap", "name"),
    ("secret", "Secret", "secretName"),
    ("downwardAPI", "DownwardAPI", ""),
)
_CERTIFICATE_FILES = {
    "certificateChainPath": "chain",
    "keyPath": "key",
    "credentialBundlePath": "credential bundle",
}
_NO_SELECTOR = "a null labelSelector results in matching no pod"
_NAME_OF_PODS = "Pod names and hostnames"
_SECCOMP = 'non-functional in v1.27+; use the "seccompProfile" field instead'
_APP_ARMOR_OLD = 'deprecated since v1.30; use the "appArmorProfile" field instead'
_IN_BYTES = ("memory", "ephemeral-storage")
_TERMS = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def name_warnings(obj: Object, used_in: str = _NAME_OF_PODS) -> Iterator[str]:
    """Yield a warning if a name isn't a valid hostname."""
    faults = validate_dns_label(str(part(obj, "metadata").get("name") or ""))
    if faults:
        yield (
            f"metadata.name: this is used in {used_in}, which can result in surprising behavior; "
            f"a DNS label is recommended: [{' '.join(faults)}]"
        )


def pod_warnings(pod: Object, path: str = "") -> Iterator[str]:
    """Yield warnings on deprecated and ineffective fields of a pod, or a template at a path."""
    spec, where = spec_of(pod), join(path, "spec")
    for name in spec.get("nodeSelector") or ():
        if name in DEPRECATED_LABELS:
            yield f"{where}.nodeSelector[{name}]: {DEPRECATED_LABELS[name]}"
    affinity, place = part(spec, "affinity", "nodeAffinity"), f"{where}.affinity.nodeAffinity"
    for index, term in enumerate(entries(part(affinity, _TERMS), "nodeSelectorTerms")):
        yield from term_warnings(term, f"{place}.{_TERMS}.nodeSelectorTerms[{index}]")
    for index, one in enumerate(entries(affinity, _PREFERRED)):
        yield from term_warnings(
            part(one, "preference"), f"{place}.{_PREFERRED}[{index}].preference"
        )
    for index, constraint in enumerate(entries(spec, "topologySpreadConstraints")):
        at, name = f"{where}.topologySpreadConstraints[{index}]", constraint.get("topologyKey", "")
        if name in DEPRECATED_LABELS:
            yield f"{at}.topologyKey: {name} is {DEPRECATED_LABELS[name]}"
        if constraint.get("labelSelector") is None:
            yield f"{at}.labelSelector: {_NO_SELECTOR}"
    notes = annotations(pod)
    for name, text in _ANNOTATIONS.items():
        if name in notes:
            yield f"{_annotation(path, name)}: {text}"
    for index, volume in enumerate(volumes_of(spec)):
        for field, text in DEPRECATED_VOLUMES.items():
            if volume.get(field) is not None:
                yield f"{where}.volumes[{index}].{text}"
        claim = part(volume, "ephemeral", "volumeClaimTemplate", "spec")
        yield from claim_warnings(
            claim, f"{where}.volumes[{index}].ephemeral.volumeClaimTemplate.spec"
        )
    for volume in volumes_of(spec):
        yield from _overlapping_paths(volume)
    yield from _repeated(spec, "hostAliases", "ip", where)
    yield from _repeated(spec, "imagePullSecrets", "name", where)
    for index, secret in enumerate(entries(spec, "imagePullSecrets")):
        if not secret.get("name"):
            yield f'{where}.imagePullSecrets[{index}].name: invalid empty name ""'
    yield from _fractions(part(spec, "overhead"), f"{where}.overhead", *_IN_BYTES)
    security = part(spec, "securityContext")
    if not security.get("seccompProfile") and _SECCOMP_OF_POD in notes:
        yield f"{_annotation(path, _SECCOMP_OF_POD)}: {_SECCOMP}"
    for container, place in _containers(spec, where):
        yield from _container(container, place, path, notes, security)
    yield from _ports(spec, where)
    grace_s = spec.get("terminationGracePeriodSeconds")
    if grace_s is not None and grace_s < 0:
        rule = "must be >= 0; negative values are invalid and will be treated as 1"
        yield f"{where}.terminationGracePeriodSeconds: {rule}"
    for field in ("podAffinity", "podAntiAffinity"):
        affinity, place = part(spec, "affinity", field), f"{where}.affinity.{field}"
        for index, term in enumerate(entries(affinity, _TERMS)):
            if term.get("labelSelector") is None:
                yield f"{place}.{_TERMS}[{index}].labelSelector: {_NO_SELECTOR}"
        for index, one in enumerate(entries(affinity, _PREFERRED)):
            if part(one, "podAffinityTerm").get("labelSelector") is None:
                at = f"{place}.{_PREFERRED}[{index}].podAffinityTerm.labelSelector"
                yield f"{at}: {_NO_SELECTOR}"
    for index, address in enumerate(part(spec, "dnsConfig").get("nameservers") or ()):
        yield from address_warnings(address, f"{where}.dnsConfig.nameservers[{index}]")
    for index, alias in enumerate(entries(spec, "hostAliases")):
        yield from address_warnings(alias.get("ip", ""), f"{where}.hostAliases[{index}].ip")


def app_armor_warnings(pod: Object) -> Iterator[str]:
    """Yield warnings on a new pod's AppArmor annotations that its fields don't repeat."""
    profile = part(spec_of(pod), "securityContext").get("appArmorProfile")
    for container, _ in _containers(spec_of(pod), "spec"):
        key = f"{APP_ARMOR}{container.get('name', '')}"
        note = annotations(pod).get(key)
        own = part(container, "securityContext").get("appArmorProfile")
        if note is not None and own is None:
            implied = app_armor_profile(note)
            if implied is None or implied != profile:
                yield f"{_annotation('', key)}: {_APP_ARMOR_OLD}"


def app_armor_profile(annotation: str) -> Object | None:
    """Return the AppArmor profile for an annotation's value; None if it is invalid."""
    plain = {"unconfined": "Unconfined", "runtime/default": "RuntimeDefault"}
    if annotation in plain:
        return {"type": plain[annotation]}
    kind, _, profile = annotation.partition("/")
    is_local = kind == "localhost" and profile
    return {"type": "Localhost", "localhostProfile": profile} if is_local else None


def _annotation(path: str, name: str) -> str:
    return f"{join(path, 'metadata.annotations')}[{name}]"


def _containers(spec: Object, where: str) -> Iterator[tuple[Object, str]]:
    for field in ("initContainers", "containers", "ephemeralContainers"):
        for index, container in enumerate(entries(spec, field)):
            yield container, f"{where}.{field}[{index}]"


def term_warnings(term: Object, where: str) -> Iterator[str]:
    """Yield warnings on deprecated labels in a term of a node selector."""
    for index, requirement in enumerate(entries(term, "matchExpressions")):
        name = requirement.get("key", "")
        if name in DEPRECATED_LABELS:
            yield f"{where}.matchExpressions[{index}].key: {name} is {DEPRECATED_LABELS[name]}"


def _overlapping_paths(volume: Object) -> Iterator[str]:
    name = volume.get("name", "")
    for field, kind, named in _FILES:
        source = volume.get(field)
        if source:
            of = f'{kind} "{source.get(named) or ""}"' if named else kind
            files = [(item.get("path", ""), "") for item in entries(source, "items")]
            yield from _overlaps(f'volume "{name}" ({of}): overlapping paths', files)
    if volume.get("projected"):
        sources = entries(volume["projected"], "sources")
        if not all(sources):
            yield f'volume "{name}" (Projected) has no sources provided'
        files = [file for source in sources for file in _projected(source)]
        yield from _overlaps(f'volume "{name}" (Projected): overlapping paths', files)


def _overlaps(start: str, files: Iterable[tuple[str, str]]) -> Iterator[str]:
    known: list[tuple[str, str]] = []
    for path, source in files:
        if path := path.rstrip("/"):
            shown = f'"{path}" ({source})' if source else f'"{path}"'
            for other, other_shown in known:
                if f"{path}/".startswith(f"{other}/") or f"{other}/".startswith(f"{path}/"):
                    yield f"{start}: {shown} with {other_shown}"
            known.append((path, shown))


def _projected(source: Object) -> list[tuple[str, str]]:
    for field, kind, _ in _FILES:
        if source.get(field):
            of = kind
            if kind != "DownwardAPI":
                of = f'{kind} "{source[field].get("name") or ""}"'
            return [(item.get("path", ""), of) for item in entries(source[field], "items")]
    if source.get("serviceAccountToken"):
        return [(source["serviceAccountToken"].get("path", ""), "ServiceAccountToken")]
    bundle = source.get("clusterTrustBundle")
    if bundle:
        named = bundle.get("name") or bundle.get("signerName")
        return [(bundle.get("path", ""), f'ClusterTrustBundle "{named or ""}"')]
    certificate = source.get("podCertificate") or {}
    return [
        (certificate[field], f"PodCertificate {words}")
        for field, words in _CERTIFICATE_FILES.items()
        if certificate.get(field)
    ]


def address_warnings(address: str, path: str) -> Iterator[str]:
    """Yield a warning if an IP address isn't in canonical form."""
    parsed = parse_address(address)
    # An IPv6 address that maps an IPv4 address is written in two ways by Python's releases.
    mapped = parsed.ipv4_mapped if isinstance(parsed, IPv6Address) else None
    canonical = mapped or parsed
    if canonical is None or str(canonical) == address:
        return
    if isinstance(canonical, IPv4Address):
        future = "will be considered invalid in a future Kubernetes release"
        yield f'{path}: non-standard IP address "{address}" {future}: use "{canonical}"'
    else:
        shown = f'should be in RFC 5952 canonical format ("{canonical}")'
        yield f'{path}: IPv6 address "{address}" {shown}'


def _repeated(spec: Object, field: str, key: str, where: str) -> Iterator[str]:
    seen = set()
    for index, entry in enumerate(entries(spec, field)):
        value = entry.get(key, "")
        if value in seen:
            yield f'{where}.{field}[{index}].{key}: duplicate {key} "{value}"'
        seen.add(value)


def claim_warnings(spec: Object, where: str) -> Iterator[str]:
    """Yield warnings on sizes in a PersistentVolumeClaim's spec that aren't whole bytes."""
    for field in ("requests", "limits"):
        yield from _fractions(
            part(spec, "resources", field), f"{where}.resources.{field}", "storage"
        )


def _fractions(amounts: Object, path: str, *names: str) -> Iterator[str]:
    for name in names:
        if name in amounts and nanos(amounts[name]) % NANOS_PER_UNIT:
            shown = f'fractional byte value "{amounts[name]}" is invalid, must be an integer'
            yield f"{path}[{name}]: {shown}"


def _container(
    container: Object, place: str, path: str, notes: Mapping[str, str], security: Object
) -> Iterator[str]:
    own, name = part(container, "securityContext"), container.get("name", "")
    seccomp, app_armor = f"{_SECCOMP_OF_CONTAINER}{name}", f"{APP_ARMOR}{name}"
    if not own.get("seccompProfile") and seccomp in notes:
        yield f"{_annotation(path, seccomp)}: {_SECCOMP}"
    # Annotations of pods have their own warnings (`app_armor_warnings`).
    has_profile = own.get("appArmorProfile") or security.get("appArmorProfile")
    if path and not has_profile and app_armor in notes:
        yield f"{_annotation(path, app_armor)}: {_APP_ARMOR_OLD}"
    for name in _IN_BYTES:
        for field in ("limits", "requests"):
            amounts = part(container, "resources", field)
            yield from _fractions(amounts, f"{place}.resources.{field}", name)
    seen = set()
    for index, variable in enumerate(entries(container, "env")):
        variable_name, reference = variable.get("name", ""), f"$({variable.get('name', '')})"
        value = variable.get("value", "")
        if variable_name in seen and (
            variable.get("valueFrom") or value == reference or reference not in value
        ):
            hidden = f'hides previous definition of "{variable_name}"'
            yield f"{place}.env[{index}]: {hidden}, which may be dropped when using apply"
        seen.add(variable_name)


def _ports(spec: Object, where: str) -> Iterator[str]:
    ports = [
        (port, f"{place}.ports[{index}]")
        for container, place in _containers(spec, where)
        for index, port in enumerate(entries(container, "ports"))
    ]
    known: dict[tuple[Any, Any], list[tuple[Object, str]]] = {}
    for port, at in ports:
        if port.get("hostIP") and not port.get("hostPort"):
            # As Go prints a port.
            shown = (
                f"Name:{port.get('name', '')} HostPort:{port.get('hostPort', 0)} "
                f"ContainerPort:{port.get('containerPort', 0)} "
                f"Protocol:{port.get('protocol', '')} HostIP:{port['hostIP']}"
            )
            yield f"{at}: hostIP set without hostPort: {{{shown}}}"
        same = known.setdefault((port.get("containerPort"), port.get("protocol")), [])
        for other, there in same:
            if how := _overlap(port, other):
                yield f"{at}: {how} port definition with {there}"
        same.append((port, at))
    named: dict[str, str] = {}
    for port, at in ports:
        name = port.get("name")
        first = named.setdefault(name, at) if name else at
        if first != at:
            used = f"services and probes that select ports by name will use {first}"
            yield f'{at}: duplicate port name "{name}" with {first}, {used}'


def _overlap(port: Object, other: Object) -> str:
    (ip, host), (its_ip, its_host) = (
        (one.get("hostIP") or "", one.get("hostPort") or 0) for one in (port, other)
    )
    if (ip, host) == (its_ip, its_host):
        return "duplicate"
    if not host or not its_host:
        return "overlapping"
    return "dangerously ambiguous" if host == its_host and bool(ip) != bool(its_ip) else ""
