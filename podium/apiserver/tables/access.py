"""The columns of roles and of their bindings."""

from podium.api.objects import Object
from podium.apiserver.tables.columns import AGE, NAME, WIDE, Column, Read, at, text

_CREATED = Column("Created At", text("metadata", "creationTimestamp"), "When it was created.")


def _role(binding: Object, _now_s: float) -> str:
    return f"{at(binding, 'roleRef', 'kind')}/{at(binding, 'roleRef', 'name')}"


def _subjects(kind: str) -> Read:
    def read(binding: Object, _now_s: float) -> str:
        found = [one for one in binding.get("subjects") or () if one.get("kind") == kind]
        return ", ".join(
            f"{one['namespace']}/{one['name']}" if one.get("namespace") else one["name"]
            for one in found
        )

    return read


ROLE = (NAME, _CREATED)

ROLE_BINDING = (
    NAME,
    Column("Role", _role, "The role that is given."),
    AGE,
    Column("Users", _subjects("User"), "Users who have it.", priority=WIDE),
    Column("Groups", _subjects("Group"), "Groups who have it.", priority=WIDE),
    Column(
        "ServiceAccounts",
        _subjects("ServiceAccount"),
        "Service accounts that have it.",
        priority=WIDE,
    ),
)
