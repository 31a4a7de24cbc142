"""What `podium up` is asked for, read and judged."""

import sys
import time
from collections.abc import Sequence

from podium.api.codec.field_validation import FieldValidation
from podium.cluster.embedded.cluster import EmbeddedOptions
from podium.cluster.embedded.cluster_clock import parse_speed
from podium.cluster.embedded.defaults import DEFAULT_NODES, NodeShape
from podium.cluster.embedded.initial_objects import parse_shape, read_manifests, simulated_nodes
from podium.cluster.virtual import SchedulerSetup
from podium.cluster.virtual.controller_list import chosen_controllers
from podium.ui.command_line.options.up_options import UpOptions
from podium.ui.command_line.processes.up_process import UpRequest
from podium.ui.inputs.configurations import read_kubelet_config, read_scheduler_config
from podium.ui.inputs.input_error import InputError
from podium.ui.writers.console import print_warnings


def read_up_request(asked: UpOptions) -> UpRequest:
    """Read all files that are named, and say what is to be run.

    Raises:
        PodiumError: anything is wrong with what is asked for.
    """
    state, news = asked.filename or (), asked.apply or ()
    if [*state, *news].count("-") > 1:
        raise InputError("standard input (-) can be read only once")
    setup = _scheduler_setup(asked.scheduler_config, asked.plugin or ())
    stdin = sys.stdin.buffer
    first = read_manifests(state, stdin, validation=FieldValidation.WARN)
    applied = read_manifests(news, stdin)
    count = asked.nodes if asked.nodes is not None else 0 if state else DEFAULT_NODES
    resources = parse_shape(asked.node_shape)
    shape = NodeShape(
        cpu=asked.node_cpu, memory=asked.node_memory, resources=resources, zones=asked.zones
    )
    simulated = simulated_nodes(count, shape)
    options = EmbeddedOptions(
        objects=[*simulated, *(loaded.obj for loaded in first.objects)],
        data_dir=asked.data_dir,
        port=asked.port,
        is_insecure=asked.insecure_http,
        speed=parse_speed(asked.speed),
        eviction=read_kubelet_config(asked.kubelet_config).eviction,
        schedulers=(setup,) if asked.scheduler else (),
        controllers=chosen_controllers(word for word in asked.controllers.split(",") if word),
        heals=asked.assume_healthy,
    )
    print_warnings([*first.warnings, *first.notes, *applied.notes])
    return UpRequest(
        options=options,
        applied=applied.objects,
        names_beginning=bool(state) or asked.nodes is not None,
        ends_when_settled=asked.exit_when_settled,
        merges_kubeconfig=asked.merge_kubeconfig,
    )


def _scheduler_setup(path: str | None, plugins: Sequence[str]) -> SchedulerSetup:
    loaded = read_scheduler_config(path, plugins)
    if loaded is None:
        return SchedulerSetup(stopwatch=time.perf_counter)
    print_warnings(loaded.notes)
    return SchedulerSetup(
        configuration=loaded.configuration, options=loaded.options, stopwatch=time.perf_counter
    )
