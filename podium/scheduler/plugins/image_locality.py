"""ImageLocality: a node is better the more of the pod's images, by size, it has already.

An image counts less the fewer nodes have it, lest all pods that use it crowd on those. Constants
and arithmetic are those of kube-scheduler v1.36.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import chain

import numpy as np

from podium.api.objects import Object
from podium.api.pod_specs import containers_of, init_containers_of, volumes_of
from podium.scheduler.framework.handle import Handle
from podium.scheduler.framework.interface import MAX_NODE_SCORE, FixedScores, LocalScore
from podium.scheduler.snapshot.pod_classes import PodClass
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.snapshot import PerNodes

_MIB = 1024 * 1024
_SIZE_MIN = 23 * _MIB
_SIZE_MAX_PER_CONTAINER = 1000 * _MIB


class ImageLocality:
    """Ranks nodes by the images that they have (Score)."""

    name = "ImageLocality"

    def __init__(self, handle: Handle) -> None:
        self._snapshot = handle.snapshot
        self._scores: PerNodes[LocalScore] = PerNodes(handle.snapshot)

    def by_shape(self, cls: PodClass) -> bool:
        return True

    def score(self, pod: PodInfo) -> LocalScore:
        spec = pod.cls.spec
        wanted = _images(spec)
        containers = len(init_containers_of(spec)) + len(containers_of(spec))
        return self._scores.of((containers, *wanted), lambda: self._score(wanted, containers))

    def _score(self, wanted: Sequence[str], containers: int) -> LocalScore:
        groups = self._snapshot.columns.images()
        sizes = [
            {
                name: int(image.get("sizeBytes") or 0)
                for image in images
                for name in image.get("names") or ()
                if name in wanted
            }
            for images in groups.values
        ]
        node_counts = np.bincount(groups.codes, minlength=len(sizes)).tolist()
        counts: Counter[str] = Counter()
        for found, node_count in zip(sizes, node_counts, strict=True):
            counts.update(dict.fromkeys(found, node_count))
        shares = {image: count / self._snapshot.node_count for image, count in counts.items()}
        # kube-scheduler keeps one size of an image: that of the first node which it saw it on.
        size_of = dict(chain.from_iterable(found.items() for found in reversed(sizes)))
        scores = [
            _score(sum(int(size_of[i] * shares[i]) for i in wanted if i in found), containers)
            for found in sizes
        ]
        return FixedScores(self.name, groups.lookup(scores), None if any(scores) else 0)


def _images(spec: Object) -> list[str]:
    """The images of containers and of image volumes; one that is used twice counts twice."""
    containers = [*init_containers_of(spec), *containers_of(spec)]
    volumes = [v["image"] for v in volumes_of(spec) if v.get("image")]
    names = [c.get("image") for c in containers] + [image.get("reference") for image in volumes]
    # As runtimes report them: what comes after the last slash has a tag or a digest.
    return [n if ":" in n.rpartition("/")[2] else f"{n}:latest" for n in (m or "" for m in names)]


def _score(size: int, containers: int) -> int:
    """Where the size lies between the least and the greatest that count, 0 to 100."""
    size_max = _SIZE_MAX_PER_CONTAINER * containers
    if size <= _SIZE_MIN:
        return 0
    return MAX_NODE_SCORE * (min(size, size_max) - _SIZE_MIN) // (size_max - _SIZE_MIN)
