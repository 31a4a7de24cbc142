"""Namespaces and services: objects that group others."""

from podium.apiserver.validation.checks import fields, one_of, text
from podium.apiserver.validation.metadata import object_meta
from podium.apiserver.validation.names import dns_label, label_map

namespace = fields(
    metadata=object_meta(dns_label),
    status=fields(phase=one_of("Active", "Terminating")),
)
"""A Namespace."""

service = fields(
    metadata=object_meta(dns_label),
    spec=fields(selector=label_map, type=text),
)
"""A Service, as far as it groups pods."""
