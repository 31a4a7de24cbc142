"""Warnings about pods and templates: what they are about, where they point, and when they come."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.kinds.registration.registrations import registration_of
from podium.apiserver.validation.pods.pod_warnings import pod_warnings
from tests.apiserver.requests.client import DEPLOYMENTS, MERGE, PODS, Client
from tests.apiserver.transcripts import Case, assert_answers
from tests.apiserver.validation.samples import an_object
from tests.objects import Obj

SERVICES = "/api/v1/namespaces/default/services"
APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/c"
OLD_APP_ARMOR = 'deprecated since v1.30; use the "appArmorProfile" field instead'


def pod(noted: Obj | None = None, container: Obj | None = None, **spec: Any) -> Obj:
    containers = [{"name": "c", "image": "i", **(container or {})}]
    return {
        "metadata": {"name": "p", "annotations": noted or {}},
        "spec": {"containers": containers, **spec},
    }


def answer(case: Case) -> Iterable[str]:
    warnings = registration_of(KINDS[case.kind]).warned_of(case.obj)
    return [*(pod_warnings(case.obj) if case.kind == "Pod" else warnings)] or ["nothing"]


def test_warnings_are_worded_as_kube_apiserver_does() -> None:
    assert_answers(Path(__file__).with_name("warnings.txt"), an_object, answer)


@pytest.mark.parametrize(
    ("annotation", "profile"),
    [
        ("localhost/x", {"type": "Localhost", "localhostProfile": "x"}),
        ("runtime/default", {"type": "RuntimeDefault"}),
        ("unconfined", {"type": "Unconfined"}),
        ("localhost/", None),
    ],
)
def test_app_armor_annotations_become_fields(annotation: str, profile: Obj | None) -> None:
    client = Client()
    made = client.ask("POST", PODS, pod({APP_ARMOR: annotation}))
    assert warnings(made) == [f"metadata.annotations[{APP_ARMOR}]: {OLD_APP_ARMOR}"]
    (container,) = made.body["spec"]["containers"]
    expected = None if profile is None else {"appArmorProfile": profile}
    assert container.get("securityContext") == expected


def test_an_app_armor_annotation_beside_its_field_is_nothing_to_warn_of() -> None:
    security = {"appArmorProfile": {"type": "Unconfined"}}
    given = pod({APP_ARMOR: "runtime/default"}, {"securityContext": security})
    made = Client().ask("POST", PODS, given)
    assert (made.code, warnings(made)) == (201, [])
    assert made.body["spec"]["containers"][0]["securityContext"] == security


def test_templates_are_warned_of_when_they_come_and_when_they_change() -> None:
    client, template = Client(), pod({APP_ARMOR: "unconfined"})
    template["metadata"]["labels"] = {"a": "b"}
    spec = {"selector": {"matchLabels": {"a": "b"}}, "template": template}
    made = client.ask("POST", DEPLOYMENTS, {"metadata": {"name": "a.b"}, "spec": spec})
    of_template = f"spec.template.metadata.annotations[{APP_ARMOR}]: {OLD_APP_ARMOR}"
    of_name = (
        "metadata.name: this is used in Pod names and hostnames, which can result in surprising "
        "behavior; a DNS label is recommended: [must not contain dots]"
    )
    assert sorted(warnings(made)) == [of_name, of_template]
    labelled, scaled = {"metadata": {"labels": {"c": "d"}}}, {"spec": {"replicas": 2}}
    for change, expected in ((labelled, []), (scaled, [of_template])):
        answer = client.ask("PATCH", f"{DEPLOYMENTS}/a.b", change, content_type=MERGE)
        assert (answer.code, warnings(answer)) == (200, expected)


@pytest.mark.parametrize(
    ("address", "preferred"), [("010.0.0.01", "10.0.0.1"), ("::ffff:10.0.0.1", "10.0.0.1")]
)
def test_addresses_that_parsers_read_differently_are_refused_or_warned_of(
    address: str, preferred: str
) -> None:
    alias = Client().ask("POST", PODS, pod(hostAliases=[{"ip": address}]))
    assert (alias.code, alias.body["details"]["causes"][0]["field"]) == (
        422,
        "spec.hostAliases[0].ip",
    )
    spec = {"type": "LoadBalancer", "ports": [{"port": 80}], "loadBalancerIP": address}
    made = Client().ask("POST", SERVICES, {"metadata": {"name": "s"}, "spec": spec})
    assert (made.code, warnings(made)) == (
        201,
        [
            f'spec.loadBalancerIP: non-standard IP address "{address}" will be considered invalid '
            f'in a future Kubernetes release: use "{preferred}"'
        ],
    )


def test_a_service_is_warned_of_whenever_it_is_written() -> None:
    client, path = Client(), f"{SERVICES}/s"
    spec = {"ports": [{"port": 80}], "externalIPs": ["2001:db8:0::1"]}
    made = client.ask("POST", SERVICES, {"metadata": {"name": "s"}, "spec": spec})
    of_addresses = [
        'spec.externalIPs[0]: IPv6 address "2001:db8:0::1" should be in RFC 5952 canonical format '
        '("2001:db8::1")',
        "spec.externalIPs is deprecated and may no longer be implemented in some clusters",
    ]
    assert (made.code, warnings(made)) == (201, of_addresses)
    labelled = client.ask("PATCH", path, {"metadata": {"labels": {"a": "b"}}}, content_type=MERGE)
    assert (labelled.code, warnings(labelled)) == (200, of_addresses)
    status = {"status": {"loadBalancer": {"ingress": [{"ip": "10.0.0.1"}]}}}
    written = client.ask("PATCH", f"{path}/status", status, content_type=MERGE)
    assert (written.code, warnings(written)) == (200, [])


ZONE = "failure-domain.beta.kubernetes.io/zone"
OLD_ZONE = 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead'


def test_a_storage_class_is_warned_of_when_it_comes_and_when_it_changes() -> None:
    client, path = Client(), "/apis/storage.k8s.io/v1/storageclasses"
    topology = {"matchLabelExpressions": [{"key": ZONE, "values": ["a"]}]}
    body = {"metadata": {"name": "c"}, "provisioner": "p", "allowedTopologies": [topology]}
    expected = [f"allowedTopologies[0].matchLabelExpressions[0]: {OLD_ZONE}"]
    assert warnings(client.ask("POST", path, body)) == expected
    labelled = {"metadata": {"labels": {"a": "b"}}}
    answer = client.ask("PATCH", f"{path}/c", labelled, content_type=MERGE)
    assert (answer.code, warnings(answer)) == (200, expected)


def warnings(response: Any) -> list[str]:
    texts = [text for name, text in response.headers if name == "Warning"]
    return [text.removeprefix('299 - "')[:-1].replace('\\"', '"') for text in texts]
