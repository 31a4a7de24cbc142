"""The inputs of questions about a cluster: its state, the changes to it, and the rules."""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import count as numbers
from itertools import filterfalse, groupby
from typing import TYPE_CHECKING, TypeVar

from podium.api.codec.field_validation import FieldValidation
from podium.api.errors import PodiumError
from podium.api.objects import Object, annotations, labels, name
from podium.api.pod_limit import PodLimit
from podium.api.process.python_garbage_collection import collect_rarely
from podium.api.release import MAJOR, MINOR, PATCH
from podium.api.selectors.labels import Selector, SelectorError, parse_selector
from podium.api.well_known import HELM_HOOK
from podium.cluster.manifests.input_files import read_text
from podium.cluster.manifests.manifest_objects import Loaded
from podium.cluster.manifests.manifest_sources import File, Manifests, read_sources
from podium.cluster.manifests.problems import ManifestError, Problem, describe
from podium.ui.inputs.configurations import read_kubelet_config, read_scheduler_config
from podium.ui.inputs.input_error import InputError
from podium.ui.inputs.option import Sources, seconds_of, several, texts
from podium.ui.inputs.request_options import Changes, Rules, State
from podium.ui.inputs.state_inputs import files_of, read_state
from podium.whatif.plan.changes import PARSERS, Apply, Change, Scale
from podium.whatif.plan.fail_on import Gate, parse_gates
from podium.whatif.plan.request import LoadedState, PlanRequest
from podium.whatif.plan.resource_pressure import Pressure, parse_pressure

if TYPE_CHECKING:
    from podium.kubelet.kubelet_config import KubeletConfiguration
    from podium.scheduler.config.load import Loaded as LoadedConfiguration
    from podium.whatif.capacity.capacity_report import Capacity, CheapestNodes
    from podium.whatif.explain.explanation import PodExplanation
    from podium.whatif.plan.plan_report import Plan
    from podium.whatif.rollout_order.rollout_report import RolloutAdvice

Reported = TypeVar(
    "Reported", "Plan", "PodExplanation", "Capacity", "CheapestNodes", "RolloutAdvice"
)

_COPIES_MAX = 10_000
_LINES_MAX = 10
_NAMED_CHART = re.compile(r"([a-z0-9]([-a-z0-9.]*[a-z0-9])?)=(.+)", re.DOTALL)
_SOURCES = ("apply", "kustomize", "helm")
_ADD_NODE = "add_node"
_CHANGES = (*_SOURCES, _ADD_NODE, *PARSERS)


@dataclass(frozen=True, slots=True)
class Asked:
    """The inputs of a question, after reading and validation."""

    request: PlanRequest
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    applied: Sequence[Loaded] = ()

    def noted_in(self, report: Reported) -> Reported:
        """Return a report with the inputs' warnings and notes put before its own."""
        return replace(
            report, warnings=(*self.warnings, *report.warnings), notes=(*self.notes, *report.notes)
        )


def read_request(asked: Rules, state: State) -> Asked:
    """Read the state, the changes and the rules of a question; raises PodiumError."""
    ignores = asked.validate == FieldValidation.IGNORE
    validation = FieldValidation.IGNORE if ignores else FieldValidation.WARN
    read = request_on(
        asked, lambda: read_state(state, asked.namespace, validation=validation), state.state
    )
    collect_rarely()
    return read


def read_selector(text: str) -> Selector:
    """Read the label selector of `--selector`; raises InputError."""
    try:
        return parse_selector(text)
    except SelectorError as error:
        raise InputError(f"--selector {text}: {error}") from None


def read_gates(texts: Sequence[str], file: str | None) -> list[Gate]:
    """Read conditions of `--fail-on`, and further ones of a file; raises PodiumError."""
    return parse_gates(texts, file, [] if file is None else read_text(file).splitlines())


