"""Rules about ResourceQuotas that limit the use of PriorityClasses."""

from collections.abc import Iterator

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object, entries, key, name, namespace, part, spec_of
from podium.api.policy.quota_usage import in_scope, scope_selectors, tracked
from podium.api.priority import class_value
from podium.api.values.message_words import likely_meant
from podium.whatif.lint.cluster_view import ClusterView
from podium.whatif.lint.rule import Offence, Rule

_SCOPE = "PriorityClass"


@Rule
def quota_without_high_classes(view: ClusterView) -> Iterator[Offence]:
    """A namespace has quotas of pods, but none that limits PriorityClasses of critical priority."""
    critical_from = view.critical_from
    places: dict[str, list[Object]] = {}
    for quota in view.of("ResourceQuota"):
        if tracked(KINDS["Pod"], part(spec_of(quota), "hard")):
            places.setdefault(namespace(quota), []).append(quota)
    for high in (class_ for class_ in view.classes if class_value(class_) >= critical_from):
        for place, quotas in places.items():
            pod = {"spec": {"priorityClassName": name(high)}}
            scopes = (scope for quota in quotas for scope in scope_selectors(quota))
            if not any(
                scope.get("scopeName") == _SCOPE and in_scope(scope, "Pod", pod) for scope in scopes
            ):
                message = f"no quota in {place} is about {name(high)}, of {class_value(high)}"
                yield Offence(quotas[0], message, "spec.scopeSelector", tuple(map(key, quotas)))


@Rule
def quota_for_unknown_class(view: ClusterView) -> Iterator[Offence]:
    """The PriorityClass scope of a quota names an unknown class."""
    known = view.class_names()
    for quota in view.of("ResourceQuota") if view.knows_classes else ():
        for scope in scope_selectors(quota):
            strange = sorted({*entries(scope, "values")} - known)
            if scope.get("scopeName") == _SCOPE and strange:
                hint = likely_meant(strange[0], known) if len(strange) == 1 else ""
                message = f"there is no PriorityClass {', '.join(strange)}{hint}"
                yield Offence(quota, message, "spec.scopeSelector")
