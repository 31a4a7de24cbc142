"""What is filled into containers, in pods and templates alike."""

from podium.api.objects import Object
from podium.apiserver.defaulting.amounts import requirements
from podium.apiserver.defaulting.copying import each, filled, inside


def container(container: Object) -> Object:
    """A container with its pull policy, probes, ports and messages filled in."""
    container = filled(
        container,
        terminationMessagePath="/dev/termination-log",
        terminationMessagePolicy="File",
        imagePullPolicy=_pull_policy(str(container.get("image") or "")),
    )
    return inside(
        container,
        ports=each(lambda port: filled(port, protocol="TCP")),
        env=each(_variable),
        resources=requirements,
        livenessProbe=_probe,
        readinessProbe=_probe,
        startupProbe=_probe,
        lifecycle=lambda hooks: inside(hooks, postStart=_action, preStop=_action),
    )


def _pull_policy(image: str) -> str:
    """Always for the latest of an image, IfNotPresent for a fixed tag or digest."""
    path, at_digest, _ = image.partition("@")
    tag = path.rpartition("/")[2].partition(":")[2]
    is_latest = tag == "latest" or not (tag or at_digest)
    return "Always" if is_latest else "IfNotPresent"


def _variable(variable: Object) -> Object:
    def source(source: Object) -> Object:
        return inside(source, fieldRef=lambda ref: filled(ref, apiVersion="v1"))

    return inside(variable, valueFrom=source)


def _probe(probe: Object) -> Object:
    defaults = {
        "timeoutSeconds": 1,
        "periodSeconds": 10,
        "successThreshold": 1,
        "failureThreshold": 3,
    }
    missing = {name: number for name, number in defaults.items() if not probe.get(name)}
    return _action({**probe, **missing} if missing else probe)


def _action(action: Object) -> Object:
    return inside(
        action,
        httpGet=lambda get: filled(get, path="/", scheme="HTTP"),
        grpc=lambda call: call if "service" in call else {**call, "service": ""},
    )