def request_on(asked: Rules, read: Callable[[], Manifests], sources: Sources = ()) -> Asked:
    """Read the changes and rules of a question about a state; raises PodiumError.

    `read` returns the objects of the state, from `sources`; standard input is read only once.
    """
    changes = asked if isinstance(asked, Changes) else Changes(namespace=asked.namespace)
    files = [*several(sources), *several(changes.apply)]
    if [*files, asked.scheduler_config, asked.kubelet_config].count("-") > 1:
        raise InputError("standard input (-) can be read only once")
    errors = _ErrorCollector()
    pressures, until_s, before = list[Pressure](), None, Manifests()
    configuration: LoadedConfiguration | None = None
    kubelet: KubeletConfiguration | None = None
    with errors:
        pressures = [*map(parse_pressure, texts(changes.pressure))]
    with errors:
        if asked.until is not None:
            until_s = seconds_of("--until", asked.until)
    with errors:
        configuration = read_scheduler_config(asked.scheduler_config, asked.plugin)
    with errors:
        kubelet = read_kubelet_config(asked.kubelet_config)
    with errors:
        before = read()
    state = LoadedState([loaded.obj for loaded in before.objects], before.read_s)
    found = _read_changes(changes, state.objects, errors)
    if kubelet is None or errors.found:
        raise InputError("\n".join(map(str, errors.found)))
    limit = PodLimit(asked.max_pods)
    problems = [
        Problem(obj.source, describe(obj.obj), str(fault))
        for obj in (*before.objects, *found.applied)
        if (fault := limit.add(obj.obj))
    ]
    if problems:
        raise ManifestError(problems)
    for change in found.changes:
        if isinstance(change, Scale):
            to = change.target
            fault = limit.resize(to.kind, to.namespace, to.name, change.replicas, f"--scale {to}")
            if fault:
                raise InputError(str(fault))
    request = PlanRequest(
        state=state,
        changes=found.changes,
        pressures=pressures,
        eviction=kubelet.eviction,
        configuration=configuration,
        until_s=until_s,
        repairs=asked.repair,
        heals=asked.assume_healthy,
        is_whole=before.is_whole,
    )
    return Asked(
        request,
        warnings=(*before.warnings, *found.warnings),
        notes=(*before.notes, *found.notes),
        applied=found.applied,
    )


class _ErrorCollector:
    """Collects the errors of several `with` blocks, so that all faulty inputs are reported."""

    def __init__(self) -> None:
        self.found: list[PodiumError] = []

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> bool:
        if not isinstance(error, PodiumError):
            return False
        self.found.append(error)
        return True


@dataclass(slots=True)
class _ReadChanges:
    """The changes that have been read, with their warnings and notes."""

    changes: list[Change] = field(default_factory=list)
    applied: list[Loaded] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def _read_changes(asked: Changes, state: Iterable[Object], errors: _ErrorCollector) -> _ReadChanges:
    """Read the changes of a question, in the order in which their options were given."""
    read = _ReadChanges()
    for option, values in (("--values", asked.values), ("--set", asked.set_values)):
        if texts(values) and not texts(asked.helm):
            errors.found.append(InputError(f"{option} needs --helm"))
            return read
    if asked.selector and not any(getattr(asked, source) for source in _SOURCES):
        errors.found.append(InputError("--selector needs --apply, --kustomize or --helm"))
        return read
    objects = [*state]
    nodes = {name(obj): obj for obj in objects if obj.get("kind") == "Node"}
    slices = [obj for obj in objects if obj.get("kind") == "ResourceSlice"]
    values_of: dict[str, list[str | File]] = {
        option: files_of(asked.apply) if option == "apply" else [*texts(getattr(asked, option))]
        for option in _CHANGES
    }
    order = asked.order or [option for option in _CHANGES for _ in values_of[option]]
    left = {option: iter(values) for option, values in values_of.items()}
    given = [(option, next(left[option])) for option in order if option in left]
    for is_source, group in groupby(given, key=lambda one: one[0] in _SOURCES):
        # Sources in a row are applied together, as by one call of kubectl.
        for steps in [[*group]] if is_source else [[one] for one in group]:
            with errors:
                option, value = steps[0]
                if is_source:
                    _apply(asked, steps, read)
                elif option == _ADD_NODE:
                    validation = FieldValidation(asked.validate)
                    read.changes.append(Apply(_new_nodes(str(value), nodes, slices, validation)))
                else:
                    read.changes.append(PARSERS[option](str(value), asked.namespace))
    return read


