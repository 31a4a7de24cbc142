"""Read what commands about a cluster have in common: the state, the changes and the rules."""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count as numbers
from itertools import filterfalse, groupby
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from podium.api.codec.field_validation import FieldValidation
from podium.api.errors import PodiumError
from podium.api.objects import Object, annotations, labels, name
from podium.api.pod_limit import PodLimit
from podium.api.process.python_garbage_collection import collect_rarely
from podium.api.release import MAJOR, MINOR, PATCH
from podium.api.selectors.label_selector_text import parse_selector
from podium.api.selectors.labels import Selector, SelectorError
from podium.api.values.durations import duration_seconds
from podium.api.well_known import HELM_HOOK
from podium.cluster.manifests import File, Loaded, ManifestError, Manifests, Problem, read_sources
from podium.cluster.manifests.input_files import read_text
from podium.cluster.manifests.problems import describe
from podium.ui.inputs.configurations import read_kubelet_config, read_scheduler_config
from podium.ui.inputs.input_error import InputError
from podium.ui.inputs.option import Sources, several, text, texts
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
_RELEASE = "release"
_NAMED_CHART = re.compile(r"([a-z0-9]([-a-z0-9.]*[a-z0-9])?)=(.+)", re.DOTALL)
_SOURCES = ("apply", "kustomize", "helm")
_ADD_NODE = "add_node"
_CHANGES = (*_SOURCES, _ADD_NODE, *PARSERS)


class GivenChange(NamedTuple):
    """One value of an option that changes something, such as `apply` and a file."""

    option: str
    value: str | File

    @property
    def text(self) -> str:
        """The value as it is written; of an object its name in messages."""
        return self.value.name if isinstance(self.value, File) else self.value


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks for, read.

    Attributes:
        applied: the objects that are applied, with where they stand.
    """

    request: PlanRequest
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    applied: Sequence[Loaded] = ()

    def told_in(self, report: Reported) -> Reported:
        """A report on the request, with these warnings and notes before its own."""
        return replace(
            report,
            warnings=(*self.warnings, *report.warnings),
            notes=(*self.notes, *report.notes),
        )


def read_request(asked: Rules, state: State) -> Asked:
    """Read everything that a request consists of; raises as `request_on` does."""
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
    """Read the conditions of `--fail-on`, and those of a file; raises PodiumError."""
    return parse_gates(texts, file, [] if file is None else read_text(file).splitlines())


def request_on(asked: Rules, read: Callable[[], Manifests], sources: Sources = ()) -> Asked:
    """Read what is asked about a state; raises PodiumError.

    Args:
        read: reads the state.
        sources: what it reads the state from.
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
            until_s = duration_seconds(asked.until)
            if until_s is None or until_s <= 0:
                why = "must be a duration, such as 90s or 10m"
                raise InputError(f"--until {asked.until}: {why}")
    with errors:
        configuration = read_scheduler_config(text(asked.scheduler_config), texts(asked.plugin))
    with errors:
        kubelet = read_kubelet_config(text(asked.kubelet_config))
    with errors:
        before = read()
    state = LoadedState([loaded.obj for loaded in before.objects], before.read_s)
    found = _read_changes(changes, state.objects, errors)
    if kubelet is None or errors.found:
        raise InputError("\n".join(map(str, errors.found)))
    limit = PodLimit(asked.max_pods)
    problems = [
        Problem(one.source, describe(one.obj), str(fault))
        for one in (*before.objects, *found.applied)
        if (fault := limit.add(one.obj))
    ]
    if problems:
        raise ManifestError(problems)
    for one in found.changes:
        if isinstance(one, Scale):
            to = one.target
            fault = limit.resize(to.kind, to.namespace, to.name, one.replicas, f"--scale {to}")
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
    """Catches the error of each `with` block, so that those of all inputs are printed at once."""

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
    """The changes that are read so far, with what is said of them."""

    changes: list[Change] = field(default_factory=list)
    applied: list[Loaded] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def _read_changes(asked: Changes, state: Iterable[Object], errors: _ErrorCollector) -> _ReadChanges:
    """Read the changes in the order in which their options stood."""
    found = _ReadChanges()
    for option, values in (("--values", asked.values), ("--set", asked.set_values)):
        if texts(values) and not texts(asked.helm):
            errors.found.append(InputError(f"{option} needs --helm"))
            return found
    if asked.selector and not any(getattr(asked, source) for source in _SOURCES):
        errors.found.append(InputError("--selector needs --apply, --kustomize or --helm"))
        return found
    nodes = {name(one): one for one in state if one.get("kind") == "Node"}
    every: dict[str, list[str | File]] = {
        option: files_of(asked.apply) if option == "apply" else [*texts(getattr(asked, option))]
        for option in _CHANGES
    }
    order = asked.order or [option for option in _CHANGES for _ in every[option]]
    left = {option: iter(each) for option, each in every.items()}
    given = [GivenChange(option, next(left[option])) for option in order if option in left]
    for is_source, group in groupby(given, key=lambda one: one.option in _SOURCES):
        # Neighbours among the sources are applied as one, as by one call of kubectl.
        for steps in [[*group]] if is_source else [[one] for one in group]:
            with errors:
                first = steps[0]
                if is_source:
                    _apply(asked, steps, found)
                elif first.option == _ADD_NODE:
                    found.changes.append(
                        Apply(_new_nodes(first.text, nodes, FieldValidation(asked.validate)))
                    )
                else:
                    found.changes.append(PARSERS[first.option](first.text, asked.namespace))
    return found


