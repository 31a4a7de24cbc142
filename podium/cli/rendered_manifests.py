"""Manifests that other programs make: Kustomizations and Helm charts."""

import re
import shutil
import subprocess
from collections.abc import Sequence

from podium.api.kubernetes_release import MAJOR, MINOR, PATCH
from podium.cli.common_options import InputError
from podium.manifests import File

_LINES_MAX = 10
_RELEASE = "release"
_NAMED_CHART = re.compile(r"([a-z0-9]([-a-z0-9.]*[a-z0-9])?)=(.+)", re.DOTALL)


def kustomized(directory: str) -> File:
    """What a Kustomization comes to; raises InputError."""
    if shutil.which("kustomize"):
        command = ["kustomize", "build", "--", directory]
    elif shutil.which("kubectl"):
        command = ["kubectl", "kustomize", "--", directory]
    else:
        raise InputError(f"-k {directory}: takes kustomize or kubectl, and neither is installed")
    return _output(f"-k {directory}", command)


def charted(text: str, values: Sequence[str], settings: Sequence[str], namespace: str) -> File:
    """What a Helm chart comes to that is installed in a cluster of the version that is played.

    Args:
        text: `CHART` or `RELEASE=CHART`.
        values: files of values for it.
        settings: `KEY=VALUE` that go before those.
        namespace: that it is installed in.

    Raises:
        InputError: helm isn't there, or fails.
    """
    if not shutil.which("helm"):
        raise InputError(f"--helm {text}: takes helm, which isn't installed")
    named = _NAMED_CHART.fullmatch(text)
    release, chart = (named[1], named[3]) if named else (_RELEASE, text)
    # helm tells neither of the definitions nor of the version that `helm install` would find.
    as_installed = ["--include-crds", "--kube-version", f"{MAJOR}.{MINOR}.{PATCH}"]
    given = [part for one in values for part in ("--values", one)]
    given += [part for one in settings for part in ("--set", one)]
    where = ["--namespace", namespace]
    command = ["helm", "template", *where, *as_installed, *given, "--", release, chart]
    return _output(f"--helm {text}", command)


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
