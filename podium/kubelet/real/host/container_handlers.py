"""The probes and hooks of running containers: commands and requests.

Requests without a host are sent to the loopback interface, as containers use the host network.
"""

import asyncio
import os
import signal
from subprocess import DEVNULL, PIPE, STDOUT, Popen
from typing import IO

import aiohttp

from podium.api.objects import Object, entries, part
from podium.api.pods import init_containers_of
from podium.kubelet.containers.container import HandlerResult
from podium.kubelet.real.host.containers import Running, end_of, exit_code, reading

_LOOPBACK = "127.0.0.1"
_OUTPUT_MAX = 10 * 1024
_GOOD = range(200, 400)


async def handle(running: Running, pod: Object, action: Object, timeout_s: float) -> HandlerResult:
    """Carry out a probe or hook, such as `{"exec": {"command": […]}}`."""
    try:
        async with asyncio.timeout(timeout_s):
            if "exec" in action:
                return await _execute(running, [*entries(action["exec"], "command")])
            if "httpGet" in action:
                return await _get(action["httpGet"], pod, running.launch.run.name)
            if "tcpSocket" in action:
                socket = action["tcpSocket"]
                port = _port(socket["port"], pod, running.launch.run.name)
                _, writer = await asyncio.open_connection(socket.get("host") or _LOOPBACK, port)
                writer.close()
                await writer.wait_closed()
                return HandlerResult(succeeded=True)
            await asyncio.sleep(float(part(action, "sleep").get("seconds") or 0))
            return HandlerResult(succeeded=True)
    except TimeoutError:
        return HandlerResult(succeeded=False, message=f"timed out after {timeout_s:g}s")
    except (OSError, ValueError, aiohttp.ClientError) as error:
        return HandlerResult(succeeded=False, message=str(error) or type(error).__name__)


async def _execute(running: Running, command: list[str]) -> HandlerResult:
    process = Popen(
        command,
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=STDOUT,
        cwd=running.launch.directory,
        env=running.variables,
        start_new_session=True,
    )
    assert process.stdout is not None
    output = asyncio.create_task(_output(process.stdout))
    try:
        await end_of(process)
        code = exit_code(process)
        text = (await output).strip()
    finally:
        output.cancel()
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        process.stdout.close()
    return HandlerResult(code == 0, "" if code == 0 else text or f"exit code {code}")


async def _output(pipe: IO[bytes]) -> str:
    content = b""
    async with reading(pipe) as reader:
        while chunk := await reader.read(_OUTPUT_MAX):
            content = (content + chunk)[:_OUTPUT_MAX]
    return content.decode(errors="replace")


async def _get(request: Object, pod: Object, container: str) -> HandlerResult:
    scheme = str(request.get("scheme") or "HTTP").lower()
    host, port = request.get("host") or _LOOPBACK, _port(request["port"], pod, container)
    headers = {header["name"]: header["value"] for header in request.get("httpHeaders") or ()}
    headers.setdefault("User-Agent", "kube-probe/podium")
    path = str(request.get("path") or "/").lstrip("/")
    async with (
        aiohttp.ClientSession(headers=headers) as session,
        session.get(
            f"{scheme}://{host}:{port}/{path}", ssl=False, allow_redirects=False
        ) as response,
    ):
        if response.status in _GOOD:
            return HandlerResult(succeeded=True)
        message = f"HTTP probe failed with statuscode: {response.status}"
        return HandlerResult(succeeded=False, message=message)


def _port(port: int | str, pod: Object, container: str) -> int:
    if isinstance(port, int):
        return port
    spec = pod["spec"]
    for one in (*spec["containers"], *init_containers_of(spec)):
        if one["name"] == container:
            for known in one.get("ports") or ():
                if known.get("name") == port:
                    return int(known["containerPort"])
    raise ValueError(f"couldn't find port {port}")
