"""A request as one value, which verbs and admission hand on: Kubernetes' admission attributes."""

from enum import StrEnum

import msgspec
from msgspec.structs import replace

from podium.api.kinds.builtin_kinds import Kind
from podium.api.objects import Object, metadata_of
from podium.apiserver.authentication.users import ADMIN, User


class Operation(StrEnum):
    """What is to be done; posting a subresource, such as a binding, creates it."""

    CREATE = "CREATE"
    UPDATE = "UPDATE"
    DELETE = "DELETE"


class WriteOptions(msgspec.Struct, frozen=True):
    """How a client asks for a write to be done.

    Attributes:
        dry_run: whether to do everything but store the result.
        field_manager: who writes; if it is named, the fields that it sets are noted in
            managedFields. Server-side apply needs it.
        force: whether server-side apply takes fields over that others own.
    """

    dry_run: bool = False
    field_manager: str = ""
    force: bool = False


class Attributes(msgspec.Struct, frozen=True):
    """One write: what is to be done to which object, by whom, when, and how.

    Attributes:
        kind: of the object, or of the one that the subresource belongs to.
        namespace: of the object; empty for a cluster-scoped one.
        name: as in the path; empty where the object is to be created, named or not.
        now_s: the time, in seconds since the epoch.
        subresource: such as `status`; empty for the object itself.
        old: the object as it is stored, if it is, as the verb finds it.
    """

    kind: Kind
    namespace: str
    name: str
    now_s: float
    subresource: str = ""
    options: WriteOptions = WriteOptions()
    user: User = ADMIN
    operation: Operation = Operation.CREATE
    old: Object | None = None

    @property
    def resource(self) -> str:
        """The kind's name, with the subresource if there is one: `Pod`, `Pod/binding`."""
        return f"{self.kind.key}/{self.subresource}" if self.subresource else self.kind.key

    def called(self, obj: Object) -> str:
        """What a refusal calls the object, which may not have its name yet."""
        metadata = metadata_of(obj)
        return str(self.name or metadata.get("name") or metadata.get("generateName") or "Unknown")

    def untracked(self) -> "Attributes":
        """The request without a field manager, for objects whose managedFields are up to date."""
        options = WriteOptions(dry_run=self.options.dry_run, force=self.options.force)
        return replace(self, options=options)
