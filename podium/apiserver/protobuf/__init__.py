"""Protobuf: the encoding that many clients prefer to JSON, as far as they insist on it."""
