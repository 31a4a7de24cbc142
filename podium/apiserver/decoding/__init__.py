"""Decoding: from bodies of requests to objects in their stored form.

Texts are parsed into values (`text_decoder`), which are checked against the types of their fields
(`type_checker`). Messages are in plain words, with the path of the value.
"""

from podium.apiserver.decoding.bodies import decode
from podium.apiserver.decoding.patches import PatchType, decode_patch
from podium.apiserver.decoding.typed import STRICT, WARN, DecodedObject

__all__ = ["STRICT", "WARN", "DecodedObject", "PatchType", "decode", "decode_patch"]
