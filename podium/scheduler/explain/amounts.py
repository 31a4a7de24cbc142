"""Amounts of resources as text."""

from podium.api.values.quantity import NANOS_PER_MILLI, NANOS_PER_UNIT, Format, Quantity

_BYTES = ("memory", "ephemeral-storage", "hugepages-")
_MI = 1 << 20


def amount_text(resource: str, amount: int) -> str:
    """Return an amount, of cpu in thousandths, with its unit: `250m CPU`, `1536Mi memory`."""
    word = "CPU" if resource == "cpu" else resource
    return f"{bare_amount(resource, amount)} {word}"


def bare_amount(resource: str, amount: int) -> str:
    """Return an amount without the resource; bytes are rounded to Mi where that loses little."""
    if resource == "cpu":
        return str(Quantity(amount * NANOS_PER_MILLI))
    if not resource.startswith(_BYTES):
        return str(amount)
    rounded = round(amount / _MI) * _MI if abs(amount) >= 10 * _MI else amount
    return str(Quantity(rounded * NANOS_PER_UNIT, Format.BINARY_SI))
