"""kubectl with a kind that a definition brings."""

import json

from tests.apiserver.custom_resources.crontabs import FILE
from tests.kubectl.conftest import Kubectl

MANIFEST = """
apiVersion: stable.example.com/v1
kind: CronTab
metadata: {name: web}
spec: {image: nginx, cronSpec: "* * * * *"}
"""


def test_a_life_from_definition_to_deletion(any_kubectl: Kubectl, namespace: str) -> None:
    kubectl, inside = any_kubectl, ("-n", namespace)
    kubectl("apply", "-f", str(FILE))
    kubectl("wait", "--for=condition=Established", "crd/crontabs.stable.example.com")
    assert "created" in kubectl("apply", *inside, "-f", "-", stdin=MANIFEST)
    version = ("get", "crontab/web", *inside, "-o", "jsonpath={.metadata.resourceVersion}")
    before = kubectl(*version)
    assert "unchanged" in kubectl("apply", *inside, "-f", "-", stdin=MANIFEST)
    assert kubectl(*version) == before
    lines = kubectl("get", "crontabs", *inside).splitlines()
    assert lines[0].split() == ["NAME", "SPEC", "REPLICAS", "READY", "AGE"]
    assert lines[1].split()[:7] == ["web", "*", "*", "*", "*", "*", "1"]
    assert "web" in kubectl("get", "ct", "web", *inside)
    assert "cronSpec" in kubectl("explain", "crontab.spec")
    assert "unknown field" in kubectl.fails_to(
        "apply", *inside, "-f", "-", stdin=MANIFEST.replace("image:", "imge: x, image:")
    )
    assert "scaled" in kubectl("scale", "crontab/web", "--replicas=4", *inside)
    patch = json.dumps({"status": {"replicas": 4}})
    kubectl("patch", "ct", "web", "--subresource=status", "--type=merge", "-p", patch, *inside)
    found = json.loads(kubectl("get", "ct", "web", "-o", "json", *inside))
    assert (found["spec"]["replicas"], found["status"]) == (4, {"replicas": 4})
    kubectl("apply", "--server-side", "--force-conflicts", *inside, "-f", "-", stdin=MANIFEST)
    kubectl("delete", "crd", "crontabs.stable.example.com")
    assert "could not find the requested resource" in kubectl.fails_to("get", "ct", *inside)
