"""How far many watches of all pods are behind, over HTTPS, while pods are created and bound.

    python benchmarks/watchers.py [--watchers 2000] [--pods 30] [--pods-a-second 1]

A cluster runs in a process of its own; this process has all the watches, and notes when each was
told of each version of each pod. What counts is how much later than the first one that was.
"""

import argparse
import asyncio
import json
import time
from contextlib import AsyncExitStack

from podium.simulation.benchmarks.live.measurements import PODS, Watcher
from podium.simulation.benchmarks.live.process import LiveConnection, up

_AT_ONCE = 50
_PATIENCE_S = 300.0


def main() -> None:
    """Measure, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--watchers", type=int, default=2_000)
    parser.add_argument("--pods", type=int, default=30)
    parser.add_argument("--pods-a-second", type=float, default=1.0)
    asyncio.run(_measure(parser.parse_args()))


async def _measure(asked: argparse.Namespace) -> None:
    watchers = [Watcher() for _ in range(asked.watchers)]
    async with AsyncExitStack() as stack:
        running = await stack.enter_async_context(up("--nodes", "10"))
        tasks = []
        for begin in range(0, len(watchers), _AT_ONCE):
            few = watchers[begin : begin + _AT_ONCE]
            connections = await asyncio.gather(*(LiveConnection.open(running.target) for _ in few))
            for watcher, connection in zip(few, connections, strict=True):
                stack.callback(connection.close)
                tasks.append(asyncio.create_task(watcher.follow(connection, f"{PODS}?watch=true")))
            await asyncio.sleep(0.5)
        asking = await LiveConnection.open(running.target)
        stack.callback(asking.close)
        began_s, busy_s = time.perf_counter(), running.processor_s()
        own_s = time.process_time()
        for number in range(asked.pods):
            await asking.ask("POST", PODS, _pod(number))
            due_s = began_s + (number + 1) / asked.pods_a_second
            await asyncio.sleep(max(0.0, due_s - time.perf_counter()))
        async with asyncio.timeout(_PATIENCE_S):
            while any(len(one.bound_s) < asked.pods for one in watchers):
                await asyncio.sleep(0.1)
        elapsed_s = time.perf_counter() - began_s
        cluster_s, own_s = running.processor_s() - busy_s, time.process_time() - own_s
        for task in tasks:
            task.cancel()
    first: dict[tuple[str, str], float] = {}
    for one in watchers:
        for version, at_s in one.arrivals_s.items():
            first[version] = min(at_s, first.get(version, at_s))
    lags = sorted(at_s - first[key] for one in watchers for key, at_s in one.arrivals_s.items())
    print(f"{len(watchers):,} watches were told of {len(first)} versions in {elapsed_s:.0f} s")
    print(f"behind the first: median {lags[len(lags) // 2]:.2f} s, ", end="")
    print(f"99th percentile {lags[len(lags) * 99 // 100]:.2f} s, most {lags[-1]:.2f} s")
    print(f"processor time: cluster {cluster_s:.0f} s, ", end="")
    print(f"watches {own_s:.0f} s")


def _pod(number: int) -> bytes:
    spec = {"containers": [{"name": "c", "image": "i"}]}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"pod-{number}"}, "spec": spec}
    return json.dumps(pod).encode()


if __name__ == "__main__":
    main()
