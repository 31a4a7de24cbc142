"""The state of a real cluster, read once, as `podium plan` takes it; nothing is written there."""

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
    """The objects of a running cluster that decisions depend on."""

    objects: list[Object] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def encoded(self) -> bytes:
        """All objects as one List in JSON, an object a line, so that lines name objects.

        Where all could be read, the list says so: a kind that isn't in it isn't in the cluster.
        """
        items = msgspec.json.Encoder().encode_lines(self.objects).rstrip().replace(b"\n", b",\n")
        whole = {SNAPSHOT_OBJECTS: str(len(self.objects))}
        metadata = msgspec.json.encode({} if self.notes else {"annotations": whole})
        head = b'{"apiVersion":"v1","kind":"List","metadata":%b,"items":[\n' % metadata
        return b"%b%b\n]}" % (head, items)

    def anonymize(self) -> None:
        """Give pseudonyms to what objects say; the notes still name kinds and users.

        ControllerRevisions are left out, as they hold templates as patches.
        """
        kept = [obj for obj in self.objects if obj["kind"] != "ControllerRevision"]
        anonymizer = Anonymizer(kept)
        self.objects = [anonymizer.anonymized(obj) for obj in kept]


async def take_snapshot(api: HttpApi, progress: Callable[[str, int], None]) -> ClusterSnapshot:
    """Read all kinds that decisions depend on, page by page, one kind after the other.

    Kinds aren't read at one moment: what changes meanwhile may be seen in one and not in another.

    Args:
        progress: told of each kind before it is read, with how many objects there are by then.

    Raises:
        UnreachableError: the cluster can't be read.
    """
    found = ClusterSnapshot()
    for kind in SNAPSHOT_KINDS:
        progress(kind, len(found.objects))
        try:
            listed = await api.list(kind)
        except ForbiddenError as error:
            found.notes.append(f"{kind} is left out: {error}")
            continue
        except NotServedError:
            continue
        for obj in listed.objects:
            # Of no use to a plan, and often half of an object.
            metadata = without(metadata_of(obj), "managedFields")
            if notes := metadata.get("annotations"):
                metadata["annotations"] = without(notes, LAST_APPLIED)
            found.objects.append({**obj, "metadata": metadata})
    return found
