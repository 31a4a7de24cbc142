"""Reading of a cluster state from files or from a running cluster."""

import sys
import time
from collections.abc import Mapping
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
from podium.cluster.manifests.manifest_objects import FaultsOf
from podium.cluster.manifests.manifest_sources import File, Manifests, read_sources
from podium.ui.inputs.input_error import InputError, check_extra
from podium.ui.inputs.option import Sources, seconds_of, several, text
from podium.ui.inputs.request_options import ClusterOptions, ConnectionOptions, State
from podium.ui.writers.terminal import console

if TYPE_CHECKING:
    from podium.cluster.client.connection import Connection
    from podium.cluster.snapshot.state_snapshot import ClusterSnapshot


def files_of(sources: Sources | None) -> list[str | File]:
    """Convert sources to paths and files; an object becomes a file with its JSON."""
    return [
        File(f"object {number}", msgspec.json.encode(one))
        if isinstance(one, Mapping)
        else (one if isinstance(one, File) else str(one))
        for number, one in enumerate(several(sources), 1)
    ]


def state_kind_of(obj: Object) -> Kind | None:
    """Return an object's kind; None if no decision and no time of the state depends on it."""
    kind = kind_of(obj)
    is_lease = kind is not None and kind.key == "Lease"
    return kind if is_lease else decisive_kind_of(obj)


def cluster_flags(options: ClusterOptions) -> dict[str, object]:
    """Return the given flags that name a running cluster or say how it is read."""
    flags = {
        "--kubeconfig": options.kubeconfig,
        "--context": options.context,
        "--as": options.as_user,
        "--request-timeout": options.request_timeout,
    }
    return {flag: value for flag, value in flags.items() if value is not None}


def read_state(
    state: State,
    namespace: str,
    *,
    later_counts: bool = False,
    validation: FieldValidation = FieldValidation.WARN,
    kind_of: KindOf = state_kind_of,
    faults_of: FaultsOf = decisive_faults,
) -> Manifests:
    """Read a cluster state from files, or from a running cluster; raises PodiumError.

    Unequal objects with one name are an error, unless `later_counts`.
    """
    paths = files_of(state.state)
    given = [*cluster_flags(state)]
    sources, stdin, notes = paths, sys.stdin.buffer, list[str]()
    if paths and given:
        raise InputError(f"-f reads the state from files, {' and '.join(given)} from a cluster")
    if not paths:
        try:
            snapshot = snapshot_of(state)
        except PodiumError as error:
            if given:
                raise
            why = f"no state is given by -f, and the running cluster can't be read: {error}"
            raise InputError(why) from None
        sources, stdin, notes = ["-"], BytesIO(snapshot.encoded()), snapshot.notes
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
        raise InputError(f"the state is empty: {', '.join(read.empty)} has no objects")
    is_whole, now_s = read.is_whole or not (paths or notes), time.time()
    ahead = ahead_of(now_s, (obj.obj for obj in read.objects), "the simulation begins then")
    warnings = [*notes, *read.warnings, *ahead]
    read_s = None if paths else float(int(now_s))
    return replace(read, warnings=warnings, is_whole=is_whole, read_s=read_s)


async def connection_of(options: ConnectionOptions) -> "Connection":
    """Load the connection that the options describe; raises PodiumError."""
    # Only now: the client comes with an extra.
    from podium.cluster.client.connection import load_connection

    connection = await load_connection(text(options.kubeconfig), options.context)
    if isinstance(options, ClusterOptions):
        connection.impersonated_user = options.as_user or ""
        if (timeout := options.request_timeout) is not None:
            connection.request_s = seconds_of("--request-timeout", timeout, zero="no limit")
    return connection


def snapshot_of(options: ClusterOptions) -> "ClusterSnapshot":
    """Read the state of a running cluster, showing progress on a terminal; raises PodiumError."""
    check_extra("reading a cluster")
    # Only now: the client comes with an extra.
    from podium.cluster.client.http_api import HttpApi
    from podium.cluster.snapshot.state_snapshot import take_snapshot

    async def taken() -> "ClusterSnapshot":
        connection = await connection_of(options)
        with console(stderr=True).status("") as status:
            async with HttpApi(connection, Random()) as api:
                return await take_snapshot(
                    api, lambda kind, count: status.update(f"reading {kind}: {count:,} objects")
                )

    return run_to_end(taken())
