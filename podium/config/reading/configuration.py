"""The top of a `KubeSchedulerConfiguration`.

The rules are those of `ValidateKubeSchedulerConfiguration` and
`SetDefaults_KubeSchedulerConfiguration`, v1.36.
"""

from collections.abc import Collection, Mapping, Sequence

from podium.api.errors import ErrorKind, FieldError
from podium.config.reading.fields import Fields, Findings
from podium.config.reading.profiles import read_percentage, read_profiles
from podium.config.types import SchedulerConfiguration

_CLIENT = ("kubeconfig", "acceptContentTypes", "contentType", "qps", "burst")
_LEADER_ELECTION = (
    "leaderElect",
    "leaseDuration",
    "renewDeadline",
    "retryPeriod",
    "resourceLock",
    "resourceName",
    "resourceNamespace",
)
# Sections about the process that runs kube-scheduler, not about its decisions.
_IGNORED_OBJECTS: Mapping[str, Sequence[str]] = {
    "leaderElection": _LEADER_ELECTION,
    "clientConnection": _CLIENT,
}
_IGNORED_SWITCHES = ("enableProfiling", "enableContentionProfiling", "delayCacheUntilActive")

_NO_EXTENDERS = (
    "Podium calls no extenders; write a plugin (see docs/plugins.md) and enable it in a profile "
    "instead"
)

_FIELDS = (
    "apiVersion",
    "kind",
    "parallelism",
    "percentageOfNodesToScore",
    "podInitialBackoffSeconds",
    "podMaxBackoffSeconds",
    "profiles",
    "extenders",
    *_IGNORED_OBJECTS,
    *_IGNORED_SWITCHES,
)


def read_configuration(
    raw: Mapping[str, object], known_plugins: Collection[str], findings: Findings
) -> SchedulerConfiguration:
    """A document of the right apiVersion and kind; what is wrong with it goes to `findings`.

    Args:
        raw: the document; empty for the default configuration.
        known_plugins: all that can be enabled.
        findings: takes faults and notes.
    """
    fields = Fields(raw, "", findings, _FIELDS)
    _note_ignored(fields)
    if fields.each("extenders", known=None):
        fields.fault("extenders", _NO_EXTENDERS, ErrorKind.FORBIDDEN)
    percentage = read_percentage(fields)
    initial, longest = _backoffs(fields)
    return SchedulerConfiguration(
        profiles=read_profiles(fields, known_plugins, percentage),
        percentage_of_nodes_to_score=percentage,
        pod_initial_backoff_seconds=initial,
        pod_max_backoff_seconds=longest,
        parallelism=_parallelism(fields),
    )


def _note_ignored(fields: Fields) -> None:
    for name, known in _IGNORED_OBJECTS.items():
        fields.nested(name, known)
    for name in _IGNORED_SWITCHES:
        fields.boolean(name)
    fields.findings.notes += [
        f"{name} is ignored: it doesn't change decisions"
        for name in (*_IGNORED_OBJECTS, *_IGNORED_SWITCHES, "parallelism")
        if fields.has(name)
    ]


def _backoffs(fields: Fields) -> tuple[int, int]:
    initial = fields.integer("podInitialBackoffSeconds", 1, bits=64)
    longest = fields.integer("podMaxBackoffSeconds", 10, bits=64)
    if initial <= 0:
        fields.fault("podInitialBackoffSeconds", "must be at least 1")
    if longest < initial:
        message = f"must be at least podInitialBackoffSeconds, {initial}"
        fault = FieldError(fields.at("podMaxBackoffSeconds"), longest, message)
        fields.findings.faults.append(fault)
    return initial, longest


def _parallelism(fields: Fields) -> int:
    parallelism = fields.integer("parallelism", 16)
    if parallelism <= 0:
        fields.fault("parallelism", "must be at least 1")
    return parallelism
