"""The ports of containers, and those of the node that they want."""

from collections.abc import Callable
from typing import Any

from podium.api.errors import ErrorKind, FieldError
from podium.apiserver.validation import checks
from podium.apiserver.validation.checks import Check, Faults, MinorFieldError, dicts, join
from podium.apiserver.validation.names import port_name

port_number = checks.integer(1, 65535)


def _port(*if_absent: Callable[[str], FieldError]) -> Check:
    def check(value: object, path: str) -> Faults:
        # Zero is how clients written in Go spell an absent port.
        is_absent = value == 0 and value is not False
        return (fault(path) for fault in if_absent) if is_absent else port_number(value, path)

    return check


def port_or_name(value: object, path: str) -> Faults:
    """A port by its number, or by what a container calls it."""
    return port_name(value, path) if isinstance(value, str) else port_number(value, path)


_name = checks.detail(checks.fields(name=checks.unless_empty(port_name)))
_numbers = checks.fields(
    containerPort=checks.absent_as(0, _port(checks.required)),
    hostPort=_port(),
    hostIP=checks.text,
    protocol=checks.choice("SCTP", "TCP", "UDP"),
)


@checks.of_list
def ports(value: Any, path: str) -> Faults:
    """The ports of a container, whose names differ."""
    names = set()
    for index, port in enumerate(value):
        where = f"{path}[{index}]"
        if isinstance(port, dict):
            faults = list(_name(port, where))
            yield from faults
            name = port.get("name")
            if name and not faults:
                if name in names:
                    yield MinorFieldError(join(where, "name"), name, "", ErrorKind.DUPLICATE)
                names.add(name)
        yield from _numbers(port, where)


def unique_host_ports(containers: object, path: str) -> Faults:
    """No two of the containers want the same port of the node."""
    seen = set()
    for index, one in dicts(containers):
        for number, port in dicts(one.get("ports")):
            if host_port := port.get("hostPort"):
                protocol, address = port.get("protocol") or "TCP", port.get("hostIP") or ""
                wanted = f"{protocol}/{address}/{host_port}"
                if wanted in seen:
                    yield checks.duplicate(f"{path}[{index}].ports[{number}].hostPort", wanted)
                seen.add(wanted)


def host_network_ports(spec: Any, path: str) -> Faults:
    """In the node's network a port has one number inside and outside."""
    if spec.get("hostNetwork") is not True:
        return
    for index, one in dicts(spec.get("containers")):
        for number, port in dicts(one.get("ports")):
            outside, inside = port.get("hostPort"), port.get("containerPort")
            if outside and outside != inside:
                where = f"{join(path, 'containers')}[{index}].ports[{number}].hostPort"
                message = "must match `containerPort` when `hostNetwork` is true"
                yield FieldError(where, outside, message)
