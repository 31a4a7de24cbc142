"""Who is let in when."""

import asyncio

import pytest

from podium.control.effects import Bind, Delete, Patch
from podium.controllers.scheduler.preemption import VictimCall
from podium.real.call_room import CallRoom, urgency_of

BIND = Bind(namespace="d", name="p", uid="u", node_name="n")
DELETE = Delete(kind="Pod", name="p")
PATCH = Patch(kind="Pod", name="p", body={})
LAST = PATCH.with_purpose(VictimCall("preemptor", "victim", is_last=True))


def test_the_urgent_come_first_and_equals_in_their_order() -> None:
    async def scenario() -> None:
        room, order = CallRoom(1), list[str]()

        async def call(name: str, urgency: int) -> None:
            async with room.place(urgency):
                order.append(name)
                await asyncio.sleep(0)

        names = [("first", PATCH), ("a", PATCH), ("b", DELETE), ("c", BIND), ("d", LAST)]
        await asyncio.gather(*(call(name, urgency_of(effect)) for name, effect in names))
        assert order == ["first", "c", "b", "d", "a"]

    asyncio.run(scenario())


def test_who_gives_up_takes_nobodys_place() -> None:
    async def scenario() -> None:
        room = CallRoom(1)
        async with room.place(0):
            waits = asyncio.create_task(room.place(0).__aenter__())
            await asyncio.sleep(0)
        # The place is given by now, but the task hasn't run since.
        waits.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waits
        async with asyncio.timeout(1), room.place(2):
            pass

    asyncio.run(scenario())
