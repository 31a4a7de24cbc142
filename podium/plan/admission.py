"""What the API server does to pods before they are there: defaulting, then admission."""

from collections.abc import Mapping
from typing import Any

from podium.apiserver.admission.priority import PriorityClasses
from podium.apiserver.admission.runtime_class import complete
from podium.apiserver.admission.storage_class import default_class, with_class
from podium.apiserver.admission.tolerations import add_default_tolerations
from podium.apiserver.defaulting import apply_defaults
from podium.plan.state import State

Object = Mapping[str, Any]


class Admission:
    """Admits new objects to a state, by the classes that it has now.

    Its methods raise `Refused` where the API server would refuse the object.

    Attributes:
        notes: what is odd about the classes, in plain sentences.
    """

    def __init__(self, state: State) -> None:
        self._state = state
        self._priorities = PriorityClasses(state.of_kind("PriorityClass"))
        self._storage = default_class(state.of_kind("StorageClass"))
        self.notes = self._priorities.notes

    def pod(self, pod: Object) -> Object:
        """The pod as it is stored."""
        admitted = self._priorities.resolve(apply_defaults(pod, "Pod"))
        class_name = (admitted.get("spec") or {}).get("runtimeClassName")
        runtime = self._state.get("RuntimeClass", "", class_name) if class_name else {}
        return complete(add_default_tolerations(admitted), runtime)

    def claim(self, claim: Object) -> Object:
        """The persistent volume claim as it is stored."""
        return with_class(apply_defaults(claim, "PersistentVolumeClaim"), self._storage)

    def priority_class(self, priority_class: Object) -> Object:
        """The class as it is stored."""
        completed = apply_defaults(priority_class, "PriorityClass")
        self._priorities.check(completed)
        return completed
