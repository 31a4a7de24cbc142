"""The notation of the types, by examples."""

import pytest

from podium.apiserver.schema.model import SCALARS, Field, ListOf, MapOf
from podium.apiserver.schema.struct_types import read_blocks

TEXT = """\
UID = string

Amounts = {quantity} rounded

Spec
  uid* UID
  policy? UID
  amounts Amounts
  ports [Port] keys=port,protocol merge=port
  names [string] set merge
  port Port
  status Port written
  selector {string} atomic

Port atomic
  port* int32
  protocol string default=TCP

Strategy defaults
  rolling Port fill={"surge":1} if=type:Rolling
  type string fill=Rolling
"""
STRING = SCALARS["string"]


def fields(name: str) -> dict[str, Field]:
    structs, names = read_blocks(TEXT, lambda reference: {**structs, **names}[reference])
    return dict(structs[name].fields)


def test_names_of_other_types() -> None:
    names = read_blocks(TEXT, {}.__getitem__)[1]
    assert names["UID"] == STRING
    assert names["Amounts"] == MapOf(SCALARS["quantity"], is_rounded=True)


def test_required_fields() -> None:
    assert fields("Spec")["uid"].required
    assert not fields("Spec")["policy"].required


def test_fields_whose_emptiness_says_something() -> None:
    kept = {name for name, field in fields("Spec").items() if field.keeps_zero}
    assert kept == {"policy", "port"}


def test_fields_that_are_always_told() -> None:
    written = {name for name, field in fields("Spec").items() if field.written}
    assert written == {"uid", "status"}


def test_lists_say_how_they_merge() -> None:
    ports = fields("Spec")["ports"].type
    assert isinstance(ports, ListOf)
    assert (ports.keys, ports.merges, ports.merge_key) == (("port", "protocol"), True, "port")
    assert fields("Spec")["names"].type == ListOf(STRING, is_set=True, merges=True)


def test_atomic_maps_and_structs() -> None:
    assert fields("Spec")["selector"].type == MapOf(STRING, is_atomic=True)
    assert read_blocks(TEXT, {}.__getitem__)[0]["Port"].is_atomic


def test_defaults_of_keys() -> None:
    assert fields("Port")["protocol"].default == "TCP"


def test_what_is_filled_in() -> None:
    strategy = fields("Strategy")
    assert strategy["type"].fill == "Rolling"
    assert strategy["rolling"].fill == {"surge": 1}
    assert strategy["rolling"].fill_if == ("type", "Rolling")
    assert read_blocks(TEXT, {}.__getitem__)[0]["Strategy"].has_defaults


def test_a_name_that_nobody_has_is_an_error() -> None:
    structs, _ = read_blocks("A\n  b NoSuchType\n", {}.__getitem__)
    with pytest.raises(KeyError, match="NoSuchType"):
        _ = structs["A"].fields
