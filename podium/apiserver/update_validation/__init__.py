"""What an update may change: each kind's rules, asked with the new object and the stored one.

The order of the rules is kube-apiserver's, and so is that some are asked twice: first of all kinds
alike, and again by most kinds themselves. Its answers show every fault as often as it was found.
"""

from podium.apiserver.update_validation.kinds import validate_update

__all__ = ["validate_update"]
