"""Exports of a real cluster's state for `podium plan`; the cluster isn't changed."""

from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec

from podium.api.kinds.snapshot_kinds import SNAPSHOT_KINDS
from podium.api.objects import Object, metadata_of, without
from podium.api.well_known import LAST_APPLIED, SNAPSHOT_OBJECTS
from podium.cluster.client.http_api import HttpApi
from podium.cluster.snapshot.anonymizer import Anonymizer
from podium.machines.async_api import ForbiddenError, NotServedError


@dataclass(slots=True)
class ClusterSnapshot:
    """The state of a cluster: the objects that decisions depend on, read once."""

    objects: list[Object] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def encoded(self) -> bytes:
        """Return all objects as one List in JSON, with one object per line.

        If all kinds could be read, the List has an annotation, from which readers see that a kind
        without objects in it has none in the cluster.
        """
        items = msgspec.json.Encoder().encode_lines(self.objects).rstrip().replace(b"\n", b",\n")
        whole = {SNAPSHOT_OBJECTS: str(len(self.objects))}
        metadata = msgspec.json.encode({} if self.notes else {"annotations": whole})
        head = b'{"apiVersion":"v1","kind":"List","metadata":%b,"items":[\n' % metadata
        return b"%b%b\n]}" % (head, items)

    def anonymize(self) -> None:
        """Replace texts in the objects by pseudonyms; `notes` still name kinds and users.

        ControllerRevisions, which hold templates in another form, are left out.
        """
        kept = [obj for obj in self.objects if obj["kind"] != "ControllerRevision"]
        anonymizer = Anonymizer(kept)
        self.objects = [anonymizer.anonymized(obj) for obj in kept]


async def take_snapshot(api: HttpApi, progress: Callable[[str, int], None]) -> ClusterSnapshot:
    """Read all kinds that decisions depend on, one after the other.

    As the kinds aren't read at the same time, a change in between may show in some of them only.
    `progress` is called before each kind, with the kind and the number of objects so far.
    """
    state = ClusterSnapshot()
    for kind in SNAPSHOT_KINDS:
        progress(kind, len(state.objects))
        try:
            listed = await api.list(kind)
        except ForbiddenError as error:
            state.notes.append(f"{kind} is left out: {error}")
            continue
        except NotServedError:
            continue
        for obj in listed.objects:
            # Plans don't use these, which are often half of an object.
            metadata = without(metadata_of(obj), "managedFields")
            if notes := metadata.get("annotations"):
                metadata["annotations"] = without(notes, LAST_APPLIED)
            state.objects.append({**obj, "metadata": metadata})
    return state
