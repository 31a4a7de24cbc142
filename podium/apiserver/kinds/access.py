"""Roles and their bindings: v1.36's defaults and validation of rbac.authorization.k8s.io."""

from typing import Any

from podium.api.errors import FieldError, unsupported
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object, entries, part
from podium.apiserver.kinds.registration.defaulting import defaults_of, filled
from podium.apiserver.kinds.registration.registration import Registration
from podium.apiserver.validation import checks
from podium.apiserver.validation.names import object_check, path_segment, subdomain
from podium.apiserver.validation.selectors import label_selector

_GROUP = KINDS["Role"].group
_SERVICE_ACCOUNT = "ServiceAccount"
_SUBJECTS = (_SERVICE_ACCOUNT, "User", "Group")


@defaults_of("rbac.Subject")
def _with_group(subject: Object) -> Object:
    return subject if subject.get("kind") == _SERVICE_ACCOUNT else filled(subject, apiGroup=_GROUP)


def _role(kind: str) -> Registration:
    def check(role: Any, _: str) -> checks.Faults:
        for index, rule in enumerate(entries(role, "rules")):
            path, urls = f"rules[{index}]", rule.get("nonResourceURLs")
            if not rule.get("verbs"):
                yield checks.required(f"{path}.verbs", "verbs must contain at least one value")
            if urls and KINDS[kind].namespaced:
                why = "namespaced rules cannot apply to non-resource URLs"
                yield FieldError(f"{path}.nonResourceURLs", urls, why)
            if urls and any(rule.get(one) for one in ("apiGroups", "resources", "resourceNames")):
                why = "rules cannot apply to both regular resources and non-resource URLs"
                yield FieldError(f"{path}.nonResourceURLs", urls, why)
            needed = (("apiGroups", "api group"), ("resources", "resource"))
            for field, title in needed if not urls else ():
                if not rule.get(field):
                    why = f"resource rules must supply at least one {title}"
                    yield checks.required(f"{path}.{field}", why)
        aggregation, path = role.get("aggregationRule"), "aggregationRule.clusterRoleSelectors"
        selectors = entries(aggregation or {}, "clusterRoleSelectors")
        if aggregation is not None and not selectors:
            why = "at least one clusterRoleSelector required if aggregationRule is non-nil"
            yield checks.required(path, why)
        yield from checks.each(label_selector)(selectors, path)

    return Registration(kind=KINDS[kind], validate=object_check(check, name=path_segment))


def _binding(binding_kind: str, *roles: str) -> Registration:
    def check(binding: Any, _: str) -> checks.Faults:
        role = part(binding, "roleRef")
        group, kind = role.get("apiGroup") or _GROUP, role.get("kind") or ""
        if group != _GROUP:
            yield unsupported("roleRef.apiGroup", group, (_GROUP,))
        if kind not in roles:
            yield unsupported("roleRef.kind", kind, roles)
        if not role.get("name"):
            yield checks.required("roleRef.name")
        else:
            yield from path_segment(role["name"], "roleRef.name")
        for index, subject in enumerate(entries(binding, "subjects")):
            path, kind, name = f"subjects[{index}]", subject.get("kind") or "", subject.get("name")
            if not name:
                yield checks.required(f"{path}.name")
            if kind not in _SUBJECTS:
                yield unsupported(f"{path}.kind", kind, _SUBJECTS)
                continue
            is_account = kind == _SERVICE_ACCOUNT
            if is_account and name:
                yield from subdomain(name, f"{path}.name")
            expected = "" if is_account else _GROUP
            group = subject.get("apiGroup") or expected
            if group != expected:
                yield unsupported(f"{path}.apiGroup", group, (expected,))
            needs_namespace = is_account and not KINDS[binding_kind].namespaced
            if needs_namespace and not subject.get("namespace"):
                yield checks.required(f"{path}.namespace")

    return Registration(
        kind=KINDS[binding_kind],
        defaults=lambda binding: {"roleRef": {"apiGroup": _GROUP}, **binding},
        validate=object_check(check, name=path_segment),
        validate_change=_same_role,
    )


def _same_role(new: Object, old: Object) -> checks.Faults:
    reference = part(new, "roleRef")
    if reference != old["roleRef"]:
        names = {"APIGroup": "apiGroup", "Kind": "kind", "Name": "name"}
        shown = {name: reference.get(field, "") for name, field in names.items()}
        yield FieldError("roleRef", shown, "cannot change roleRef")


ROLE = _role("Role")
CLUSTER_ROLE = _role("ClusterRole")
ROLE_BINDING = _binding("RoleBinding", "Role", "ClusterRole")
CLUSTER_ROLE_BINDING = _binding("ClusterRoleBinding", "ClusterRole")
