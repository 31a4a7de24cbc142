"""What is filled into secrets, and into endpoints."""

from base64 import b64encode

from podium.api.objects import Object
from podium.apiserver.defaulting.copying import each, filled, inside

OPAQUE = "Opaque"


def secret(secret: Object) -> Object:
    """A Secret: what is written as plain text becomes data like the rest."""
    secret = filled(secret, type=OPAQUE)
    plain = secret.get("stringData")
    if plain is None:
        return secret
    encoded = {key: b64encode(str(value).encode()).decode() for key, value in plain.items()}
    rest = {name: value for name, value in secret.items() if name != "stringData"}
    return {**rest, "data": {**(rest.get("data") or {}), **encoded}} if encoded else rest


def endpoints(endpoints: Object) -> Object:
    """Endpoints."""
    return inside(endpoints, subsets=each(lambda subset: inside(subset, ports=each(_port))))


def endpoint_slice(endpoint_slice: Object) -> Object:
    """An EndpointSlice."""
    return inside(endpoint_slice, ports=each(_slice_port))


def _port(port: Object) -> Object:
    return filled(port, protocol="TCP")


def _slice_port(port: Object) -> Object:
    return filled(port, name="", protocol="TCP")