def _apply(asked: Changes, steps: Sequence[tuple[str, str | File]], changes: _ReadChanges) -> None:
    """Add changes that apply the manifests of some sources, without Helm hooks."""
    sources = [
        value if option == "apply" else _rendered(option, str(value), asked)
        for option, value in steps
    ]
    read = read_sources(
        sources,
        sys.stdin.buffer,
        namespace=asked.namespace,
        validation=FieldValidation(asked.validate),
        is_applied=True,
    )
    if read.empty and not asked.allow_empty:
        why = "there is nothing to apply in it; --allow-empty accepts that"
        names = (
            one if one.startswith("-") and one != "-" else f"--apply {one}" for one in read.empty
        )
        raise InputError("\n".join(f"{one}: {why}" for one in names))
    selector = read_selector(asked.selector)
    selected = [obj for obj in read.objects if selector.matches(labels(obj.obj))]
    if read.objects and not selected and not asked.allow_empty:
        raise InputError(f"--selector {asked.selector}: no manifest to apply has such labels")
    # kubectl doesn't know hooks: charts that were rendered elsewhere are applied as they are.
    charts = {
        source.name
        for (option, _), source in zip(steps, sources, strict=True)
        if option == "helm" and isinstance(source, File)
    }

    def is_hook(one: Loaded) -> bool:
        return one.source.file in charts and HELM_HOOK in annotations(one.obj)

    hooks, kept = [*filter(is_hook, selected)], [*filterfalse(is_hook, selected)]
    if kept:
        changes.changes.append(Apply(tuple(one.obj for one in kept)))
    changes.applied += kept
    changes.warnings += read.warnings
    changes.notes += read.notes
    if hooks:
        names = (f"{describe(hook.obj)} ({annotations(hook.obj)[HELM_HOOK]})" for hook in hooks)
        changes.notes.append(f"Helm runs these as hooks, so they are left out: {', '.join(names)}")


def _rendered(option: str, value: str, asked: Changes) -> File:
    """Render a kustomization, or a Helm chart (`CHART` or `RELEASE=CHART`); raises InputError."""
    flag = "-k" if option == "kustomize" else "--helm"
    if option == "kustomize" and shutil.which("kustomize"):
        command = ["kustomize", "build", "--", value]
    elif option == "kustomize" and shutil.which("kubectl"):
        command = ["kubectl", "kustomize", "--", value]
    elif option == "helm" and shutil.which("helm"):
        named = _NAMED_CHART.fullmatch(value)
        release, chart = (named[1], named[3]) if named else ("release", value)
        # `helm template` leaves out definitions, and assumes a version of its own, by default.
        as_installed = ["--include-crds", "--kube-version", f"{MAJOR}.{MINOR}.{PATCH}"]
        given = [part for text in texts(asked.values) for part in ("--values", text)]
        given += [part for text in texts(asked.set_values) for part in ("--set", text)]
        where = ["--namespace", asked.namespace]
        command = ["helm", "template", *where, *as_installed, *given, "--", release, chart]
    else:
        needed = "helm, which isn't" if option == "helm" else "kustomize or kubectl, neither is"
        raise InputError(f"{flag} {value}: needs {needed} installed")
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    except OSError as error:
        why = f"{command[0]} can't be run: {error.strerror}"
        raise InputError(f"{flag} {value}: {why}") from None
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines()[-_LINES_MAX:]
        why = "; ".join(lines) or f"exit code {done.returncode}"
        raise InputError(f"{flag} {value}: {command[0]} fails: {why}")
    return File(f"{flag} {value}", done.stdout)


def _new_nodes(
    text: str, nodes: dict[str, Object], slices: Sequence[Object], validation: FieldValidation
) -> tuple[Object, ...]:
    """Make the nodes of `FILE`, or copies of a node by `NODE[*COUNT]`, and add them to `nodes`.

    A copy has devices such as those that only the node has in `slices`.
    """
    # Imported when it is called, so that help, completion and the library start at once.
    from podium.scheduler.explain.extra_nodes import node_like, slices_like

    what, star, number = text.rpartition("*")
    what, count = (what, number) if star else (text, "1")
    if not count.isascii() or not count.isdigit() or not 1 <= int(count[:6]) <= _COPIES_MAX:
        rule = f"must be FILE or NODE, with *COUNT from 1 to {_COPIES_MAX}"
        raise InputError(f"--add-node {text}: {rule}")
    node = nodes.get(what.removeprefix("node/"))
    templates, is_copied = [node] if node else [], True
    if node is None:
        read = read_sources([what], validation=validation, is_applied=True)
        others = [describe(obj.obj) for obj in read.objects if obj.obj["kind"] != "Node"]
        if others or not read.objects:
            why = f"has {', '.join(others)}" if others else "has none"
            raise InputError(f"--add-node {what}: must be a file of nodes, but {why}")
        templates, is_copied = [obj.obj for obj in read.objects], int(count) > 1
    added = []
    for template in templates:
        if not is_copied and name(template) in nodes:
            raise InputError(f"--add-node {text}: the state has a Node {name(template)} already")
        for _ in range(int(count)):
            unused = (one for n in numbers(1) if (one := f"{name(template)}-{n}") not in nodes)
            new = node_like(template, next(unused)) if is_copied else template
            nodes[name(new)] = new
            added.append(new)
            if is_copied:
                added += slices_like(slices, name(template), name(new))
    return tuple(added)
