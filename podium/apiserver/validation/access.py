"""Roles, and who has them. What users may do isn't decided by them; see `requests.users`."""

from typing import Any

from podium.api.errors import FieldError
from podium.apiserver.validation.checks import (
    Check,
    Faults,
    a_string,
    each,
    fields,
    join,
    needed,
    required,
    some_text,
    text,
)
from podium.apiserver.validation.metadata import object_meta
from podium.apiserver.validation.names import strings

_PATHS = "nonResourceURLs"


def _verbs(rule: Any, path: str) -> Faults:
    if not rule.get("verbs"):
        yield required(join(path, "verbs"), "verbs must contain at least one value")


def _about_something(*, namespaced: bool) -> Check:
    def check(rule: Any, path: str) -> Faults:
        paths = rule.get(_PATHS)
        if paths and namespaced:
            why = "namespaced rules cannot apply to non-resource URLs"
            yield FieldError(join(path, _PATHS), paths, why)
        elif paths and (rule.get("apiGroups") or rule.get("resources")):
            why = "rules cannot apply to both regular resources and non-resource URLs"
            yield FieldError(join(path, _PATHS), paths, why)
        elif not paths and not rule.get("apiGroups"):
            why = "resource rules must supply at least one api group"
            yield required(join(path, "apiGroups"), why)
        elif not paths and not rule.get("resources"):
            why = "resource rules must supply at least one resource"
            yield required(join(path, "resources"), why)

    return check


def _rules(*, namespaced: bool) -> Check:
    return each(fields(_verbs, _about_something(namespaced=namespaced), resourceNames=strings))


def _unfit_for_paths(name: str) -> list[str]:
    """What keeps a name from standing in a path."""
    if name in (".", ".."):
        return [f"may not be '{name}'"]
    return [f"may not contain '{character}'" for character in "/%" if character in name]


_path_name = a_string(_unfit_for_paths)
_reference = fields(kind=needed(some_text), name=needed(some_text), apiGroup=text)
_binding = fields(
    metadata=object_meta(_path_name),
    roleRef=needed(_reference),
    subjects=each(_reference),
)

role = fields(metadata=object_meta(_path_name), rules=_rules(namespaced=True))
"""A Role."""

cluster_role = fields(metadata=object_meta(_path_name), rules=_rules(namespaced=False))
"""A ClusterRole."""

role_binding = _binding
"""A RoleBinding or ClusterRoleBinding."""
