"""Manifests that other programs make: Kustomizations and Helm charts."""

import shutil
import subprocess
from collections.abc import Sequence

from podium.cli.options import InputError
from podium.manifests.files import File

_LINES_MAX = 10
_RELEASE = "release"


def kustomized(directory: str) -> File:
    """What a Kustomization comes to; raises InputError."""
    if shutil.which("kustomize"):
        command = ["kustomize", "build", "--", directory]
    elif shutil.which("kubectl"):
        command = ["kubectl", "kustomize", "--", directory]
    else:
        raise InputError(f"-k {directory}: takes kustomize or kubectl, and neither is installed")
    return _output(f"-k {directory}", command)


def charted(chart: str, values: Sequence[str], namespace: str) -> File:
    """What a Helm chart comes to; raises InputError."""
    if not shutil.which("helm"):
        raise InputError(f"--helm {chart}: takes helm, which isn't installed")
    files = [part for one in values for part in ("--values", one)]
    command = ["helm", "template", "--namespace", namespace, *files, "--", _RELEASE, chart]
    return _output(f"--helm {chart}", command)


def _output(name: str, command: Sequence[str]) -> File:
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    except OSError as error:
        raise InputError(f"{name}: {command[0]} can't be run: {error.strerror}") from None
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines()[-_LINES_MAX:]
        why = "; ".join(lines) or f"exit code {done.returncode}"
        raise InputError(f"{name}: {command[0]} fails: {why}")
    return File(name, done.stdout)
