"""`podium schema`: JSON Schemas of what Podium reads and writes."""

from dataclasses import dataclass, field

import typer

from podium.ui.inputs.option import meaning


@dataclass(frozen=True, kw_only=True)
class SchemaOptions:
    """Which schema is printed."""

    name: str | None = field(
        default=None,
        metadata=meaning(
            "A document, report or question; none: list them.", metavar="[NAME]", is_argument=True
        ),
    )


def schema(asked: SchemaOptions) -> None:
    """Print the JSON Schema of a document that Podium reads, or of a report that it writes."""
    # Imported when it is called, so that help, completion and the library start at once.
    from podium.ui.schemas import EVERY_NAME, schema
    from podium.ui.writers.console import print_values

    if asked.name is None:
        print("\n".join(EVERY_NAME))
        return
    if asked.name not in EVERY_NAME:
        known = ", ".join(EVERY_NAME)
        raise typer.BadParameter(f"there is no schema {asked.name}; there are {known}")
    print_values(schema(asked.name), "json")