def _apply(asked: Changes, steps: Sequence[GivenChange], found: _ReadChanges) -> None:
    """Apply the manifests of neighbouring sources, without what Helm runs as hooks."""
    rendering: dict[str, Callable[[str], File]] = {
        "kustomize": _kustomized,
        "helm": partial(_charted, asked),
    }
    sources = [
        rendering[one.option](one.text) if one.option in rendering else one.value for one in steps
    ]
    read = read_sources(
        sources,
        sys.stdin.buffer,
        namespace=asked.namespace,
        validation=FieldValidation(asked.validate),
        is_applied=True,
    )
    if read.empty and not asked.allow_empty:
        why = "nothing to apply is in it; --allow-empty lets that pass"
        names = (
            one if one.startswith("-") and one != "-" else f"--apply {one}" for one in read.empty
        )
        raise InputError("\n".join(f"{one}: {why}" for one in names))
    # kubectl knows no hooks: what isn't rendered here is applied like anything else.
    rendered = {
        one.name
        for given, one in zip(steps, sources, strict=True)
        if given.option == "helm" and isinstance(one, File)
    }

    def is_hook(one: Loaded) -> bool:
        return one.source.file in rendered and HELM_HOOK in annotations(one.obj)

    selector = read_selector(asked.selector)
    selected = [one for one in read.objects if selector.matches(labels(one.obj))]
    if read.objects and not selected and not asked.allow_empty:
        raise InputError(f"--selector {asked.selector}: no manifest to apply has such labels")
    hooks, kept = [*filter(is_hook, selected)], [*filterfalse(is_hook, selected)]
    if kept:
        found.changes.append(Apply(tuple(one.obj for one in kept)))
    found.applied += kept
    found.warnings += read.warnings
    found.notes += read.notes
    if hooks:
        names = (f"{describe(one.obj)} ({annotations(one.obj)[HELM_HOOK]})" for one in hooks)
        found.notes.append(f"left out, as Helm runs them as hooks: {', '.join(names)}")


def _kustomized(directory: str) -> File:
    if shutil.which("kustomize"):
        command = ["kustomize", "build", "--", directory]
    elif shutil.which("kubectl"):
        command = ["kubectl", "kustomize", "--", directory]
    else:
        raise InputError(f"-k {directory}: takes kustomize or kubectl, and neither is installed")
    return _output(f"-k {directory}", command)


def _charted(asked: Changes, text: str) -> File:
    """What a Helm chart comes to that is installed in a cluster of the version that is played.

    Args:
        text: `CHART` or `RELEASE=CHART`.

    Raises:
        InputError: helm isn't there, or fails.
    """
    if not shutil.which("helm"):
        raise InputError(f"--helm {text}: takes helm, which isn't installed")
    named = _NAMED_CHART.fullmatch(text)
    release, chart = (named[1], named[3]) if named else (_RELEASE, text)
    # helm tells neither of the definitions nor of the version that `helm install` would find.
    as_installed = ["--include-crds", "--kube-version", f"{MAJOR}.{MINOR}.{PATCH}"]
    given = [part for one in texts(asked.values) for part in ("--values", one)]
    given += [part for one in texts(asked.set_values) for part in ("--set", one)]
    where = ["--namespace", asked.namespace]
    command = ["helm", "template", *where, *as_installed, *given, "--", release, chart]
    return _output(f"--helm {text}", command)


def _output(name: str, command: Sequence[str]) -> File:
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    except OSError as error:
        raise InputError(f"{name}: {command[0]} can't be run: {error.strerror}") from None
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines()[-_LINES_MAX:]
        why = "; ".join(lines) or f"exit code {done.returncode}"
        raise InputError(f"{name}: {command[0]} fails: {why}")
    return File(name, done.stdout)


def _new_nodes(
    text: str, nodes: dict[str, Object], validation: FieldValidation
) -> tuple[Object, ...]:
    """The nodes that are added; they are there from now on."""
    # Imported when it is called, so that help, completion and the library start at once.
    from podium.scheduler.explain.extra_nodes import node_like

    what, star, number = text.rpartition("*")
    what, count = (what, number) if star else (text, "1")
    if not count.isascii() or not count.isdigit() or not 1 <= int(count[:6]) <= _COPIES_MAX:
        rule = f"must be FILE or NODE, with *COUNT from 1 to {_COPIES_MAX}"
        raise InputError(f"--add-node {text}: {rule}")
    called = what.removeprefix("node/")
    if called in nodes:
        likes, is_copied = [nodes[called]], True
    else:
        likes, is_copied = _nodes_of_file(what, validation), int(count) > 1
    made = []
    for like in likes:
        if not is_copied and name(like) in nodes:
            raise InputError(f"--add-node {text}: the state has a Node {name(like)} already")
        for _ in range(int(count)):
            unused = (one for n in numbers(1) if (one := f"{name(like)}-{n}") not in nodes)
            new = node_like(like, next(unused)) if is_copied else like
            nodes[name(new)] = new
            made.append(new)
    return tuple(made)


def _nodes_of_file(path: str, validation: FieldValidation) -> list[Object]:
    read = read_sources([path], validation=validation, is_applied=True)
    others = [describe(one.obj) for one in read.objects if one.obj["kind"] != "Node"]
    if others or not read.objects:
        what = f"has {', '.join(others)}" if others else "has none"
        raise InputError(f"--add-node {path}: must be a file of nodes, but {what}")
    return [one.obj for one in read.objects]
