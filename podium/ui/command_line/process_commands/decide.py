"""`podium decide`: read scenarios as JSON lines, and print decisions as JSON lines."""

import sys
from pathlib import Path

from podium.api.process.python_garbage_collection import collect_rarely
from podium.api.values.message_words import escaped_json
from podium.ui.command_line.output_streams import is_unread
from podium.ui.commands.decide import DecideQuestion
from podium.ui.inputs.input_error import InputError
from podium.ui.inputs.option import several

_ERRORS_MAX = 10


class DecideCommand(DecideQuestion):
    """Schedule recorded scenarios: JSON lines in, one JSON line with decisions out for each.

    A scenario that can't be decided is answered with an `error`, the others still are, and the
    exit code is 1.
    """

    def run(self) -> None:
        # Imported when it is called, so that help, completion and the library start at once.
        from podium.cluster.manifests.input_files import InputFileError
        from podium.simulation.decide.stream import answers, eviction_answers, lines_of

        collect_rarely()
        out = sys.stdout.buffer
        decided = eviction_answers if self.eviction else answers
        refused: list[str] = []
        for path in [*map(str, several(self.scenarios))] or ["-"]:
            named: list[str] = []
            try:
                for answer in decided(lines_of(Path(path)), named.append):
                    out.write(escaped_json(answer) + b"\n")
                    out.flush()
                    if is_unread():
                        return
            except InputFileError as error:
                refused.append(str(error))
            source = "stdin" if path == "-" else path
            refused += [f"{source}: {one}" for why in named for one in why.splitlines()]
        if refused:
            raise InputError("\n".join(refused[:_ERRORS_MAX]))
