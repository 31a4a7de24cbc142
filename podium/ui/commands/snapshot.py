"""`podium snapshot`: the state of a real cluster, for plans."""

from typing import TYPE_CHECKING

from podium.ui.commands.question import Asker, Question
from podium.ui.inputs.option import option, question, text
from podium.ui.inputs.request_options import Connection

if TYPE_CHECKING:
    from podium.ui.answers.snapshot_answers import SnapshotAnswer


@question
class SnapshotQuestion(Connection, Question["SnapshotAnswer"]):
    """Save the state of a cluster for plan and explain; nothing is changed there."""

    took_files = True
    usual_format = "json"

    anonymize: bool = option(
        "Give pseudonyms to all names, labels and images, and leave out what no decision "
        "depends on. A plan decides alike.",
        default=False,
    )

    def answer(self, ask: Asker) -> "SnapshotAnswer":
        """Read the cluster; raises PodiumError."""
        # Imported when it is asked, so that help, completion and the library start at once.
        from podium.ui.answers.snapshot_answers import SnapshotAnswer
        from podium.ui.inputs.state_inputs import snapshot_of

        found = snapshot_of(text(self.kubeconfig), self.context)
        if self.anonymize:
            found.anonymize()
        return SnapshotAnswer(found.objects, found.notes, found)
