"""Kinds that nobody acts on: roles, ingresses, network policies, cron jobs, autoscalers."""

from typing import Any

import pytest

from podium.apiserver.validation import validate
from tests.apiserver.validation.samples import RULE, an_object


@pytest.mark.parametrize(
    ("kind", "path", "value", "field", "message"),
    [
        ("Role", "rules.0.verbs", [], "rules[0].verbs", "at least one value"),
        ("Role", "rules.0.apiGroups", [], "rules[0].apiGroups", "at least one api group"),
        ("Role", "rules.0.resources", None, "rules[0].resources", "at least one resource"),
        (
            "Role",
            "rules.0.nonResourceURLs",
            ["/x"],
            "rules[0].nonResourceURLs",
            "namespaced rules cannot apply",
        ),
        (
            "ClusterRole",
            "rules.0",
            {**RULE, "nonResourceURLs": ["/x"]},
            "rules[0].nonResourceURLs",
            "both regular resources and",
        ),
        ("RoleBinding", "roleRef.name", "", "roleRef.name", "Required value"),
        ("RoleBinding", "subjects.0.kind", "", "subjects[0].kind", "Required value"),
        ("ClusterRole", "metadata.name", "a/b", "metadata.name", "may not contain '/'"),
        ("Ingress", "spec.defaultBackend", None, "spec", "either `defaultBackend` or `rules`"),
        (
            "Ingress",
            "spec.rules",
            [{"http": {"paths": [{"pathType": "Prefix", "path": "x", "backend": {}}]}}],
            "spec.rules[0].http.paths[0].path",
            "must be an absolute path",
        ),
        (
            "Ingress",
            "spec.rules",
            [{"http": {"paths": [{"path": "/", "backend": {}}]}}],
            "spec.rules[0].http.paths[0].pathType",
            "Required value",
        ),
        ("IngressClass", "spec.parameters", {"kind": "K"}, "spec.parameters.name", "Required"),
        ("NetworkPolicy", "spec.policyTypes", ["Up"], "spec.policyTypes[0]", "supported values"),
        (
            "NetworkPolicy",
            "spec.ingress",
            [{"ports": [{"protocol": "ICMP"}]}],
            "spec.ingress[0].ports[0].protocol",
            "supported values",
        ),
        ("CronJob", "spec.schedule", "", "spec.schedule", "Required value"),
        ("CronJob", "spec.schedule", "* *", "spec.schedule", "expected exactly 5 fields"),
        ("CronJob", "spec.concurrencyPolicy", "x", "spec.concurrencyPolicy", "supported values"),
        (
            "CronJob",
            "spec.jobTemplate.spec.template.spec.restartPolicy",
            "Always",
            "spec.jobTemplate.spec.template.spec.restartPolicy",
            "OnFailure",
        ),
        ("HorizontalPodAutoscaler", "spec.maxReplicas", 0, "spec.maxReplicas", "greater than 0"),
        ("HorizontalPodAutoscaler", "spec.minReplicas", 9, "spec.maxReplicas", "`minReplicas`"),
    ],
)
def test_faults(kind: str, path: str, value: Any, field: str, message: str) -> None:
    faults = validate(an_object(kind, path, value))
    assert field in {fault.field for fault in faults}
    assert message in "; ".join(map(str, faults))


@pytest.mark.parametrize("schedule", ["@hourly", "@every 5m", "0 0 1 */2 MON-FRI"])
def test_schedules(schedule: str) -> None:
    assert validate(an_object("CronJob", "spec.schedule", schedule)) == []
