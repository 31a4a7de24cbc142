"""Admission: plugins that complete and check objects before they are stored.

Plugins follow the rules of the plugin of the same name in v1.36. `chain` runs them in order, after
defaulting and after validation; `plugin` defines their interface.
"""

from podium.apiserver.admission.chain import Admission
from podium.apiserver.admission.plugin import AdmissionOptions

__all__ = ["Admission", "AdmissionOptions"]
