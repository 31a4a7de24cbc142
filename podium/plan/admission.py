"""What the API server does to pods before they are there: defaulting, then admission."""

from collections.abc import Mapping
from typing import Any

from podium.apiserver.admission.priority import PriorityAdmission
from podium.apiserver.admission.runtime_class import RuntimeClassAdmission
from podium.apiserver.admission.storage_class import StorageClassAdmission
from podium.apiserver.admission.tolerations import add_default_tolerations
from podium.apiserver.defaulting import apply_defaults
from podium.apiserver.refusal import Refusal
from podium.plan.state import State

Object = Mapping[str, Any]


class Admission:
    """Admits new objects to a state, by the classes that it has now.

    Attributes:
        notes: what is odd about the classes, in plain sentences.
    """

    def __init__(self, state: State) -> None:
        self._priority = PriorityAdmission(state.of_kind("PriorityClass"))
        self._runtime = RuntimeClassAdmission(state.of_kind("RuntimeClass"))
        self._storage = StorageClassAdmission(state.of_kind("StorageClass"))
        self.notes = self._priority.notes

    def pod(self, pod: Object) -> Object | Refusal:
        """The pod as it is stored, or why it isn't let in."""
        admitted = self._priority.admit(apply_defaults(pod, "Pod"))
        if isinstance(admitted, Refusal):
            return admitted
        return self._runtime.admit(add_default_tolerations(admitted))

    def claim(self, claim: Object) -> Object:
        """The persistent volume claim as it is stored."""
        return self._storage.admit(apply_defaults(claim, "PersistentVolumeClaim"))

    def priority_class(self, priority_class: Object) -> Object | Refusal:
        """The class as it is stored, or why it isn't let in."""
        return self._priority.admit_class(apply_defaults(priority_class, "PriorityClass"))
