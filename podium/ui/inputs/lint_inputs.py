"""The inputs of `podium lint`: objects, kubelet configuration, and lint configuration."""

from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from podium.api.documents.document import Document, InvalidDocumentError, read
from podium.api.errors import ErrorKind, FieldError
from podium.api.kinds.builtin_kinds import KINDS, Kind
from podium.api.kinds.snapshot_kinds import decisive_kind_of
from podium.api.objects import Object, place_of
from podium.apiserver.kinds.registration.registrations import decisive_faults
from podium.cluster.manifests.manifest_sources import Manifests
from podium.cluster.manifests.problems import ManifestError, Source
from podium.kubelet.kubelet_config import KIND as KUBELET_KIND
from podium.kubelet.kubelet_config import KubeletConfiguration
from podium.ui.inputs.configurations import only_document
from podium.ui.inputs.input_error import InputError
from podium.ui.inputs.option import several
from podium.ui.inputs.request_options import State
from podium.ui.inputs.state_inputs import read_state
from podium.whatif.lint.cluster_view import ClusterView
from podium.whatif.lint.lint_report import LintReport
from podium.whatif.lint.linter import FILE, KIND, NOWHERE, LintConfiguration, lint

T = TypeVar("T", bound=Document)

_OTHER_KINDS = ("CronJob", "HorizontalPodAutoscaler")


def lint_of(
    state: State, namespace: str, kubelet_config: str | None, config: str | None
) -> LintReport:
    """Lint the state of a cluster, manifests, or a KubeletConfiguration; raises PodiumError.

    Without a state or a cluster in the options, the KubeletConfiguration in the file
    `kubelet_config` is linted alone.
    """
    if [*several(state.state), kubelet_config, config].count("-") > 1:
        raise InputError("standard input (-) can be read only once")
    config = config or (FILE if Path(FILE).is_file() else None)
    configuration = _document(LintConfiguration, KIND, config) or LintConfiguration()
    kubelet = _document(KubeletConfiguration, KUBELET_KIND, kubelet_config)
    named = [*several(state.state), state.kubeconfig, state.context, state.as_user]
    read = Manifests()
    if any(named) or kubelet is None:
        try:
            # A directory may hold alternatives of an object; of these, kubectl applies the last.
            read = read_state(
                state, namespace, later_counts=True, kind_of=_kind_of, faults_of=_faults_of
            )
        except ManifestError as error:
            if any(problem.object.startswith(f"{KUBELET_KIND} ") for problem in error.problems):
                hint = f"a {KUBELET_KIND} is no API object: pass it with --kubelet-config"
                raise InputError(f"{error}\n{hint}") from None
            raise
    view = ClusterView((loaded.obj for loaded in read.objects), kubelet, configuration.thresholds)
    sources = {_identity({"kind": KUBELET_KIND}): Source(kubelet_config or "", line=1)}
    for loaded in read.objects:
        # Objects from a pipe or a running cluster stand in no file.
        if loaded.source.file not in ("-", "stdin"):
            sources[_identity(loaded.obj)] = loaded.source
    report = lint(view, configuration, lambda obj: sources.get(_identity(obj), NOWHERE))
    return replace(report, warnings=(*read.warnings,), notes=(*read.notes,))


def _kind_of(obj: Object) -> Kind | None:
    other = KINDS[obj["kind"]] if obj.get("kind") in _OTHER_KINDS else None
    if other is not None and str(obj.get("apiVersion")).rpartition("/")[0] == other.group:
        return other
    return decisive_kind_of(obj)


def _faults_of(obj: Object) -> list[FieldError]:
    # A lint rule reports names and values of PriorityClasses that are reserved for the system.
    return [
        fault
        for fault in decisive_faults(obj)
        if obj["kind"] != "PriorityClass" or fault.kind is not ErrorKind.FORBIDDEN
    ]


def _document(kind: type[T], name: str, path: str | None) -> T | None:
    if path is None:
        return None
    try:
        return read(kind, only_document(path, name))
    except InvalidDocumentError as error:
        raise InputError("\n".join(f"{path}: {fault}" for fault in error.errors)) from error


def _identity(obj: Object) -> tuple[str, ...]:
    return (str(obj["kind"]), *(place_of(obj) if "metadata" in obj else ()))
