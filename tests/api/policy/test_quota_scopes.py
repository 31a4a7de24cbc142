"""Limits of a quota that objects of a kind use up."""

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.policy.quota_usage import tracked


def test_claims_use_up_storage_and_that_of_their_classes() -> None:
    gold = "gold.storageclass.storage.k8s.io/"
    of_claims = [
        "requests.storage",
        "persistentvolumeclaims",
        "count/persistentvolumeclaims",
        f"{gold}requests.storage",
        f"{gold}persistentvolumeclaims",
    ]
    names = [*of_claims, "requests.cpu", "pods", f"{gold}pods", "count/secrets"]
    assert tracked(KINDS["PersistentVolumeClaim"], names) == of_claims
