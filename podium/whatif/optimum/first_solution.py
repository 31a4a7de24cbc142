"""What the scheduler's own way would do all at once, for the solver to begin with."""

from collections import Counter
from collections.abc import Mapping

from podium.scheduler.rehearsal import rehearsal
from podium.whatif.optimum.model import Model


def first_solution(model: Model) -> Mapping[int, int]:
    """The variables of who goes where and who has to go, if pods are decided one by one.

    The most important come first; victims are gone at once. A pod whose victims the model doesn't
    have is passed over.
    """
    scheduler, chosen = model.scheduler, Counter[int]()
    rows, on_nodes = scheduler.snapshot.row_of, scheduler.snapshot.pods_on
    occupants = {
        pod.uid: variable
        for number, variable in model.gone.items()
        for pod in model.occupants[number].pods
    }
    numbered = [(pod, number) for number, one in enumerate(model.demands) for pod in one.pods]
    numbered.sort(key=lambda one: (-one[0].priority, one[0].key))
    with rehearsal(scheduler, ()) as rehearsed:
        rehearsed.absence.take([p for pods in on_nodes for p in pods if p.cls.terminating])
        for pod, number in numbered:
            decision = scheduler.decide(pod, model.demands[number].scheduler_name)
            found = decision.post_filter
            victims = () if found is None else found.victims
            if any(one.uid not in occupants for one in victims):
                continue
            row = rows.get(rehearsed.carry_out(decision), -1)
            if row in model.placed[number]:
                chosen[model.placed[number][row]] += 1
                chosen.update(occupants[one.uid] for one in victims)
    return chosen
