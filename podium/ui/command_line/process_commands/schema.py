"""`podium schema`: print JSON Schemas."""

import typer

from podium.ui.inputs.option import place, question


@question
class SchemaOptions:
    """Options of `podium schema`."""

    name: str | None = place(
        "Name of a document, report or question. [default: list all names]",
        metavar="NAME",
        default=None,
    )


def schema(asked: SchemaOptions) -> None:
    """Print the JSON Schema of a document that Podium reads, or of a report that it prints."""
    # Imported when it is called, so that help, completion and the library start at once.
    from podium.ui.schemas import EVERY_NAME, schema
    from podium.ui.writers.terminal import print_values

    if asked.name is None:
        print("\n".join(EVERY_NAME))
        return
    if asked.name not in EVERY_NAME:
        known = ", ".join(EVERY_NAME)
        raise typer.BadParameter(f"there is no schema {asked.name}; there are {known}")
    print_values(schema(asked.name), "json")
