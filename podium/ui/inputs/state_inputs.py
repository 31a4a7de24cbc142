"""The state that a command is asked about: files, or a running cluster."""

import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from io import BytesIO
from random import Random
from typing import TYPE_CHECKING

import msgspec

from podium.api.codec.field_validation import FieldValidation
from podium.api.errors import PodiumError
from podium.api.kinds.builtin_kinds import Kind, kind_of
from podium.api.kinds.snapshot_kinds import KindOf, decisive_kind_of
from podium.api.objects import Object
from podium.api.process.concurrency import run_to_end
from podium.api.state_times import ahead_of
from podium.apiserver.kinds.registration.registrations import decisive_faults
from podium.cluster.manifests import File, Manifests, read_sources
from podium.cluster.manifests.manifest_objects import FaultsOf
from podium.ui.inputs.extras import check_extra
from podium.ui.inputs.input_error import InputError
from podium.ui.inputs.option import Sources, several
from podium.ui.writers.terminal import console

if TYPE_CHECKING:
    from podium.cluster.snapshot.state_snapshot import ClusterSnapshot


def files_of(sources: Sources | None) -> list[str | File]:
    """Sources as files: paths as they are, objects as files that are read already, as some are."""
    return [
        File(f"object {number}", msgspec.json.encode(one))
        if isinstance(one, Mapping)
        else (one if isinstance(one, File) else str(one))
        for number, one in enumerate(several(sources), 1)
    ]


def state_kind_of(obj: Object) -> Kind | None:
    """The kind of a raw object by which decisions, or the time of the state, may go."""
    kind = kind_of(obj)
    is_lease = kind is not None and kind.key == "Lease"
    return kind if is_lease else decisive_kind_of(obj)


def read_state(
    paths: Sequence[str | File] | None,
    kubeconfig: str | None,
    context: str | None,
    namespace: str,
    *,
    later_counts: bool = False,
    validation: FieldValidation = FieldValidation.WARN,
    kind_of: KindOf = state_kind_of,
    faults_of: FaultsOf = decisive_faults,
) -> Manifests:
    """Read the state; raises PodiumError.

    Args:
        paths: files; None or none for a running cluster.
        later_counts: of objects that stand twice the last one counts; otherwise that is an error.
    """
    names_cluster = kubeconfig is not None or context is not None
    sources, stdin, notes = paths, sys.stdin.buffer, list[str]()
    if not sources:
        sources = ["-"]
        stdin, notes = _cluster(kubeconfig, context, is_named=names_cluster)
    elif names_cluster:
        raise InputError("the state is either in files (-f) or a running cluster")
    read = read_sources(
        sources,
        stdin,
        namespace=namespace,
        later_counts=later_counts,
        validation=validation,
        kind_of=kind_of,
        faults_of=faults_of,
    )
    if paths and not read.objects:
        raise InputError(f"there is nothing in {', '.join(read.empty)}")
    is_whole, now_s = read.is_whole or not (paths or notes), time.time()
    ahead = ahead_of(now_s, (one.obj for one in read.objects), "what is played begins then")
    warnings = [*notes, *read.warnings, *ahead]
    read_s = None if paths else float(int(now_s))
    return replace(read, warnings=warnings, is_whole=is_whole, read_s=read_s)


def _cluster(
    kubeconfig: str | None, context: str | None, *, is_named: bool
) -> tuple[BytesIO, list[str]]:
    try:
        found = snapshot_of(kubeconfig, context)
    except PodiumError as error:
        if is_named:
            raise
        raise InputError(f"the state isn't named by -f, and no cluster is read: {error}") from None
    return BytesIO(found.encoded()), found.notes


def snapshot_of(kubeconfig: str | None, context: str | None) -> "ClusterSnapshot":
    """Read the state of a running cluster, with progress on a terminal; raises PodiumError."""
    check_extra("reading a cluster")
    # Only now: the client comes with an extra.
    from podium.cluster.client.connection import load_connection
    from podium.cluster.client.http_api import HttpApi
    from podium.cluster.snapshot.state_snapshot import take_snapshot

    async def taken() -> "ClusterSnapshot":
        connection = await load_connection(kubeconfig, context)
        with console(stderr=True).status("") as status:
            async with HttpApi(connection, Random()) as api:
                return await take_snapshot(
                    api, lambda kind, count: status.update(f"{count:,} objects; reads {kind}")
                )

    return run_to_end(taken())
