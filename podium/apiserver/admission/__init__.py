"""Admission: what happens to an object between defaulting, validation and the store.

A plugin is a file of its own. `chain` has all of them in order, `plugin` what they have in common,
`request` what they are asked about.
"""

from podium.apiserver.admission.chain import Admission, UnknownPluginError
from podium.apiserver.admission.plugin import AdmissionOptions, LimitedScope
from podium.apiserver.admission.request import Operation, Request, View

__all__ = [
    "Admission",
    "AdmissionOptions",
    "LimitedScope",
    "Operation",
    "Request",
    "UnknownPluginError",
    "View",
]
