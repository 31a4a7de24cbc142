"""Admission attributes: the description of a write, for verbs and admission plugins."""

from enum import StrEnum

import msgspec
from msgspec.structs import replace

from podium.api.kinds.builtin_kinds import Kind
from podium.api.objects import Object, metadata_of
from podium.apiserver.authentication.users import ADMIN, User


class Operation(StrEnum):
    """The operation of a write; the POST of a subresource, such as a binding, is a CREATE."""

    CREATE = "CREATE"
    UPDATE = "UPDATE"
    DELETE = "DELETE"


class WriteOptions(msgspec.Struct, frozen=True):
    """The options of a write; `force` lets server-side apply take over fields of other managers."""

    dry_run: bool = False
    field_manager: str = ""
    """Manager whose fields are tracked in managedFields; empty for no tracking."""
    force: bool = False


class Attributes(msgspec.Struct, frozen=True):
    """A write: its object, operation, user, time and options."""

    kind: Kind
    """Kind of the object; for a subresource, kind of its parent."""
    namespace: str
    """Empty for cluster-scoped objects."""
    name: str
    """Name in the path; empty if the object is to be created."""
    now_s: float
    subresource: str = ""
    options: WriteOptions = WriteOptions()
    user: User = ADMIN
    operation: Operation = Operation.CREATE
    verb: str = "update"
    """`update` or `patch`, of an operation UPDATE."""
    old: Object | None = None
    """The stored object; None if there is none."""

    @property
    def resource(self) -> str:
        """The kind, with the subresource if any, such as `Pod` or `Pod/binding`."""
        return f"{self.kind.key}/{self.subresource}" if self.subresource else self.kind.key

    def shown_name(self, obj: Object) -> str:
        """Return the name for error messages of an object that may not have a name yet."""
        metadata = metadata_of(obj)
        return str(self.name or metadata.get("name") or metadata.get("generateName") or "Unknown")

    def untracked(self) -> "Attributes":
        """Return a copy without field manager, for objects whose managedFields are final."""
        options = WriteOptions(dry_run=self.options.dry_run, force=self.options.force)
        return replace(self, options=options)
