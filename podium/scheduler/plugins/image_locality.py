"""ImageLocality: prefers nodes that already have the pod's images, by image size.

An image on few nodes counts less, so that pods don't crowd on those nodes. Constants and arithmetic
are those of kube-scheduler v1.36.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import chain

import numpy as np

from podium.api.pods import containers_of, init_containers_of, volumes_of
from podium.scheduler.framework.handle import Handle
from podium.scheduler.framework.interface import MAX_NODE_SCORE, FixedScores, LocalScore
from podium.scheduler.snapshot.pod_classes import PodClass
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.snapshot import PerNodes

_MIB = 1024 * 1024
_SIZE_MIN = 23 * _MIB
_SIZE_MAX_PER_CONTAINER = 1000 * _MIB


class ImageLocality:
    """Scores nodes by the images that they have (Score)."""

    name = "ImageLocality"

    def __init__(self, handle: Handle) -> None:
        self._snapshot = handle.snapshot
        self._scores: PerNodes[LocalScore] = PerNodes(handle.snapshot)

    def by_shape(self, cls: PodClass) -> bool:
        return True

    def score(self, pod: PodInfo) -> LocalScore:
        spec = pod.cls.spec
        containers = [*init_containers_of(spec), *containers_of(spec)]
        volumes = [v["image"] for v in volumes_of(spec) if v.get("image")]
        names = [c.get("image") or "" for c in containers]
        names += [volume.get("reference") or "" for volume in volumes]
        # As runtimes report them: with a tag or a digest after the last slash. An image
        # that is used twice counts twice.
        wanted = [n if ":" in n.rpartition("/")[2] else f"{n}:latest" for n in names]
        count = len(containers)
        return self._scores.of((count, *wanted), lambda: self._score(wanted, count))

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
        # kube-scheduler keeps one size per image: from the first node on which it saw the image.
        size_of = dict(chain.from_iterable(found.items() for found in reversed(sizes)))
        size_max = _SIZE_MAX_PER_CONTAINER * containers
        scores = []
        for found in sizes:
            size = sum(int(size_of[image] * shares[image]) for image in wanted if image in found)
            counted = max(min(size, size_max), _SIZE_MIN) - _SIZE_MIN
            scores.append(MAX_NODE_SCORE * counted // (size_max - _SIZE_MIN))
        return FixedScores(self.name, groups.lookup(scores), None if any(scores) else 0)
