"""What every question about a cluster may be asked with: its state, changes and rules.

The options of commands and the library's words are made of these fields.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, NamedTuple, TypeVar

from podium.api.codec.field_validation import FieldValidation
from podium.api.pod_limit import MAX_PODS
from podium.ui.inputs.option import option


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceOptions:
    """Where the state of a question is, and how manifests are read."""

    state: list[str] | None = option(
        "The state of the cluster, instead of a running one; may be given several times.",
        flags=("--filename", "-f"),
        metavar="FILE|DIR|-",
    )
    kubeconfig: str | None = option(
        "Where the running cluster is; the one that kubectl goes to unless given. Needs "
        "podium[client].",
        metavar="FILE",
    )
    context: str | None = option(
        "Of the kubeconfig; its current one unless given.", metavar="NAME", completes="contexts"
    )
    namespace: str = option(
        "Where objects are that don't say; that of the context, or default.",
        flags=("--namespace", "-n"),
        metavar="NAMESPACE",
        completes="namespaces",
        default="",
    )
    validate: FieldValidation = option(
        "What becomes of unknown or repeated fields in what is applied; of a state's they "
        "are warnings.",
        default=FieldValidation.STRICT,
    )


class GivenChange(NamedTuple):
    """One value of an option that changes something, such as `apply` and a file."""

    option: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeOptions:
    """What a question changes.

    Attributes:
        order: the options as they stood, each as often as it was given.
    """

    apply: list[str] | None = option(
        "Manifests to apply to the state. All changes are made in the order given.",
        metavar="FILE|DIR|-",
    )
    kustomize: list[str] | None = option(
        "A Kustomization to apply; takes kustomize or kubectl.",
        flags=("--kustomize", "-k"),
        metavar="DIR",
    )
    helm: list[str] | None = option(
        "A chart to apply, as a release of that name; takes helm.", metavar="[RELEASE=]CHART"
    )
    values: list[str] | None = option("Values for --helm.", metavar="FILE")
    set_values: list[str] | None = option(
        "A value for --helm, as helm takes it.", flags=("--set",), metavar="KEY=VALUE"
    )
    delete: list[str] | None = option(
        "An object to delete, with all that it controls. A pod has its grace period, but "
        "with :force.",
        metavar="[NAMESPACE/]KIND/NAME[:force]",
    )
    add_node: list[str] | None = option(
        "Nodes to add: those of a file, or such as one that is there; web-1*3 are three.",
        metavar="FILE|NODE[*COUNT]",
        completes="nodes",
    )
    delete_node: list[str] | None = option("A node to delete.", metavar="NODE", completes="nodes")
    cordon: list[str] | None = option(
        "A node that takes no more pods.", metavar="NODE", completes="nodes"
    )
    uncordon: list[str] | None = option(
        "A node that takes pods again.", metavar="NODE", completes="nodes"
    )
    drain: list[str] | None = option(
        "A node to drain; what comes next waits for that. With :force also of pods that "
        "nobody recreates.",
        metavar="NODE[:force]",
        completes="nodes",
    )
    scale: list[str] | None = option(
        "A workload to scale, such as deploy/web=10.", metavar="KIND/NAME=REPLICAS"
    )
    restart: list[str] | None = option("A workload whose pods to replace.", metavar="KIND/NAME")
    pressure: list[str] | None = option(
        "What is left on a node, such as node-3:memory.available=50Mi.",
        metavar="NODE:SIGNAL=AMOUNT",
        completes="nodes",
    )
    allow_empty: bool = option("What is applied may have nothing in it.", default=False)
    order: tuple[str, ...] = ()

    def in_order(self, names: Iterable[str]) -> Iterator[GivenChange]:
        """Yield the values of the options of these names, in the order in which they stood."""
        values = {name: iter(getattr(self, name) or ()) for name in names}
        return (GivenChange(one, next(values[one])) for one in self.order if one in values)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleOptions:
    """By which rules a question is played, whatever it changes."""

    scheduler_config: str | None = option(
        "A KubeSchedulerConfiguration (v1); without it, the default profile decides.",
        metavar="FILE",
    )
    plugin: list[str] | None = option(
        "A plugin to enable, from a Python file; may be given several times.", metavar="FILE:CLASS"
    )
    kubelet_config: str | None = option(
        "A KubeletConfiguration (v1beta1), for the eviction thresholds of nodes.", metavar="FILE"
    )
    until: str | None = option(
        "For how long to play what happens. [default: 10m, and to the end of the rollouts]",
        metavar="DURATION",
    )
    max_pods: int = option(
        "How many new pods workloads may ask for; more is taken for a mistake.",
        metavar="N",
        min=0,
        default=MAX_PODS,
    )
    repair: bool = option("Have controllers make up for what the state lacks, too.", default=False)
    assume_healthy: bool = option(
        "Have pods of the state that aren't ready, crash loops included, and nodes that "
        "aren't Ready become so at the start; otherwise they stay as they are.",
        default=False,
    )


_Options = TypeVar("_Options", ChangeOptions, SourceOptions, RuleOptions)


def filled(kind: type[_Options], given: Mapping[str, Any]) -> _Options:
    """Options of one kind, with their values among those of all kinds; defaults for the rest."""
    return kind(**{one.name: given[one.name] for one in fields(kind) if one.name in given})
