"""ImageLocality, one node at a time."""

from collections.abc import Sequence

from podium.api.objects import Object

MIB = 1024 * 1024


def score_node(pod: Object, node: Object, nodes: Sequence[Object]) -> int:
    spec = pod["spec"]
    containers = spec.get("initContainers", []) + spec.get("containers", [])
    wanted = [container.get("image", "") for container in containers]
    wanted += [v["image"]["reference"] for v in spec.get("volumes", []) if "image" in v]
    total = 0
    for image in wanted:
        name = _normalized(image)
        if name in _sizes(node):
            sizes = [_sizes(other)[name] for other in nodes if name in _sizes(other)]
            total += int(float(sizes[0]) * (float(len(sizes)) / float(len(nodes))))
    low, high = 23 * MIB, 1000 * MIB * len(containers)
    if total < low:
        total = low
    elif total > high:
        total = high
    return 100 * (total - low) // (high - low)


def _sizes(node: Object) -> dict[str, int]:
    sizes = {}
    for image in node["status"].get("images", []):
        for name in image["names"]:
            sizes[name] = image["sizeBytes"]
    return sizes


def _normalized(name: str) -> str:
    return name + ":latest" if name.rfind(":") <= name.rfind("/") else name
