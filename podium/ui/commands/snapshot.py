"""`podium snapshot`: exports of a real cluster's state, for plans."""

from typing import TYPE_CHECKING

from podium.ui.commands.question import Asker, Question
from podium.ui.inputs.option import option
from podium.ui.inputs.request_options import ClusterOptions

if TYPE_CHECKING:
    from podium.ui.answers.snapshot_answers import SnapshotAnswer


class SnapshotQuestion(ClusterOptions, Question["SnapshotAnswer"]):
    """Save the state of a running cluster for other commands; the cluster isn't changed."""

    took_files = True
    usual_format = "json"

    anonymize: bool = option(default=False).help("""
        Replace all names, labels and images by pseudonyms, and leave out fields on which no
        scheduling decision depends. Plans of the result decide as before.""")

    def answer(self, ask: Asker) -> "SnapshotAnswer":
        # Imported when it is asked, so that help, completion and the library start at once.
        from podium.ui.answers.snapshot_answers import SnapshotAnswer
        from podium.ui.inputs.state_inputs import snapshot_of

        snapshot = snapshot_of(self)
        if self.anonymize:
            snapshot.anonymize()
        return SnapshotAnswer(snapshot.objects, snapshot.notes, snapshot)
