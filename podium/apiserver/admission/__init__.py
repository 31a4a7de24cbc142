"""Admission: what happens to an object between defaulting, validation and the store.

A plugin is a file of its own, with the rules of the plugin of that name in v1.36. `chain` has all
of them in order, `plugin` what they have in common and what they may look at.
"""

from podium.apiserver.admission.chain import Admission
from podium.apiserver.admission.plugin import AdmissionOptions, View

__all__ = ["Admission", "AdmissionOptions", "View"]
