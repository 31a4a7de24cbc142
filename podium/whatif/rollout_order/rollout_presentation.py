"""The presentation of an order in which to introduce priority classes."""

from collections.abc import Sequence

from podium.api.presentation import Bullets, Cell, Presentation, Section, Table, Tone, Toned
from podium.api.values.message_words import count
from podium.whatif.plan.presentation.next_pod_words import stale_sentences
from podium.whatif.rollout_order.rollout_report import (
    JudgedPod,
    OrderTrial,
    RolloutAdvice,
    Room,
    StepOutcome,
)

_DEAD_ENDS_MAX = 20
_PODS_MAX = 10


def rollout_presentation(advice: RolloutAdvice) -> Presentation:
    """Present advice on the order of a rollout."""
    rows = []
    for end in advice.dead_ends:
        whys = [
            f"{judged.by} ({judged.by_final_priority} in the end) preempts {_where(judged)} "
            f"({judged.final_priority} in the end)"
            for judged in end.next.endangered
        ]
        why = "; ".join([*whys, *_others(end.next)])
        rows.append([", ".join(end.done) or "nothing", end.next.step, why])
    stale = [f"Before any step: {one}" for one in stale_sentences(advice.stale_priorities)]
    for step in advice.steps:
        stale += [f"After {step.step}: {one}" for one in stale_sentences(step.stale_priorities)]
    sections = [
        Section("Warnings", [Bullets(advice.warnings)]),
        Section("Steps", [_steps(advice.preparation, advice.steps)]),
        Section("Running pods that keep their priority", [Bullets(stale)]),
        *(_trial(order_trial) for order_trial in advice.obvious if not order_trial.is_safe),
        Section(
            "Why no order is safe",
            [Table(["After", "This isn't safe", "Why"], rows, rows_most=_DEAD_ENDS_MAX)],
        ),
        Section("Notes", [Bullets(advice.notes)]),
    ]
    if advice.room is not None:
        like = f"With {_room(advice.room)}"
        sections.insert(2, Section(like, [_steps(advice.preparation, advice.room.steps)]))
    if advice.non_preempting:
        steps = _steps(advice.preparation, advice.non_preempting)
        sections.insert(2, Section("With preemptionPolicy: Never on the default class", [steps]))
    return Presentation("Introducing priority classes", _headline(advice), sections)


def _headline(advice: RolloutAdvice) -> str:
    played = f"{count(advice.tried, 'step')} played"
    match advice.verdict:
        case "Safe":
            return "The order as given is safe."
        case "Reordered":
            return f"The order as given isn't safe, this one is; {played}."
        case "Impossible":
            text = f"No order of these steps is safe; {played}"
        case "Unknown":
            text = f"No safe order was found, and not all were tried; {played}"
    if advice.room is not None:
        return f"{text}. With {_room(advice.room)} one is."
    if advice.non_preempting:
        return f"{text}. With preemptionPolicy: Never on the default class one is."
    more = f", nor with {count(advice.room_tried, 'more node')} of a shape"
    return f"{text}{more if advice.room_tried else ''}."


def _room(room: Room) -> str:
    return f"{count(room.nodes, 'more node')} like {', '.join(room.like)}"


def _steps(preparation: Sequence[str], steps: Sequence[StepOutcome]) -> Table:
    first = [["1", f"apply {', '.join(preparation)}", "-", "-"]] if preparation and steps else []
    rows = []
    for number, step in enumerate(steps, start=1 + len(first)):
        lost = [f"{_where(pod)} ({pod.final_priority} in the end)" for pod in step.preempted]
        rows.append([str(number), step.step, f"{step.took_s:g}s", ", ".join(lost) or "-"])
    return Table(["Step", "What", "Takes", "Preempts, as it may"], [*first, *rows])


def _where(judged: JudgedPod) -> str:
    return f"{judged.pod} on {judged.node} at t+{judged.at:g}s"


def _trial(trial: OrderTrial) -> Section:
    *before, last = trial.steps
    done = f" after {', '.join(step_outcome.step for step_outcome in before)}" if before else ""
    what = [f"Fails at: {last.step}{done}"]
    headers = ["Pod", "Node", "When", "Priority", "In the end"]
    headers += ["Preempted by", "Priority of it", "In the end"]
    rows: list[list[Cell]] = [
        [
            Toned(judged.pod, Tone.BAD),
            judged.node,
            f"t+{judged.at:g}s",
            str(judged.priority),
            str(judged.final_priority),
            judged.by,
            str(judged.by_priority),
            str(judged.by_final_priority),
        ]
        for judged in last.endangered
    ]
    return Section(
        f"Not safe {trial.order}",
        [Bullets(what), Table(headers, rows, rows_most=_PODS_MAX), Bullets(_others(last))],
    )


def _others(outcome: StepOutcome) -> list[str]:
    rejected = [f"{one.object} is rejected: {one.message}" for one in outcome.rejected]
    stuck = (f"{one}: it comes to no end" for one in outcome.stuck)
    outranking = (one for one in outcome.stale_priorities if outcome.outranked and one.is_harmful)
    return [*stuck, *rejected, *stale_sentences(outranking)]
