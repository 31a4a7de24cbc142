"""`podium schema`: print JSON Schemas."""

import typer

from podium.ui.inputs.option import Options, option


class SchemaCommand(Options):
    """Print the JSON Schema of a document that Podium reads, or of a report that it prints."""

    name: str | None = option("NAME", is_argument=True).help("""
        Name of a document, report or question. [default: list all names]""")

    def run(self) -> None:
        # Imported when it is called, so that help, completion and the library start at once.
        from podium.ui.schemas import EVERY_NAME, schema
        from podium.ui.writers.terminal import print_values

        if self.name is None:
            print("\n".join(EVERY_NAME))
            return
        if self.name not in EVERY_NAME:
            known = ", ".join(EVERY_NAME)
            raise typer.BadParameter(f"there is no schema {self.name}; there are {known}")
        print_values(schema(self.name), "json")
