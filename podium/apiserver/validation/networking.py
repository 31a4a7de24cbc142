"""Ways into the cluster and within it; nobody opens or closes them, so that little is checked."""

from typing import Any

from podium.api.errors import FieldError
from podium.apiserver.validation.checks import (
    Faults,
    both,
    each,
    fields,
    integer,
    join,
    needed,
    one_of,
    some_text,
    text,
)
from podium.apiserver.validation.metadata import object_meta
from podium.apiserver.validation.names import strings
from podium.apiserver.validation.selectors import label_selector

_PORT_MIN, _PORT_MAX = 1, 65_535
_PATH_TYPES = ("Exact", "ImplementationSpecific", "Prefix")


def _leads_somewhere(spec: Any, path: str) -> Faults:
    if not spec.get("rules") and spec.get("defaultBackend") is None:
        yield FieldError(path, spec, "either `defaultBackend` or `rules` must be specified")


def _rooted(rule: Any, path: str) -> Faults:
    where, kind = rule.get("path") or "", rule.get("pathType")
    if kind in ("Exact", "Prefix") and not where.startswith("/"):
        yield FieldError(join(path, "path"), where, "must be an absolute path")


_backend = fields(
    service=fields(
        name=needed(some_text),
        port=fields(name=text, number=integer(0, _PORT_MAX)),
    )
)
_path = both(
    fields(pathType=needed(one_of(*_PATH_TYPES)), backend=needed(_backend)),
    fields(_rooted),
)

ingress = fields(
    metadata=object_meta(),
    spec=needed(
        fields(
            _leads_somewhere,
            defaultBackend=_backend,
            rules=each(fields(host=text, http=fields(paths=needed(each(_path))))),
            tls=each(fields(hosts=strings, secretName=text)),
        )
    ),
)
"""An Ingress."""

ingress_class = fields(
    metadata=object_meta(),
    spec=fields(controller=text, parameters=fields(kind=needed(some_text), name=needed(some_text))),
)
"""An IngressClass."""

_peer = fields(podSelector=label_selector, namespaceSelector=label_selector)
_port = fields(
    protocol=one_of("SCTP", "TCP", "UDP"),
    endPort=integer(_PORT_MIN, _PORT_MAX),
)

network_policy = fields(
    metadata=object_meta(),
    spec=fields(
        podSelector=label_selector,
        ingress=each(fields(ports=each(_port), **{"from": each(_peer)})),
        egress=each(fields(ports=each(_port), to=each(_peer))),
        policyTypes=each(one_of("Egress", "Ingress")),
    ),
)
"""A NetworkPolicy."""
