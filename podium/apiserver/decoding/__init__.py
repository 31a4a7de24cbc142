"""Decoding: from bodies of requests to objects in their stored form."""

from podium.apiserver.decoding.bodies import PatchType, decode, decode_patch
from podium.apiserver.decoding.typed import STRICT, WARN, DecodedObject

__all__ = ["STRICT", "WARN", "DecodedObject", "PatchType", "decode", "decode_patch"]
