"""Bodies of requests to objects: read, checked against their types, and in their stored form.

Texts become values (`text_decoder`), values are held to the types of their fields
(`type_checker`). What is wrong is told in plain words, with the place where it stands.
"""

from podium.apiserver.decoding.bodies import decode
from podium.apiserver.decoding.patches import PatchType, decode_patch
from podium.apiserver.decoding.typed import STRICT, WARN, DecodedObject

__all__ = ["STRICT", "WARN", "DecodedObject", "PatchType", "decode", "decode_patch"]
