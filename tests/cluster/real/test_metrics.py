"""The metrics of the real kube-scheduler: those that Podium has, and why not the others."""

import ssl

import httpx
import pytest

from tests.cluster.real.conftest import StartPodium
from tests.cluster.real.control_plane import free_port
from tests.cluster.real.world import World, pod, until

OURS = ("scheduler_", "rest_client_", "leader_election_")
MISSING = {
    "scheduler_batch_attempts_total": "it decides by class; there are no batches to fail",
    "scheduler_batch_cache_flushed_total": "likewise",
    "scheduler_get_node_hint_duration_seconds": "likewise",
    "scheduler_store_schedule_results_duration_seconds": "likewise",
    "scheduler_goroutines": "there are none",
    "scheduler_plugin_evaluation_total": "plugins are computed together, for a class of pods",
    "scheduler_plugin_execution_duration_seconds": "likewise",
    "scheduler_pod_scheduled_after_flush_total": "nothing is noted of how a pod came back",
    "rest_client_exec_plugin_certificate_rotation_age": "client-go's own",
    "rest_client_exec_plugin_ttl_seconds": "client-go's own",
    "rest_client_request_size_bytes": "bodies aren't measured",
    "rest_client_response_size_bytes": "bodies aren't measured",
    "rest_client_transport_cache_entries": "client-go's own",
    "rest_client_transport_cert_rotation_gc_calls_total": "client-go's own",
    "rest_client_transport_create_calls_total": "client-go's own",
}


def named(metrics: str) -> dict[str, str]:
    """The type of each metric."""
    lines = [line.split() for line in metrics.splitlines() if line.startswith("# TYPE ")]
    return {name: kind for _, _, name, kind in lines if name.startswith(OURS)}


@pytest.mark.soak
def test_kube_scheduler_has_no_metrics_but_these(world: World, podium: StartPodium) -> None:
    if not (world.plane.binaries / "kube-scheduler").exists():
        pytest.skip("no kube-scheduler beside the API server")
    world.node("a")
    config, port = str(world.plane.kubeconfig()), free_port()
    options = ("--authentication-kubeconfig", config, "--authorization-kubeconfig", config)
    world.plane.launch("kube-scheduler", "--secure-port", str(port), *options)
    try:
        world.create(pod("one-1"), pod("big-1", cpu="9"))
        world.wait_bound("one-1")
        tls = ssl.create_default_context()
        tls.check_hostname, tls.verify_mode = False, ssl.CERT_NONE
        headers = {"Authorization": world.plane.client.headers["Authorization"]}
        url = f"https://127.0.0.1:{port}/metrics"
        theirs = named(httpx.get(url, verify=tls, headers=headers).text)
    finally:
        world.plane.stop("kube-scheduler")
    ours = podium()
    until(lambda: ours.get("/readyz").text == "ok")
    found = named(ours.get("/metrics").text)
    assert {**theirs, **found} | theirs == {**theirs, **found}, "types differ"
    assert {*theirs} - {*found} <= {*MISSING}
