"""`podium snapshot`: the state of a real cluster, for plans."""

from pathlib import Path
from typing import Annotated

import typer

from podium.api.values.terminal_text import escaped_json
from podium.ui.command_line.options.common_options import ContextOption, KubeconfigOption
from podium.ui.inputs.input_error import InputError
from podium.ui.writers.console import print_warnings


def snapshot(
    kubeconfig: KubeconfigOption = None,
    context: ContextOption = None,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE|-", help="Where to write it.")
    ] = "-",
    anonymize: Annotated[
        bool,
        typer.Option(
            "--anonymize",
            help="Give pseudonyms to all names, labels and images, and leave out what no decision "
            "depends on. A plan decides alike.",
        ),
    ] = False,
) -> None:
    """Save the state of a cluster for plan and explain; nothing is changed there."""
    # Imported when it is called, so that help, completion and the library start at once.
    from podium.ui.inputs.state_inputs import snapshot_of

    found = snapshot_of(kubeconfig, context)
    if anonymize:
        found.anonymize()
    content = found.encoded()
    print_warnings(found.notes)
    if output == "-":
        typer.echo(escaped_json(content))
        return
    try:
        Path(output).write_bytes(content)
    except OSError as error:
        raise InputError(f"{output}: can't be written: {error.strerror}") from None
