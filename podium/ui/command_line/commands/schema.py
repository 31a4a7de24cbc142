"""`podium schema`: JSON Schemas of what Podium reads and writes."""

from typing import Annotated

import typer


def schema(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="A document or report; none: list them."),
    ] = None,
) -> None:
    """Print the JSON Schema of a document that Podium reads, or of a report that it writes."""
    # Imported when it is called, so that help, completion and the library start at once.
    import msgspec

    from podium.ui.schemas import NAMES, schema

    if name is None:
        print("\n".join(NAMES))
        return
    if name not in NAMES:
        raise typer.BadParameter(f"there is no schema {name}; there are {', '.join(NAMES)}")
    print(msgspec.json.format(msgspec.json.encode(schema(name)), indent=2).decode())
