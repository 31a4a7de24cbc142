"""Kinds and versions of documents, the top-level fields, and Podium's own options."""

import pytest

from podium.api.documents.document import InvalidDocumentError
from podium.scheduler.config.args import API_VERSION
from podium.scheduler.config.document import KIND, LeaderElection
from podium.scheduler.config.load import load_configuration
from podium.scheduler.config.scheduler_options import VictimOrder

CONFIGURATION = {"apiVersion": API_VERSION, "kind": KIND}
OPTIONS = {"apiVersion": "podium.dev/v1alpha1", "kind": "SchedulerOptions"}


def faults_of(*documents: object) -> list[str]:
    with pytest.raises(InvalidDocumentError) as caught:
        load_configuration(documents, ())
    return [str(error) for error in caught.value.errors]


@pytest.mark.parametrize(
    ("document", "fault"),
    [
        ([], "documents[0]: Invalid value: []: must be an object"),
        (None, "documents[0]: Invalid value: null: must be an object"),
        (
            {"apiVersion": API_VERSION},
            "documents[0].kind: Required value: KubeSchedulerConfiguration or SchedulerOptions",
        ),
        (
            {"apiVersion": API_VERSION, "kind": "KubeletConfiguration"},
            'documents[0].kind: Unsupported value: "KubeletConfiguration": supported values: '
            '"KubeSchedulerConfiguration", "SchedulerOptions"',
        ),
        ({"kind": KIND}, "documents[0].apiVersion: Required value: kubescheduler.config.k8s.io/v1"),
        (
            {"kind": KIND, "apiVersion": "v1"},
            'documents[0].apiVersion: Unsupported value: "v1": supported values: '
            '"kubescheduler.config.k8s.io/v1"',
        ),
        (
            {"kind": "SchedulerOptions", "apiVersion": API_VERSION},
            'documents[0].apiVersion: Unsupported value: "kubescheduler.config.k8s.io/v1": '
            'supported values: "podium.dev/v1alpha1"',
        ),
    ],
)
def test_headers(document: object, fault: str) -> None:
    assert faults_of(document) == [fault]


@pytest.mark.parametrize("version", ["v1alpha1", "v1alpha2", "v1beta1", "v1beta2", "v1beta3"])
def test_removed_versions_name_their_successor(version: str) -> None:
    old = f"kubescheduler.config.k8s.io/{version}"
    assert faults_of({"apiVersion": old, "kind": KIND}) == [
        f'documents[0].apiVersion: Invalid value: "{old}": removed from Kubernetes; '
        "use kubescheduler.config.k8s.io/v1"
    ]


@pytest.mark.parametrize("version", ["v1", "kubescheduler.config.k8s.io/v1", None])
def test_policy_names_its_successor(version: str | None) -> None:
    (fault,) = faults_of({"apiVersion": version, "kind": "Policy", "predicates": []})
    assert fault.startswith('documents[0].kind: Invalid value: "Policy": the Policy format was ')
    assert "write a KubeSchedulerConfiguration (kubescheduler.config.k8s.io/v1)" in fault


def test_one_document_of_a_kind() -> None:
    assert faults_of(CONFIGURATION, OPTIONS, CONFIGURATION) == [
        'documents[2].kind: Duplicate value: "KubeSchedulerConfiguration": one document of a kind'
    ]


def test_faults_of_all_documents_are_reported_at_once() -> None:
    documents = [{"kind": "Policy"}, CONFIGURATION | {"parallelism": 0}, OPTIONS | {"a": 1}]
    assert [fault.partition(":")[0] for fault in faults_of(*documents)] == [
        "documents[0].kind",
        "parallelism",
        "a",
    ]


def test_options() -> None:
    documents = [OPTIONS | {"victimOrder": "QOSClass"}, CONFIGURATION | {"parallelism": 2}]
    loaded = load_configuration(documents, ())
    assert loaded.options.victim_order is VictimOrder.QOS_CLASS
    assert loaded.configuration.parallelism == 2
    choice, unknown = faults_of(OPTIONS | {"victimOrder": "Age", "order": 1})
    assert choice == (
        'victimOrder: Unsupported value: "Age": supported values: "Default", "QOSClass"'
    )
    assert unknown.startswith("order: Forbidden: unknown field; known: apiVersion, kind, victim")


def test_the_guard_of_evictions() -> None:
    assert load_configuration([OPTIONS], ()).options.eviction_guard_s == 0
    loaded = load_configuration([OPTIONS | {"evictionGuard": "10m"}], ())
    assert loaded.options.eviction_guard_s == 600
    assert faults_of(OPTIONS | {"evictionGuard": "-1s"}) == [
        'evictionGuard: Invalid value: "-1s": must be a duration such as 10s, 1m30s or 250ms'
    ]


def test_values_are_taken_over(load) -> None:
    configuration = load(
        parallelism=4,
        percentageOfNodesToScore=30,
        podInitialBackoffSeconds=2,
        podMaxBackoffSeconds=2,
    ).configuration
    assert configuration.parallelism == 4
    assert configuration.percentage_of_nodes_to_score == 30
    assert configuration.pod_initial_backoff_seconds == 2
    assert configuration.pod_max_backoff_seconds == 2


def test_null_is_absent(load) -> None:
    assert (
        load(parallelism=None, profiles=None, extenders=None).configuration == load().configuration
    )


def test_no_extenders_are_fine(load) -> None:
    assert load(extenders=[]).notes == ()


def test_what_is_ignored_is_noted(load) -> None:
    loaded = load(
        leaderElection={"leaderElect": True},
        clientConnection={"kubeconfig": "/etc/kubernetes/scheduler.conf"},
        enableProfiling=True,
        enableContentionProfiling=False,
        delayCacheUntilActive=True,
        parallelism=16,
    )
    assert loaded.notes == tuple(
        f"{name} is ignored: it doesn't change decisions"
        for name in (
            "leaderElection",
            "clientConnection",
            "enableProfiling",
            "enableContentionProfiling",
            "delayCacheUntilActive",
            "parallelism",
        )
    )


def test_contradictions_are_told_once_single_fields_are_right() -> None:
    bare = {"queueSort": {"disabled": [{"name": "*"}]}}
    contradictory = {
        **CONFIGURATION,
        "podInitialBackoffSeconds": 20,
        "profiles": [{"schedulerName": "a"}, {"schedulerName": "a", "plugins": bare}],
    }
    assert fields_of({**contradictory, "parallelism": 0}) == ["parallelism"]
    assert fields_of(contradictory) == [
        "podMaxBackoffSeconds",
        "profiles[1].schedulerName",
        "profiles[1].plugins.queueSort",
    ]


def fields_of(configuration: object) -> list[str]:
    return [fault.partition(": ")[0] for fault in faults_of(configuration)]


def test_leader_election_has_the_times_of_client_go_unless_given() -> None:
    times = LeaderElection()
    assert (times.lease_duration_s, times.renew_deadline_s, times.retry_period_s) == (15, 10, 2)
