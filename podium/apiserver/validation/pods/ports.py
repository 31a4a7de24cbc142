"""Checks of the ports of containers."""

from collections.abc import Sequence
from typing import Any

from podium.api.errors import ErrorKind, FieldError
from podium.api.objects import Object, entries
from podium.apiserver.validation import checks
from podium.apiserver.validation.checks import Faults, MinorFieldError, join
from podium.apiserver.validation.names import port_name

port_number = checks.integer(1, 65535)


def port_or_name(value: int | str, path: str) -> Faults:
    """Check a port number, or the name of a container's port."""
    return port_name(value, path) if isinstance(value, str) else port_number(value, path)


_name = checks.detail(checks.fields(name=port_name))


_numbers = checks.fields(
    containerPort=checks.needed(port_number),
    hostPort=port_number,
    protocol=checks.one_of("SCTP", "TCP", "UDP"),
)


def ports(ports: Any, path: str) -> Faults:
    """Check the ports of a container, including that their names are unique."""
    names = set()
    for index, port in enumerate(ports):
        where, name = f"{path}[{index}]", port.get("name")
        faults = list(_name(port, where))
        yield from faults
        if name and not faults:
            if name in names:
                yield MinorFieldError(join(where, "name"), name, "", ErrorKind.DUPLICATE)
            names.add(name)
        yield from _numbers(port, where)


def unique_host_ports(containers: Sequence[Object], path: str) -> Faults:
    """Check that no host port is used twice by the containers of a pod."""
    seen = set()
    for index, container in enumerate(containers):
        for number, port in enumerate(entries(container, "ports")):
            if host_port := port.get("hostPort"):
                protocol, address = port.get("protocol") or "TCP", port.get("hostIP") or ""
                key = f"{protocol}/{address}/{host_port}"
                if key in seen:
                    yield checks.duplicate(f"{path}[{index}].ports[{number}].hostPort", key)
                seen.add(key)


def host_network_ports(spec: Any, path: str) -> Faults:
    """Check that container ports equal their host ports if the pod uses the host network."""
    for index, container in enumerate(
        entries(spec, "containers") if spec.get("hostNetwork") else ()
    ):
        for number, port in enumerate(entries(container, "ports")):
            outside, inside = port.get("hostPort"), port.get("containerPort")
            if outside and outside != inside:
                where = f"{join(path, 'containers')}[{index}].ports[{number}].hostPort"
                message = "must match `containerPort` when `hostNetwork` is true"
                yield FieldError(where, outside, message)
