"""Admission: plugins that complete and check objects before they are stored, as in v1.36."""

from podium.apiserver.admission.chain import Admission
from podium.apiserver.admission.plugin import AdmissionOptions

__all__ = ["Admission", "AdmissionOptions"]
