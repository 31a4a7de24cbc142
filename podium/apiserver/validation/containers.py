"""Containers, as far as scheduling, eviction and accounting look at them."""

from typing import Any

from podium.api.errors import FieldError
from podium.apiserver.validation.checks import (
    Faults,
    dicts,
    duplicate,
    each,
    fields,
    integer,
    join,
    needed,
    one_of,
    text,
)
from podium.apiserver.validation.names import dns_label
from podium.apiserver.validation.resources import container_resources

_port_number = integer(1, 65535)


def _host_port(value: object, path: str) -> Faults:
    # Zero is how clients written in Go spell an absent port.
    return iter(()) if value == 0 and value is not False else _port_number(value, path)


_port = fields(
    name=text,
    containerPort=needed(_port_number),
    hostPort=_host_port,
    hostIP=text,
    protocol=one_of("TCP", "UDP", "SCTP", empty=True),
)

container = fields(
    name=needed(dns_label),
    image=text,
    ports=each(_port),
    resources=container_resources,
    restartPolicy=one_of("Always", "OnFailure", "Never"),
)
containers = each(container)


def unique_names(spec: Any, path: str) -> Faults:
    """No two containers of a pod spec, init containers included, have the same name."""
    seen = set()
    for name in ("initContainers", "containers"):
        for index, one in dicts(spec.get(name)):
            if isinstance(called := one.get("name"), str) and called:
                if called in seen:
                    yield duplicate(f"{join(path, name)}[{index}].name", called)
                seen.add(called)


def unique_host_ports(spec: Any, path: str) -> Faults:
    """No two containers of a pod spec want the same port of the node."""
    seen = set()
    for index, one in dicts(spec.get("containers")):
        for number, port in dicts(one.get("ports")):
            if host_port := port.get("hostPort"):
                protocol, address = port.get("protocol") or "TCP", port.get("hostIP") or ""
                wanted = f"{protocol}/{address}/{host_port}"
                if wanted in seen:
                    where = f"{join(path, 'containers')}[{index}].ports[{number}].hostPort"
                    yield duplicate(where, wanted)
                seen.add(wanted)


def host_network_ports(spec: Any, path: str) -> Faults:
    """In the node's network a port has one number inside and outside."""
    if spec.get("hostNetwork") is not True:
        return
    for name in ("initContainers", "containers"):
        for index, one in dicts(spec.get(name)):
            for number, port in dicts(one.get("ports")):
                outside, inside = port.get("hostPort"), port.get("containerPort")
                if outside and outside != inside:
                    where = f"{join(path, name)}[{index}].ports[{number}].containerPort"
                    message = "must match `hostPort` when `hostNetwork` is true"
                    yield FieldError(where, inside, message)
