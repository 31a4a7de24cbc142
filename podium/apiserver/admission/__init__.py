"""Admission: completes and checks objects between defaulting, validation and the store.

Plugins follow the rules of the plugin of the same name in v1.36. `chain` runs them in order;
`plugin` has their protocol.
"""

from podium.apiserver.admission.chain import Admission
from podium.apiserver.admission.plugin import AdmissionOptions, StoreView

__all__ = ["Admission", "AdmissionOptions", "StoreView"]
